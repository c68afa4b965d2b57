import { DomUtils, parseDocument } from 'htmlparser2';
import type { Entries } from '../server/forms.ts';

type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];

/**
 * Returns what a browser sends when a person presses the button of a form on this page: the entries
 * of its successful controls, in their order.
 *
 * @param changed what the person enters instead, by name; it goes into the last control of the name
 */
export function entriesOfPage(html: string, changed: Readonly<Record<string, string>> = {}): Entries {
  const [form] = DomUtils.getElementsByTagName('form', parseDocument(html));
  if (!form) throw new Error('the page has no form');
  const controls = DomUtils.findAll(({ name }) => ['input', 'select', 'textarea'].includes(name), form.children);
  const entries = controls.flatMap((control) => {
    const name = control.attribs.name ?? '';
    const value = name === '' || 'disabled' in control.attribs ? undefined : textOf(control);
    return value === undefined ? [] : [[name, value.replace(/\r\n?|\n/g, '\r\n')] as [string, string]];
  });
  for (const [name, value] of Object.entries(changed)) {
    const entry = entries.findLast(([one]) => one === name);
    if (entry) entry[1] = value;
    else entries.push([name, value]);
  }
  return entries;
}

/** Undefined for a control that a browser does not send. */
function textOf(control: Element): string | undefined {
  const { type = 'text', value = '' } = control.attribs;
  if (control.name === 'textarea') return DomUtils.textContent(control).replace(/^\n/, '');
  if (control.name === 'select') {
    const options = DomUtils.getElementsByTagName('option', control);
    const chosen = options.find(({ attribs }) => 'selected' in attribs) ?? options[0];
    return chosen && (chosen.attribs.value ?? DomUtils.textContent(chosen));
  }
  if (type === 'checkbox' || type === 'radio') return 'checked' in control.attribs ? value : undefined;
  return SANITIZED[type]?.(value) ?? value;
}

/** What browsers make of the value of some types (HTML, "value sanitization algorithm"). */
const SANITIZED: Readonly<Record<string, (value: string) => string>> = {
  text: withoutBreaks,
  tel: withoutBreaks,
  url: (value) => withoutBreaks(value).trim(),
  email: (value) => withoutBreaks(value).trim(),
  number: (value) => (/^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? value : ''),
  date: (value) => (/^\d{4,}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : ''),
};

function withoutBreaks(value: string): string {
  return value.replace(/[\r\n]/g, '');
}
