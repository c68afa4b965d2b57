import { html } from 'ghtml';
import { type ApiDocument, exampleOf, nameOf, type Operation, type Schema } from './docs-document.ts';
import { curlOf, fetchOf, ORIGIN } from './docs-samples.ts';
import { SCRIPT } from './docs-script.ts';

/** The only style of the page: its policy allows it by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f26; --page: #f7f8fa; --sheet: #fff; --line: #d5d9e0; --dim: #565e6b; --link: #2f46b5;
  --get: #1c5d99; --post: #1c6b2f; --put: #7a4b00; --patch: #6b3fa0; --delete: #a8201a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e9ee; --page: #14161a; --sheet: #1a1d23; --line: #3a404b; --dim: #a3abb8; --link: #a5b4ff;
    --get: #8fc1ff; --post: #8ce99a; --put: #ffd166; --patch: #d0b3ff; --delete: #ff9d97; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header { max-width: 80rem; padding: 0.5rem 1.5rem; overflow-wrap: anywhere; }
.body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
main { max-width: 60rem; padding: 0 1.5rem 4rem; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; box-sizing: border-box; max-height: 100vh; overflow-y: auto; padding: 1rem 1.5rem; }
a { color: var(--link); }
h1 { margin: 0.75rem 0; font-size: 1.6rem; }
h2 { margin: 2.5rem 0 0.5rem; }
main > section:first-child h2 { margin-top: 1rem; }
h3 { margin: 1rem 0 0.25rem; font-size: 1rem; }
p { margin: 0.25rem 0; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 1rem; background: var(--sheet); }
.skip:focus { left: 0; z-index: 1; }
label { display: block; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: 0.4rem 0.6rem; border: 1px solid var(--dim); border-radius: 6px; background: var(--sheet); color: inherit; font: inherit; }
.menu { margin: 0.75rem 0 0; border: 0; background: none; }
.menu summary { padding: 0.25rem 0; font-weight: 600; }
.menu > div { padding: 0; }
.menu h2 { margin: 0.75rem 0 0.1rem; font-size: 0.9rem; }
.menu ul { margin: 0; padding: 0; list-style: none; }
.menu li a { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr); min-height: 1.5rem; font-size: 0.85rem; text-decoration: none; overflow-wrap: anywhere; }
.menu li a:hover { text-decoration: underline; }
details { margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
summary { padding: 0.6rem 1rem; cursor: pointer; }
summary span { color: var(--dim); }
details > div { padding: 0 1rem 1rem; scroll-margin-top: 4rem; }
code, pre { font: 0.9em ui-monospace, Menlo, Consolas, monospace; }
b { display: inline-block; min-width: 4rem; font: 700 0.85em ui-monospace, Menlo, Consolas, monospace; }
.menu b { min-width: 0; line-height: 1.8; }
.get { color: var(--get); }
.post { color: var(--post); }
.put { color: var(--put); }
.patch { color: var(--patch); }
.delete { color: var(--delete); }
pre { margin: 0.25rem 0; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
.sample { display: flex; align-items: center; justify-content: space-between; margin-top: 0.5rem; }
button { min-height: 1.75rem; padding: 0.1rem 0.75rem; border: 1px solid var(--dim); border-radius: 6px; background: var(--sheet); color: inherit; font: inherit; font-size: 0.85rem; cursor: pointer; }
main ul { margin: 0.25rem 0; padding-left: 1.25rem; }
main li { margin: 0.2rem 0; }
.dim { color: var(--dim); }
[hidden] { display: none; }
@media (max-width: 60rem) {
  .body { display: block; }
  header, nav, main { padding-inline: 1rem; }
  nav { position: static; max-height: none; padding-block: 0.5rem; }
}
`;

/**
 * Returns the page that shows an OpenAPI document: each operation with who may call it, its
 * parameters, its body with an example, its responses, and commands that call it; then the types
 * that they share. Without its script, it has no search and no buttons that copy.
 */
export function renderApiPage(api: ApiDocument): string {
  const { title, version, description = '' } = api.info;
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = api.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    const shown = own.map(({ path, method, operation }) => operationHtml(api, method, path, operation));
    return html`<section aria-labelledby="${slug(name)}"><h2 id="${slug(name)}">${name}</h2>!${shown}</section>`;
  });
  const schemas = Object.entries(api.components.schemas).map(
    ([name, schema]) =>
      html`<details><summary><code>${name}</code></summary><div id="type-${name}">!${schemaHtml(schema)}</div></details>`,
  );
  const menu = api.tags.map(({ name }) => {
    const links = operations.filter(({ operation }) => operation.tags[0] === name).map(linkHtml);
    return html`<section><h2><a href="#${slug(name)}">${name}</a></h2><ul>!${links}</ul></section>`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: API</title>
<style>!${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the endpoints</a>
<header>
<p><a href="/dashboard/">Back to the dashboard</a></p>
<h1>${title}: API ${version}</h1>
<p>!${text(description)}</p>
<p>Programs read the same as <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
</header>
<div class="body">
<nav aria-label="Endpoints">
<div id="search" hidden><label for="query">Search endpoints</label><input id="query" type="search" autocomplete="off" spellcheck="false"><p id="found" class="dim" role="status"></p></div>
<details class="menu" open><summary>Endpoints</summary><div>
!${menu}<section><h2><a href="#types">Types</a></h2></section>
</div></details>
</nav>
<main id="main" tabindex="-1">
!${sections}<section aria-labelledby="types"><h2 id="types">Types</h2>!${schemas}</section>
</main>
</div>
<script>!${SCRIPT}</script>
</body>
</html>
`;
}

interface Listed {
  path: string;
  method: string;
  operation: Operation;
}

const linkHtml = ({ path, method, operation: { operationId, summary } }: Listed): string =>
  html`<li data-found="${operationId}"><a href="#${operationId}" title="${summary}">!${methodHtml(method)} <span>${path}</span></a></li>`;

const methodHtml = (method: string): string => html`<b class="${method}">${method.toUpperCase()}</b>`;

function operationHtml(api: ApiDocument, method: string, path: string, operation: Operation): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses, security } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => bodyHtml(api, type, schema));
  const listed = parameters.map(
    ({ in: place, name, required = false, schema, ...own }) =>
      html`<li><code>${name}</code> <span class="dim">${place}, ${required ? 'required' : 'optional'},</span> !${schemaHtml({ description: own.description ?? '', ...schema })}</li>`,
  );
  return html`<details data-operation="${operationId}">
<summary>!${methodHtml(method)} <code>${path}</code> <span>${summary}</span></summary>
<div id="${operationId}">
<p>!${text(description)}</p>
<p class="dim">Callers: ${callers(security)}.</p>
!${listed.length > 0 ? html`<h3>Parameters</h3><ul>!${listed}</ul>` : ''}
!${bodies.length > 0 ? html`<h3>Body</h3>!${bodies}` : ''}
<h3>Call it</h3>
!${sampleHtml('curl', curlOf(api, method, path, operation))}
!${sampleHtml('fetch', fetchOf(api, method, path, operation))}
<h3>Responses</h3><ul>!${responsesHtml(api, responses)}</ul>
</div>
</details>
`;
}

/** Code to copy. The script replaces the address by that of the page. */
function sampleHtml(name: string, code: string): string {
  const [before = '', ...rest] = code.split(ORIGIN);
  const filled = rest.map((part) => html`<span data-origin>${ORIGIN}</span>${part}`);
  return html`<div class="sample"><span class="dim">${name}</span><button type="button" hidden>Copy</button></div>
<pre data-sample="${name}">${before}!${filled}</pre>`;
}

/** Who may call an operation, such as `a session, or an API key with the scope export`. */
function callers(security: Operation['security']): string {
  const named = security.flatMap((one) => {
    if (one.session) return ['a session'];
    if (one.key) return [one.key.length > 0 ? `an API key with the scope ${one.key.join(', ')}` : 'an API key'];
    return ['anyone'];
  });
  return named.join(', or ') || 'anyone';
}

function bodyHtml(api: ApiDocument, type: string, schema: Schema): string {
  const example = exampleOf(api, schema);
  const shown = example === undefined ? '' : html`<p>Example:</p><pre>${JSON.stringify(example, null, 2)}</pre>`;
  return html`<p><code>${type}</code>: !${schemaHtml(schema)}</p>!${shown}`;
}

/** The refusals have one body, so that a line lists each group of them. */
function responsesHtml(api: ApiDocument, responses: Operation['responses']): string {
  const refusals = new Map<string, string[]>();
  let listed = '';
  for (const [status, found] of Object.entries(responses)) {
    const answer = '$ref' in found ? api.components.responses[nameOf(found.$ref)] : found;
    if (!answer) continue;
    const contents = Object.entries(answer.content ?? {});
    if (Number(status) < 400) {
      const bodies = contents.map(([type, { schema }]) => bodyHtml(api, type, schema));
      listed += html`<li>${status} ${answer.description}!${bodies}</li>`;
    } else {
      const body = contents
        .map(([type, { schema }]) => html`<code>${type}</code>: !${schemaHtml(schema)}`)
        .join(', or ');
      refusals.set(body, [...(refusals.get(body) ?? []), `${status} ${answer.description}`]);
    }
  }
  for (const [body, statuses] of refusals) listed += html`<li>${statuses.join(', ')}: !${body}</li>`;
  return listed;
}

/** Returns the type, the limits, the description and the members of a schema. */
function schemaHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#type-${name}">${name}</a>`;
  }
  const { description = '', properties = {}, required = [], items, additionalProperties, example } = schema;
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const others = typeof additionalProperties === 'object' ? { 'any other name': additionalProperties } : {};
  const members = Object.entries({ ...properties, ...others }).map(
    ([name, member]) =>
      html`<li><code>${name}</code>${required.includes(name) ? ' required,' : ''} !${schemaHtml(member)}</li>`,
  );
  const parts = [
    html`<span class="dim">${[typeOf(schema), ...limitsOf(schema)].filter(Boolean).join(', ')}</span>`,
    text(description),
    example === undefined || typeof example === 'object' ? '' : html`Example: <code>${JSON.stringify(example)}</code>`,
    items ? html`Items: !${schemaHtml(items)}` : '',
    members.length > 0 ? html`<ul>!${members}</ul>` : '',
    choices.length > 0 ? html`<ul>!${choices.map((one) => html`<li>!${schemaHtml(one)}</li>`)}</ul>` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

function typeOf({ type, format, anyOf, oneOf, const: only, enum: values }: Schema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (anyOf ?? oneOf) return 'one of:';
  const types = [type ?? 'any value'].flat().join(' or ');
  return format === undefined ? types : `${types} (${format})`;
}

const LIMITS = ['default', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const;

function limitsOf(schema: Schema): string[] {
  // Without a limit, a schema of whole numbers has those of JavaScript.
  const isNoLimit = (value: unknown) => typeof value === 'number' && Math.abs(value) >= 999_999_999_999_999;
  return LIMITS.filter((name) => schema[name] !== undefined && !isNoLimit(schema[name])).map(
    (name) => `${name} ${name === 'pattern' ? schema.pattern : JSON.stringify(schema[name])}`,
  );
}

const slug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** Returns the HTML of a text of the document: what is between backticks is code. */
function text(source: string): string {
  const sentence = source === '' || source.endsWith('.') ? source : `${source}.`;
  return sentence
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
    .join('');
}
