import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderTables } from '../../scripts/docs/tables.mjs';
import { ACTIONS } from '../../src/features/audit/audit.routes.ts';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { document } from '../support/server/openapi.ts';

const folder = new URL('../../docs/specification/', import.meta.url);
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
);
const endpoints = listEndpoints();

describe('the tables of the specification', () => {
  it('are those that `npm run docs` writes', () => {
    expect(renderTables(files, endpoints, document)).toEqual(files);
  });

  it('differ when a declaration changes', () => {
    const [first, ...others] = endpoints;
    if (!first) throw new Error('there is no endpoint');
    const changed = [{ ...first, spec: { ...first.spec, audit: 'users.listed' as const } }, ...others];
    expect(renderTables(files, changed, document)).not.toEqual(files);
  });

  it('need a heading for each endpoint', () => {
    const { 'webhooks.md': _, ...rest } = files;
    expect(() => renderTables(rest, endpoints, document)).toThrow('no heading for GET /auth/webhooks');
  });
});

it('endpoints declare events of the audit log', () => {
  const declared = endpoints.flatMap(({ spec }) => spec.audit ?? []);
  expect(declared.filter((event) => !ACTIONS.some((action) => action === event))).toEqual([]);
  expect(declared.length).toBeGreaterThan(30);
});

describe('the text of an operation', () => {
  const operations = endpoints.map(({ name, spec }) => [`${spec.method.toUpperCase()} ${spec.path}`, name] as const);

  it.each(operations)('%s names only statuses of openapi.json', (operation, name) => {
    expect(statusesIn(textOf(operation)).filter((status) => !statusesOf(name).includes(status))).toEqual([]);
  });
});

/** The text from the heading of an operation to the next heading. */
function textOf(operation: string): string {
  const [, text = ''] = Object.values(files).join('\n').split(`\n### ${operation}\n`);
  return text.split(/\n#+ /)[0] ?? '';
}

/** Numbers that mean a redirect, 304 or a refusal. */
function statusesIn(text: string): string[] {
  const withoutLinks = text.replace(/\]\([^)]*\)/g, ']');
  return [...withoutLinks.matchAll(/(?<![\d,.`])(?:30[34]|[45]\d\d)(?!\d|[,.]\d| characters)/g)].map(
    ([status]) => status,
  );
}

function statusesOf(operationId: string): string[] {
  const all = Object.values<Record<string, { operationId: string; responses: object }>>(document.paths);
  const operation = all.flatMap((methods) => Object.values(methods)).find((one) => one.operationId === operationId);
  return Object.keys(operation?.responses ?? {});
}
