import type { Field, Schema } from '../api/endpoints.ts';
import { type Choice, type FormControl, formControl, sampleData } from '../schema-editor/rules.ts';

export interface Target {
  /** The origin of the service, without a trailing slash. */
  origin: string;
  sourceAppId: string;
  schema: Schema;
}

const EMAIL = 'ada@example.com';

/** A shell command that submits one record. */
export function curlSnippet({ origin, sourceAppId, schema }: Target): string {
  const body = JSON.stringify({ email: EMAIL, data: sampleData(schema) }, null, 2);
  return [
    `curl ${shellQuote(`${origin}/v1/users`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${shellQuote(`x-app-id: ${sourceAppId}`)} \\`,
    `  -d ${shellQuote(body)}`,
  ].join('\n');
}

/** JavaScript that submits one record. */
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
const result = await response.json();
if (!response.ok) {
  // { message, errors: [{ path: 'data.…', message }] }
  throw new Error([result.message, ...(result.errors ?? []).map((e) => \`\${e.path} \${e.message}\`)].join('\\n'));
}
console.log('Stored as', result.id);
`;
}

/**
 * A complete HTML page with a form for the schema. Labels and values come from the administrator,
 * so they are escaped. The form sends one `Idempotency-Key` per submission and repeats it on
 * retries.
 */
export function htmlSnippet({ origin, sourceAppId, schema }: Target): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>${escapeHtml(sourceAppId)}</title>
<form id="user-form">
  <p><label>Email<br><input name="email" type="email" required></label></p>
${schema.fields.map(paragraph).join('\n')}
  <p><button>Send</button> <output></output></p>
</form>
<script>
  const form = document.getElementById('user-form');
  const button = form.querySelector('button');
  const output = form.querySelector('output');
  // A submission without a response keeps its key, so that a retry is not applied twice.
  let pending;
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
    const body = JSON.stringify({ email: form.elements.email.value, data });
    if (pending?.body !== body) pending = { body, key: newKey() };
    button.disabled = true;
    try {
      const response = await fetch(${scriptText(`${origin}/v1/users`)}, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'x-app-id': ${scriptText(sourceAppId)},
          'Idempotency-Key': pending.key,
        },
        body,
      });
      const result = await response.json();
      const problems = (result.errors || []).map((e) => e.path.replace('data.', '') + ' ' + e.message);
      output.textContent = response.ok ? 'Thank you.' : [result.message, ...problems].join('. ');
      if (response.ok) {
        pending = undefined;
        form.reset();
      }
    } catch {
      output.textContent = 'The form could not be sent. Please try again.';
    } finally {
      button.disabled = false;
    }
  });

  // crypto.randomUUID() exists only on HTTPS pages.
  function newKey() {
    return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join('-');
  }
</script>
`;
}

function paragraph(field: Field): string {
  const form = formControl(field);
  // A browser would refuse to send a form with an empty control that is required but not shown.
  return form.hidden ? `  <p hidden>${control({ ...form, required: false })}</p>` : `  <p>${control(form)}</p>`;
}

function control({ key, type, attributes, choices, required: isRequired, ...form }: FormControl): string {
  const required = isRequired && type !== 'list' ? ' required' : '';
  const name = `name="${key}" data-control="${type}"${required}`;
  const label = escapeHtml(form.label);
  const initial = escapeHtml(form.default ?? '');
  const value = initial === '' ? '' : ` value="${initial}"`;
  const bounds = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeHtml(String(value))}"`);
  switch (type) {
    case 'checkbox':
      return `<label><input type="checkbox" ${name}${form.default === 'true' ? ' checked' : ''}> ${label}</label>`;
    case 'radio':
    case 'select':
      return `<label>${label}<br><select ${name}>
    <option value="">${escapeHtml(String(attributes.placeholder ?? 'Select an option'))}</option>
${choices.map((choice) => option(choice, form.default)).join('\n')}
  </select></label>`;
    case 'textarea':
      // The first line break of the content would be left out.
      return `<label>${label}<br><textarea ${name}${bounds.join('')}>\n${initial}</textarea></label>`;
    case 'number':
    case 'date':
    case 'tel':
    case 'url':
    case 'email':
      return `<label>${label}<br><input type="${type}" ${name}${bounds.join('')}${value}></label>`;
    case 'text':
    case 'list':
      return `<label>${label}<br><input ${name}${bounds.join('')}${value}></label>`;
  }
}

function option({ value, label }: Choice, initial: string | undefined): string {
  const selected = value !== '' && value === initial ? ' selected' : '';
  return `    <option value="${escapeHtml(value)}"${selected}>${escapeHtml(label)}</option>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * A string literal for an inline script. Escapes `<`, so that `</script>` cannot end the script.
 */
function scriptText(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
