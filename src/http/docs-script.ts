/**
 * The only script of the page: its policy allows it by its hash. It fills in the address of the
 * service, copies samples, and filters the endpoints and types.
 */
export const SCRIPT = `
'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
for (const one of all('[data-origin]')) one.textContent = location.origin;

const menu = document.querySelector('.menu');
if (matchMedia('(max-width: 60rem)').matches) menu.open = false;

async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand('copy');
  }
}
for (const button of all('.sample button')) {
  button.hidden = false;
  const sample = button.parentElement.nextElementSibling;
  button.setAttribute('aria-label', 'Copy ' + sample.dataset.sample);
  button.addEventListener('click', async () => {
    button.textContent = (await copy(sample.textContent, sample)) ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}

const query = document.getElementById('query');
const found = document.getElementById('found');
const entries = all('main details').map((element) => ({
  element,
  text: element.querySelector('summary').textContent.toLowerCase() + ' ' + (element.dataset.operation || '').toLowerCase(),
  link: element.dataset.operation && document.querySelector('[data-found="' + element.dataset.operation + '"]'),
}));
function filter() {
  const words = query.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const { element, text, link } of entries) {
    const isFound = words.every((word) => text.includes(word));
    element.hidden = !isFound;
    if (link) {
      link.hidden = !isFound;
      if (isFound) count += 1;
    }
  }
  for (const section of all('main section')) section.hidden = !all('details', section).some((one) => !one.hidden);
  for (const section of all('.menu section')) {
    const links = all('li', section);
    section.hidden = links.length > 0 && links.every((one) => one.hidden);
  }
  found.textContent = words.length === 0 ? '' : count === 1 ? '1 endpoint' : count + ' endpoints';
}
query.addEventListener('input', filter);
document.getElementById('search').hidden = false;

// A link to what the search hides ends the search.
addEventListener('hashchange', () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || !target.closest('[hidden]')) return;
  query.value = '';
  filter();
  const closed = target.closest('details');
  if (closed) closed.open = true;
  target.scrollIntoView();
});
`;
