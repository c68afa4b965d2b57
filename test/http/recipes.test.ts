import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';
import { type FaultyProxy, startFaultyProxy } from '../support/peers/faulty-proxy.ts';
import { blocksOf, bundle, recipe, writeTypes } from '../support/samples/recipes.ts';
import { Client } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { connectAssistant } from '../support/server/mcp.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { pdf } from '../support/server/uploads.ts';

const root = join(import.meta.dirname, '..', '..');

let server: TestServer;
let proxy: FaultyProxy;
let folder: string;
let operator: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  server = await startServer({ MCP: 'true' });
  proxy = await startFaultyProxy(server.client.url);
  const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'contact' }).expect(200);
  operator = await new Client(server.client.url).logIn('contact', body.password);
  await server.admin.putSchema('contact', JSON.parse(recipe('schema'))).expect(200);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => server.db.collection('users').deleteMany({}));

async function run(command: string, args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env;
  return promisify(execFile)(command, args, { cwd: folder, env: { PATH, ...env } });
}

const records = async () => (await operator.get('/auth/users').expect(200)).body.users;

it('has no block that no test uses', () => {
  const used = [
    'schema',
    'register.ts',
    'submit.sh',
    'contact.py',
    'submit-file.sh',
    'cursor-mcp.json',
    'vscode-mcp.json',
  ];
  const inBrowsers = ['contact-form.tsx', 'ContactForm.vue', 'contact.astro', 'file-form.html', 'refresh.gs'];
  expect([...blocksOf('recipes.md').keys()].sort()).toEqual([...used, ...inBrowsers].sort());
});

describe('a program that submits', () => {
  it.each([
    ['curl', 'submit.sh', 'bash', []],
    ['Python', 'contact.py', 'python3', ['ada@example.com', 'Ada']],
  ] as const)(
    'by %s stores a record once, though answers are lost',
    { tags: 'long' },
    async (_, file, program, args) => {
      await writeFile(join(folder, file), recipe(file));
      const { url: URL, keys } = proxy.route(['dropped', 503]);
      const { stdout } = await run(program, [file, ...args], { URL });
      const [record, ...others] = await records();
      expect(others).toEqual([]);
      expect(stdout).toContain(record.id);
      expect(record).toMatchObject({ email: 'ada@example.com', data: { name: 'Ada', visits: [{ page: '/pricing' }] } });
      expect(record.data.visits).toHaveLength(1);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^[\w-]{16,}$/);
      // Another run is another submission.
      await run(program, [file, ...args], { URL });
      expect((await records())[0].data.visits).toHaveLength(2);
    },
  );

  it.each([
    ['bash', 'submit.sh'],
    ['python3', 'contact.py', 'nobody', 'Ada'],
  ] as const)('by %s repeats no refusal', async (program, file, ...args) => {
    await writeFile(join(folder, file), recipe(file).replace('"email": "ada@example.com"', '"email": "nobody"'));
    const { url: URL, keys } = proxy.route();
    const ended = await run(program, [file, ...args], { URL }).catch((error: { stderr: string }) => error);
    expect('stdout' in ended ? JSON.stringify(ended) : '').toContain('must be an email address');
    expect(keys).toHaveLength(1);
    expect(await records()).toEqual([]);
  });
});

it('sends a file with a form of a page, and with curl', async () => {
  const html = recipe('file-form.html', server.client.url);
  const [, action = '', enctype] = / action="([^"]+)" method="post" enctype="([^"]+)"/.exec(html) ?? [];
  const [name = '', email = '', cv = ''] = [...html.matchAll(/<input name="(\w+)"/g)].map(([, control]) => control);
  const form = new FormData();
  form.append(name, 'Ada');
  form.append(email, 'ada@example.com');
  form.append(cv, new File([new Uint8Array(pdf())], 'cv.pdf'));
  const sent = new Request(action, { method: 'POST', body: form });
  expect(sent.headers.get('content-type')).toContain(enctype);
  expect((await fetch(sent, { redirect: 'manual' })).status).toBe(200);
  const stored = { email: 'ada@example.com', data: { name: 'Ada', cv: [{ name: 'cv.pdf', size: pdf().length }] } };
  expect(await records()).toMatchObject([stored]);
  await server.db.collection('users').deleteMany({});
  await writeFile(join(folder, 'cv.pdf'), pdf());
  await writeFile(join(folder, 'submit-file.sh'), recipe('submit-file.sh'));
  await run('bash', ['submit-file.sh'], { URL: server.client.url });
  expect(await records()).toMatchObject([stored]);
});

it('stores a record by a program for Node.js, with its types', { tags: 'long' }, async () => {
  const { key } = await createKey(server, operator, ['submit']);
  const own = await mkdtemp(join(tmpdir(), 'recipe-'));
  await writeTypes(own, server.database);
  await writeFile(join(folder, 'register.mjs'), await bundle(own, 'register.ts', recipe('register.ts'), true));
  const { stdout } = await run(process.execPath, ['register.mjs'], { URL_OF_FORMS: server.client.url, API_KEY: key });
  await rm(own, { recursive: true });
  const [record] = await records();
  expect(stdout).toBe(`Stored as ${record.id}\n`);
  expect(record).toMatchObject({ email: 'ada@example.com', data: { topic: 'sales', visits: [{ page: '/pricing' }] } });
});

it('compiles with the types of the app', { tags: 'long' }, async () => {
  await writeTypes(folder, server.database);
  await writeFile(join(folder, 'contact-form.tsx'), recipe('contact-form.tsx'));
  await writeFile(join(folder, 'register.ts'), recipe('register.ts'));
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(recipe('contact.astro')) ?? [];
  await writeFile(join(folder, 'astro.ts'), script.replace("'../contact'", "'./contact'"));

  const { descriptor, errors } = parse(recipe('ContactForm.vue'), { filename: 'ContactForm.vue' });
  expect(errors).toEqual([]);
  // With the template, whose names are those of the script.
  const compiled = compileScript(descriptor, {
    id: 'contact',
    inlineTemplate: true,
    templateOptions: { compilerOptions: { isTS: true } },
  });
  expect(compiled.content).toContain('isDone.value');
  expect(compiled.content).not.toContain('_ctx.');
  await writeFile(join(folder, 'vue.ts'), descriptor.scriptSetup?.content ?? '');

  const wrong =
    "import { submit } from './contact';\n// @ts-expect-error: a number is no name.\nvoid submit('', { name: 1 }, { url: '' });";
  await writeFile(join(folder, 'wrong.ts'), wrong);

  const paths = { 'user-collection-service/client': [join(root, 'web', 'client', 'index.ts')] };
  const lib = ['es2022', 'dom', 'dom.iterable'];
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    jsx: 'react-jsx',
    target: 'es2022',
    lib,
    paths,
  };
  const resolution = {
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: ['node'],
  };
  const compilerOptions = { ...options, ...resolution, skipLibCheck: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder], {}).catch((error) => error);
  expect(stdout).toBe('');
});

describe('the lines for an assistant', () => {
  it('connect Cursor', async () => {
    const { key } = await createKey(server, operator, ['users:read']);
    const { mcpServers } = JSON.parse(recipe('cursor-mcp.json', server.client.url).replace('uck_…', key));
    const { url, headers } = mcpServers['user-collection'];
    const assistant = await connectAssistant(url, headers);
    expect(await assistant.names()).toContain('listUsers');
    await assistant.close();
  });

  it('connect VS Code', async () => {
    const { key } = await createKey(server, operator, ['users:read']);
    const { inputs, servers } = JSON.parse(recipe('vscode-mcp.json', server.client.url));
    const { type, url, headers } = servers['user-collection'];
    expect(type).toBe('http');
    expect(inputs).toMatchObject([{ id: 'key', type: 'promptString', password: true }]);
    const filled = JSON.parse(JSON.stringify(headers).replace(`\${input:${inputs[0].id}}`, key));
    const assistant = await connectAssistant(url, filled);
    expect(await assistant.names()).toContain('listUsers');
    await assistant.close();
  });
});

it('has an Astro form that works without JavaScript', async () => {
  const [, action = ''] = /action="([^"]+)"/.exec(recipe('contact.astro', server.client.url)) ?? [];
  const names = [...recipe('contact.astro').matchAll(/name="(\w+)"/g)].map(([, name]) => name);
  expect(names).toEqual(['email', 'name']);
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ email: 'ada@example.com', name: 'Ada' }),
  });
  expect(response.status).toBe(200);
  expect(await records()).toMatchObject([{ email: 'ada@example.com', data: { name: 'Ada' } }]);
});

it('names the members of events as the service sends them', async () => {
  const { body } = await operator.get('/auth/webhooks/sample').expect(200);
  // Zapier joins the names of members by two underscores.
  expect(body.data.email).toBeTypeOf('string');
  expect(body.data.data.name).toBeTypeOf('string');
  expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data']);
});
