import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json'));
const forTests: string[] = Object.keys(JSON.parse(read('test/package.json')).devDependencies);

/** The packages that the files of a folder import when they run. */
function importedBy(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const imports = names
    .filter((name) => /\.tsx?$|\.css$/.test(name))
    .flatMap((name) => [
      ...read(join(folder, name)).matchAll(
        /^(?:import|export|\} from|@import)\b(?! type\b)(?:[^;'"]*?from)?\s*'([^']+)'|import\(\s*'([^']+)'/gm,
      ),
    ]);
  const packages = imports
    .map(([, statement, call]) => statement ?? call ?? '')
    .filter((specifier) => !/^(?:[.#]|node:)/.test(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
  return [...new Set(packages)].sort();
}

it('dependencies are the packages that the service imports', () => {
  expect(importedBy('src')).toEqual(Object.keys(dependencies).sort());
});

it('devDependencies are the packages of the pages and the programs that build', () => {
  const programs = ['@vitejs/plugin-react', 'typescript', 'vite'];
  const pages = importedBy('web/src').concat(importedBy('web/embed'));
  const expected = new Set([...pages, ...programs].filter((name) => !(name in dependencies)));
  expect(Object.keys(devDependencies).sort()).toEqual([...expected].sort());
});

it('no package of the service runs a script at its installation, except the one with native code', () => {
  const { packages }: { packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> } = JSON.parse(
    read('package-lock.json'),
  );
  const running = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  expect(running.map(([path]) => path)).toEqual(['node_modules/bcrypt']);
});

it('no package of the tests is one of the others', () => {
  expect(forTests.filter((name) => name in dependencies || name in devDependencies)).toEqual([]);
});
