import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readSpecification } from '../support/citations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

it('docs/dependencies.md lists exactly the packages of package.json and test/package.json', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const { devDependencies: forTests } = JSON.parse(read('test/package.json'));
  const rows = read('docs/dependencies.md').matchAll(/^\| (`.+?) \|/gm);
  const listed = [...rows].flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
  expect(listed.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies, ...forTests }).sort());
});

describe('the table of endpoints in docs/specification', () => {
  const endpoints = read('docs/specification/endpoints.md');
  const rows = tableRows(endpoints);
  const { paths } = JSON.parse(read('openapi.json')) as OpenApi;
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [nameOf(method, path), operation] as const),
    ),
  );

  it('has each operation of openapi.json once', () => {
    expect(rows.map(({ operation }) => operation).sort()).toEqual([...operations.keys()].sort());
    // Pages and files, which openapi.json does not describe.
    const others = ['/docs', '/openapi.json', '/dashboard/', '/embed/v1.js', '/metrics'];
    expect(others.filter((path) => !endpoints.replaceAll('\n', ' ').includes(`\`GET ${path}\``))).toEqual([]);
  });

  it('names the scope with which an API key may call an operation', () => {
    const scopes = rows.map(({ operation, caller }) => [operation, /key `([\w:]+)`/.exec(caller)?.[1]]);
    const expected = rows.map(({ operation }) => {
      const security = operations.get(operation)?.security ?? [];
      return [operation, security.find(({ key }) => key)?.key?.[0]];
    });
    expect(scopes).toEqual(expected);
  });

  it('links the heading that describes the operation', () => {
    const described = headings();
    expect(rows.filter(({ operation, file }) => described.get(operation) !== file)).toEqual([]);
  });
});

interface OpenApi {
  paths: Record<string, Record<string, { security?: { session?: string[]; key?: string[] }[] }>>;
}

/** For example `GET /auth/users/:id`, as the specification writes it. */
function nameOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** The operations of the table. */
function tableRows(endpoints: string) {
  const rows = endpoints.matchAll(/^\| \[([A-Z]+ \S+)\]\(([\w-]+\.md)#\S+\) \| (.+?) \| .*\|$/gm);
  return [...rows].map(([, operation = '', file = '', caller = '']) => ({ operation, caller, file }));
}

/** The file of each operation that has a heading of its own. */
function headings(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, text] of Object.entries(readSpecification(root))) {
    for (const [, operation = ''] of text.matchAll(/^### ([A-Z]+ \/\S*)$/gm)) found.set(operation, basename(path));
  }
  return found;
}
