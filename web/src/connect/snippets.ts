import type { Field, Schema } from '../api/endpoints.ts';
import { formControl, sampleData } from '../schema-editor/rules.ts';

export interface Target {
  /** The service's address, without a slash at its end. */
  origin: string;
  sourceAppId: string;
  schema: Schema;
}

const EMAIL = 'ada@example.com';

/** A command for a terminal that submits one record. */
export function curlSnippet({ origin, sourceAppId, schema }: Target): string {
  const body = JSON.stringify({ email: EMAIL, data: sampleData(schema) }, null, 2);
  return [
    `curl ${quoted(`${origin}/v1/users`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${quoted(`x-app-id: ${sourceAppId}`)} \\`,
    `  -d ${quoted(body)}`,
  ].join('\n');
}

/** The same for a script. */
export function fetchSnippet({ origin, sourceAppId, schema }: Target): string {
  const data = JSON.stringify(sampleData(schema), null, 2).replaceAll('\n', '\n    ');
  return `const response = await fetch(${JSON.stringify(`${origin}/v1/users`)}, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'x-app-id': ${JSON.stringify(sourceAppId)} },
  body: JSON.stringify({
    email: ${JSON.stringify(EMAIL)},
    data: ${data},
  }),
});
const answer = await response.json();
if (!response.ok) {
  // { message, errors: [{ path: 'data.…', message }] }
  throw new Error([answer.message, ...(answer.errors ?? []).map((e) => \`\${e.path} \${e.message}\`)].join('\\n'));
}
console.log('Stored as', answer.id);
`;
}

/** A whole page with a form for the schema. Labels and values are the admin's, so they are written as text, never as markup. */
export function htmlSnippet({ origin, sourceAppId, schema }: Target): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>${markup(sourceAppId)}</title>
<form id="user-form">
  <p><label>Email<br><input name="email" type="email" required></label></p>
${schema.fields.map((field) => `  <p>${control(field)}</p>`).join('\n')}
  <p><button>Send</button> <output></output></p>
</form>
<script>
  const form = document.getElementById('user-form');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const data = {};
    for (const input of form.querySelectorAll('[data-control]')) {
      const { control } = input.dataset;
      if (control === 'checkbox') data[input.name] = input.checked;
      else if (input.value === '') continue;
      else if (control === 'number') data[input.name] = Number(input.value);
      else if (control === 'list') data[input.name] = [input.value];
      else data[input.name] = input.value;
    }
    const output = form.querySelector('output');
    try {
      const response = await fetch(${script(`${origin}/v1/users`)}, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'x-app-id': ${script(sourceAppId)} },
        body: JSON.stringify({ email: form.elements.email.value, data }),
      });
      const answer = await response.json();
      const problems = (answer.errors || []).map((e) => e.path.replace('data.', '') + ' ' + e.message);
      output.textContent = response.ok ? 'Thank you.' : [answer.message, ...problems].join('. ');
      if (response.ok) form.reset();
    } catch {
      output.textContent = 'That did not work. Please try again.';
    }
  });
</script>
`;
}

function control(field: Field): string {
  const { type, attributes, choices } = formControl(field);
  const required = field.required && type !== 'list' ? ' required' : '';
  const name = `name="${field.key}" data-control="${type}"${required}`;
  const label = markup(field.label || field.key);
  const bounds = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${markup(String(value))}"`);
  switch (type) {
    case 'checkbox':
      return `<label><input type="checkbox" ${name}> ${label}</label>`;
    case 'select':
      return `<label>${label}<br><select ${name}>
    <option value="">Choose …</option>
${choices.map((value) => `    <option value="${markup(value)}">${markup(value)}</option>`).join('\n')}
  </select></label>`;
    case 'number':
    case 'date':
      return `<label>${label}<br><input type="${type}" ${name}${bounds.join('')}></label>`;
    case 'text':
    case 'list':
      return `<label>${label}<br><input ${name}${bounds.join('')}></label>`;
  }
}

function markup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A text in a script in a page: the page's parser must not see an end of the script in it. */
function script(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}

/** A text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
