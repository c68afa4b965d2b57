import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { databaseUri } from '../server/process.ts';
import { runTool } from '../server/tool.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The service in the examples. */
export const EXAMPLE = 'https://forms.example.com';

interface Block {
  language: string;
  code: string;
}

/** Returns the blocks of code of a page of docs/ that have a name after their language, by name. */
export function blocksOf(page: string): ReadonlyMap<string, Block> {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const found = text.matchAll(/```(\w+) (\S+)\n([\s\S]*?)\n```/g);
  return new Map([...found].map(([, language = '', name = '', code = '']) => [name, { language, code: `${code}\n` }]));
}

/** Returns a block of docs/recipes.md, of the service at `url`. */
export function recipe(name: string, url = EXAMPLE): string {
  const block = blocksOf('recipes.md').get(name);
  if (!block) throw new Error(`docs/recipes.md has no block ${name}`);
  return block.code.replaceAll(EXAMPLE, url);
}

/** Writes what the recipes in TypeScript import: the types of their app, and the packages. */
export async function writeTypes(folder: string, database: string): Promise<void> {
  const env = { MONGODB_URI: databaseUri(database) };
  const { code, stderr } = await runTool(['types', 'contact', '--out', join(folder, 'contact.ts')], env);
  if (code !== 0) throw new Error(stderr);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Bundles a module for browsers, or for Node.js. */
export async function bundle(folder: string, name: string, code: string, isProgram = false): Promise<string> {
  const entry = join(folder, name);
  await writeFile(entry, code);
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
    resolve: { alias: { 'user-collection-service/client': join(root, 'web', 'client', 'index.ts') } },
    // In a test, JSX would be that of development.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      write: false,
      target: 'es2022',
      ...(isProgram ? { ssr: entry } : { lib: { entry, formats: ['es'], fileName: 'page' } }),
    },
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  const [chunk] = [built].flat()[0]?.output ?? [];
  if (!chunk) throw new Error(`${name} has no bundle`);
  return chunk.code;
}
