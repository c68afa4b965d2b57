import { html } from 'ghtml';

/** The parts of an OpenAPI document that the page shows. */
interface ApiDocument {
  info: { title: string; version: string; description?: string };
  tags: readonly { name: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Answer>>;
    securitySchemes: Readonly<Record<string, { description?: string; name?: string }>>;
  };
}

interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, Answer | { $ref: string }>>;
}

interface Answer {
  description: string;
  content?: Content;
}

type Content = Readonly<Record<string, { schema: Schema }>>;

/** A JSON Schema, with the keywords that the page shows. */
interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  example?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

/** The only style of the page: its policy allows it by its hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f26; --page: #f7f8fa; --sheet: #fff; --line: #d5d9e0; --dim: #565e6b; --link: #2f46b5; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e9ee; --page: #14161a; --sheet: #1a1d23; --line: #3a404b; --dim: #a3abb8; --link: #a5b4ff; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header, main, nav { max-width: 60rem; margin: 0 auto; padding: 0 1rem; overflow-wrap: anywhere; }
main { padding-bottom: 4rem; }
a { color: var(--link); }
h2 { margin: 2.5rem 0 0.5rem; }
h3 { margin: 1rem 0 0.25rem; font-size: 1rem; }
p { margin: 0.25rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
nav a { display: inline-block; min-height: 1.5rem; }
details { margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
summary { padding: 0.6rem 1rem; cursor: pointer; }
summary span { color: var(--dim); }
details > div { padding: 0 1rem 1rem; }
code, pre { font: 0.9em ui-monospace, Menlo, Consolas, monospace; }
b { display: inline-block; min-width: 4rem; font: 700 0.85em ui-monospace, Menlo, Consolas, monospace; }
pre { margin: 0.25rem 0; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
main ul { margin: 0.25rem 0; padding-left: 1.25rem; }
main li { margin: 0.2rem 0; }
.dim { color: var(--dim); }
`;

/**
 * Returns the page that shows an OpenAPI document: each operation with who may call it, its
 * parameters, its body with an example, and its responses; then the types that they share. It
 * needs no script.
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
  const names = [...api.tags.map((tag) => tag.name), 'Types'];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: API</title>
<style>!${STYLE}</style>
</head>
<body>
<header>
<h1>${title}: API ${version}</h1>
<p>!${text(description)}</p>
<p>Programs read the same as <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
</header>
<nav aria-label="Sections"><ul>!${names.map((name) => html`<li><a href="#${slug(name)}">${name}</a></li>`)}</ul></nav>
<main>
!${sections}<section aria-labelledby="types"><h2 id="types">Types</h2>!${schemas}</section>
</main>
</body>
</html>
`;
}

function operationHtml(api: ApiDocument, method: string, path: string, operation: Operation): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses, security } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => bodyHtml(api, type, schema));
  const listed = parameters.map(
    ({ in: place, name, required = false, schema, ...own }) =>
      html`<li><code>${name}</code> <span class="dim">${place}, ${required ? 'required' : 'optional'},</span> !${schemaHtml({ description: own.description ?? '', ...schema })}</li>`,
  );
  return html`<details>
<summary><b>${method.toUpperCase()}</b> <code>${path}</code> <span>${summary}</span></summary>
<div id="${operationId}">
<p>!${text(description)}</p>
<p class="dim">Callers: ${callers(security)}.</p>
!${listed.length > 0 ? html`<h3>Parameters</h3><ul>!${listed}</ul>` : ''}
!${bodies.length > 0 ? html`<h3>Body</h3>!${bodies}` : ''}
<h3>Responses</h3><ul>!${responsesHtml(api, responses)}</ul>
</div>
</details>
`;
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

/** Returns an example of values that a schema accepts; undefined if it does not declare enough. */
function exampleOf(api: ApiDocument, schema: Schema): unknown {
  if (schema.$ref !== undefined) {
    const named = api.components.schemas[nameOf(schema.$ref)];
    return named && exampleOf(api, named);
  }
  if (schema.example !== undefined) return schema.example;
  const fixed = schema.const ?? schema.enum?.[0] ?? schema.default;
  if (fixed !== undefined) return fixed;
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(api, choice);
  if (schema.type === 'boolean') return true;
  if (schema.items) {
    const item = exampleOf(api, schema.items);
    return item === undefined ? undefined : [item];
  }
  if (!schema.properties) return undefined;
  const { properties, required = [] } = schema;
  const members = Object.entries(properties).map(([name, member]) => [name, exampleOf(api, member)] as const);
  if (members.some(([name, value]) => value === undefined && required.includes(name))) return undefined;
  const known = members.filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

const slug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** Returns the HTML of a text of the document: what is between backticks is code. */
function text(source: string): string {
  const sentence = source === '' || source.endsWith('.') ? source : `${source}.`;
  return sentence
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
    .join('');
}
