// @module-tag long

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Leftovers, Process } from '../support/server/process.ts';

const root = join(import.meta.dirname, '..', '..');
const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

let folder: string;
/** The paths in the package. */
let files: string[];

/** Runs npm until it exits; resolves with its output. */
async function npm(args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await leftovers.keep(new Process(['npm', ...args], {}, cwd)).ended;
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** The names of the files in a folder and its folders. */
async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
}

beforeAll(async () => {
  folder = await leftovers.dataDir();
  // `npm test` has built dist; other tests use it now.
  const [packed] = JSON.parse(await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
  files = packed.files.map(({ path }: { path: string }) => path);
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await npm(['install', '--omit=dev', ...quiet, `./${packed.filename}`], folder);
}, 240_000);

it('contains each module of src, the built pages, the client, the documentation, and nothing else', async () => {
  const modules = (await filesOf('src')).filter((path) => !path.endsWith('.d.ts'));
  const pages = (await filesOf('dist/web')).filter((path) => !path.endsWith('.built-for'));
  expect(pages).toContain('dist/web/embed/v1.js');
  expect([...files].sort()).toEqual(
    [
      ...modules.map((path) => path.replace(/^src(.*)\.ts$/, 'dist$1.js').replace(/^src(.*\.json)$/, 'dist$1')),
      ...pages,
      'dist/client/index.js',
      'dist/client/index.d.ts',
      ...(await filesOf('docs')).filter((path) => path.endsWith('.md')).map((path) => `dist/${path}`),
      'LICENSE',
      'README.md',
      'dist/llms.txt',
      'dist/openapi.json',
      'package.json',
    ].sort(),
  );
});

it('brings no package for building or tests', async () => {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));
  const ofTests = (await read('test/package.json')).devDependencies;
  const { devDependencies } = await read('package.json');
  // It needs packages that tests use as well.
  const { dependencies: ofSdk } = await read('node_modules/@modelcontextprotocol/sdk/package.json');
  const unwanted = Object.keys({ ...devDependencies, ...ofTests }).filter((name) => !(name in ofSdk));
  const installed = await readdir(join(folder, 'node_modules'), { recursive: true });
  expect(installed).toContain('user-collection-service');
  expect(unwanted.filter((name) => installed.includes(name))).toEqual([]);
});

it('has one program, of its own name, and can be published with provenance', async () => {
  const {
    name,
    version,
    bin,
    private: isPrivate,
    publishConfig,
    repository,
  } = JSON.parse(await readFile(join(folder, 'node_modules', 'user-collection-service', 'package.json'), 'utf8'));
  expect(await readdir(join(folder, 'node_modules', '.bin'))).toContain(name);
  expect({ bin, isPrivate, publishConfig }).toEqual({
    bin: { [name]: 'dist/cli.js' },
    isPrivate: undefined,
    publishConfig: { access: 'public', provenance: true },
  });
  expect(repository.url).toMatch(/^git\+https:/);
  const { info } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'));
  expect(version).toBe(info.version);
});

/** Starts the installed service in the folder, as its program does without a command. */
async function serve(command: string[]) {
  const options = ['--port', '0', '--log-level', 'silent'];
  const server = leftovers.keep(new Process([...command, ...options], {}, folder));
  const [, url = ''] = await server.waitForOutput(/is ready: (\S+)/);
  return { server, url };
}

it('is the whole service, with its data in the folder where it is started', async () => {
  const program = join(folder, 'node_modules', '.bin', 'user-collection-service');
  const { server, url } = await serve([program]);
  const created = await leftovers.keep(new Process([program, 'app', 'create', 'contact'], {}, folder)).ended;
  expect(created.code).toBe(0);

  const stored = await fetch(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': 'contact' },
    body: JSON.stringify({ email: 'ada@example.com', data: { name: 'Ada' } }),
  });
  expect(stored.status).toBe(200);
  const page = await (await fetch(`${url}/dashboard/`)).text();
  const [, script = ''] = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  const others = ['/f/contact', '/embed/v1.js', '/embed/v1.css', '/docs', '/openapi.json', '/llms.txt'];
  for (const path of [script, ...others]) {
    const response = await fetch(url + path);
    expect([path, response.status]).toEqual([path, 200]);
    await response.arrayBuffer();
  }

  expect(await server.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  expect(await readdir(join(folder, 'data'))).toContain('mongodb');
});

it('exports the client of programs, of at most 2 kB, with its types', async () => {
  const program = join(folder, 'node_modules', '.bin', 'user-collection-service');
  const run = (command: string[]) => leftovers.keep(new Process(command, {}, folder)).ended;
  const { server, url } = await serve([program]);
  expect(await run([program, 'types', 'contact', '--out', 'contact.ts'])).toMatchObject({ code: 0 });
  const source = `
    import { createClient, RefusedError } from 'user-collection-service/client';
    import { type Data, submit } from './contact.js';
    const url = process.argv[2] ?? '';
    const { id } = await submit('grace@example.com', { name: 'Grace' }, { url });
    const { version } = await createClient<Data>({ url, app: 'contact' }).schema();
    const refused: unknown = await submit('nobody', {}, { url, key: 'k1' }).catch((error: unknown) => error);
    // @ts-expect-error: a number is no name.
    const misspelt: Data = { name: 1 };
    console.log(JSON.stringify({ id, version, status: refused instanceof RefusedError && refused.status, misspelt }));`;
  await writeFile(join(folder, 'typed.ts'), source);
  await writeFile(
    join(folder, 'package.json'),
    (await readFile(join(folder, 'package.json'), 'utf8')).replace('{', '{ "type": "module",'),
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module', 'nodenext', ...types];
  expect(await run([process.execPath, tsc, ...flags, 'typed.ts'])).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout, stderr } = await run([process.execPath, 'typed.js', url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), version: 1, status: 400, misspelt: { name: 1 } });
  await server.end('SIGTERM');

  const module = await readFile(join(folder, 'node_modules', 'user-collection-service', 'dist', 'client', 'index.js'));
  expect(gzipSync(module).length).toBeLessThanOrEqual(2_000);
  expect(module.toString()).not.toMatch(/\bimport\b|\brequire\b/);
});

it('starts again with npx, and ends with it although its shell forwards no signal', async () => {
  const { server, url } = await serve(['npx', '--no-install', 'user-collection-service']);
  const schema = await fetch(`${url}/v1/schema`, { headers: { 'x-app-id': 'contact' } });
  expect(schema.status).toBe(200);
  // Resolves when the last process that has inherited the streams has ended.
  await server.end('SIGTERM');
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
});
