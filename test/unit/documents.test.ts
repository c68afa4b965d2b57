import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

it('docs/dependencies.md lists exactly the packages of package.json', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const rows = read('docs/dependencies.md').matchAll(/^\| (`.+?) \|/gm);
  const listed = [...rows].flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
  expect(listed.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
});

describe('the table of endpoints in docs/specification.md', () => {
  const specification = read('docs/specification.md');
  const rows = tableRows(specification);
  const { paths } = JSON.parse(read('openapi.json')) as OpenApi;
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [nameOf(method, path), operation] as const),
    ),
  );

  it('has each operation of openapi.json once', () => {
    const listed = rows.map(({ operation }) => operation);
    expect(listed.filter((one, index) => listed.indexOf(one) !== index)).toEqual([]);
    expect([...operations.keys()].filter((one) => !listed.includes(one))).toEqual([]);
    // Pages and files, which openapi.json does not describe.
    const others = ['/docs', '/openapi.json', '/dashboard/', '/embed/v1.js', '/metrics'];
    const expected = [...operations.keys(), ...others.map((path) => `GET ${path}`)];
    expect(listed.filter((one) => !expected.includes(one))).toEqual([]);
  });

  it('names the scope with which an API key may call an operation of sessions', () => {
    const scopes = rows.map(({ operation, caller }) => [operation, /key `([\w:]+)`/.exec(caller)?.[1]]);
    const expected = rows.map(({ operation }) => {
      const security = operations.get(operation)?.security ?? [];
      const isOfSession = security.some((one) => 'session' in one);
      return [operation, isOfSession ? security.find(({ key }) => key)?.key?.[0] : undefined];
    });
    expect(scopes).toEqual(expected);
  });

  it('names the section that describes the operation', () => {
    const described = headings(specification);
    const ofOpenApi = rows.filter(({ operation }) => operations.has(operation));
    expect(ofOpenApi.filter(({ operation, section }) => described.get(operation) !== section)).toEqual([]);
  });
});

interface OpenApi {
  paths: Record<string, Record<string, { security?: { session?: string[]; key?: string[] }[] }>>;
}

/** For example `GET /auth/users/:id`, as the specification writes it. */
function nameOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** The operations of the table; "`PUT` of the same path" stands for the path before it. */
function tableRows(specification: string) {
  const table = specification.split('## 4 Endpoints\n')[1]?.split('\n#### ')[0] ?? '';
  let path = '';
  return [...table.matchAll(/^\| (`.+?) \| (.+?) \| ([\d.]+) \|$/gm)].flatMap(
    ([, names = '', caller = '', section = '']) =>
      [...names.matchAll(/`([A-Z]+)(?: (\/\S*))?`/g)].map(([, method = '', own]) => {
        path = own ?? path;
        return { operation: `${method} ${path}`, caller, section };
      }),
  );
}

/** The section of each operation that has a heading of its own. */
function headings(specification: string): Map<string, string> {
  let section = '';
  const found = new Map<string, string>();
  for (const [, number, operation] of specification.matchAll(/^(?:### ([\d.]+) |#### ([A-Z]+ \/\S*)$)/gm)) {
    if (number) section = number;
    else found.set(operation ?? '', section);
  }
  return found;
}
