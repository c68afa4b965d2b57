import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

it('docs/dependencies.md lists exactly the packages of package.json', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const rows = read('docs/dependencies.md').matchAll(/^\| (`.+?) \|/gm);
  const listed = [...rows].flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
  expect(listed.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
});

it('the README lists every variable of the configuration', () => {
  const readme = read('README.md');
  const variables = [...read('src/core/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
  expect(variables.length).toBeGreaterThan(15);
  // PATH belongs to the operating system.
  const missing = variables.filter((name) => name !== 'PATH' && !readme.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
