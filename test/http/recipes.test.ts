import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';
import { type FaultyProxy, startFaultyProxy } from '../support/peers/faulty-proxy.ts';
import { Client } from '../support/server/client.ts';
import { databaseUri } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';
import { pdf } from '../support/server/uploads.ts';

const root = join(import.meta.dirname, '..', '..');
const EXAMPLE = 'https://forms.example.com';

/** The blocks of the recipes by the name after their language. */
const blocks = new Map<string, string>();
let server: TestServer;
let proxy: FaultyProxy;
let folder: string;
let operator: Client;
beforeAll(async () => {
  const text = await readFile(join(root, 'docs', 'recipes.md'), 'utf8');
  for (const [, name = '', code = ''] of text.matchAll(/```\w+ (\S+)\n([\s\S]*?)\n```/g)) blocks.set(name, `${code}\n`);
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  server = await startServer();
  proxy = await startFaultyProxy(server.client.url);
  const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'contact' }).expect(200);
  operator = await new Client(server.client.url).logIn('contact', body.password);
  await server.admin.putSchema('contact', JSON.parse(block('schema'))).expect(200);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => server.db.collection('users').deleteMany({}));

function block(name: string): string {
  const code = blocks.get(name);
  if (code === undefined) throw new Error(`docs/recipes.md has no block ${name}`);
  return code;
}

async function run(command: string, args: string[], env: Record<string, string>) {
  const { PATH = '' } = process.env;
  return promisify(execFile)(command, args, { cwd: folder, env: { PATH, ...env } });
}

const records = async () => (await operator.get('/auth/users').expect(200)).body.users;

it('has no block that no test uses', () => {
  const used = ['schema', 'contact-form.tsx', 'ContactForm.vue', 'contact.astro', 'register.ts', 'submit.sh'];
  const others = ['contact.py', 'refresh.gs', 'file-form.html', 'submit-file.sh'];
  expect([...blocks.keys()].sort()).toEqual([...used, ...others].sort());
});

describe('a program that submits', () => {
  it.each([
    ['curl', 'submit.sh', 'bash', []],
    ['Python', 'contact.py', 'python3', ['ada@example.com', 'Ada']],
  ] as const)(
    'by %s stores a record once, though answers are lost',
    { tags: 'long' },
    async (_, file, program, args) => {
      await writeFile(join(folder, file), block(file));
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
    await writeFile(join(folder, file), block(file).replace('"email": "ada@example.com"', '"email": "nobody"'));
    const { url: URL, keys } = proxy.route();
    const ended = await run(program, [file, ...args], { URL }).catch((error: { stderr: string }) => error);
    expect('stdout' in ended ? JSON.stringify(ended) : '').toContain('must be an email address');
    expect(keys).toHaveLength(1);
    expect(await records()).toEqual([]);
  });
});

it('sends a file with a form of a page, and with curl', async () => {
  const html = block('file-form.html');
  const [, action = '', enctype] = /<form action="([^"]+)" method="post" enctype="([^"]+)"/.exec(html) ?? [];
  const [name = '', email = '', cv = ''] = [...html.matchAll(/<input name="(\w+)"/g)].map(([, control]) => control);
  const form = new FormData();
  form.append(name, 'Ada');
  form.append(email, 'ada@example.com');
  form.append(cv, new File([new Uint8Array(pdf())], 'cv.pdf'));
  const sent = new Request(action.replace(EXAMPLE, server.client.url), { method: 'POST', body: form });
  expect(sent.headers.get('content-type')).toContain(enctype);
  expect((await fetch(sent, { redirect: 'manual' })).status).toBe(200);
  const stored = { email: 'ada@example.com', data: { name: 'Ada', cv: [{ name: 'cv.pdf', size: pdf().length }] } };
  expect(await records()).toMatchObject([stored]);
  await server.db.collection('users').deleteMany({});
  await writeFile(join(folder, 'cv.pdf'), pdf());
  await writeFile(join(folder, 'submit-file.sh'), block('submit-file.sh'));
  await run('bash', ['submit-file.sh'], { URL: server.client.url });
  expect(await records()).toMatchObject([stored]);
});

it('compiles with the types of the app', { tags: 'long' }, async () => {
  const env = { MONGODB_URI: databaseUri(server.database) };
  expect(await runTool(['types', 'contact', '--out', join(folder, 'contact.ts')], env)).toMatchObject({ code: 0 });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'contact-form.tsx'), block('contact-form.tsx'));
  await writeFile(join(folder, 'register.ts'), block('register.ts'));
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(block('contact.astro')) ?? [];
  await writeFile(join(folder, 'astro.ts'), script.replace("'../contact'", "'./contact'"));

  const { descriptor, errors } = parse(block('ContactForm.vue'), { filename: 'ContactForm.vue' });
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

it('has an Astro form that works without JavaScript', async () => {
  const [, action = ''] = /action="([^"]+)"/.exec(block('contact.astro')) ?? [];
  const names = [...block('contact.astro').matchAll(/name="(\w+)"/g)].map(([, name]) => name);
  expect(names).toEqual(['email', 'name']);
  const response = await fetch(action.replace(EXAMPLE, server.client.url), {
    method: 'POST',
    body: new URLSearchParams({ email: 'ada@example.com', name: 'Ada' }),
  });
  expect(response.status).toBe(200);
  expect(await records()).toMatchObject([{ email: 'ada@example.com', data: { name: 'Ada' } }]);
});

it('has a script for Google Sheets that reads the records with an API key', async () => {
  const script = block('refresh.gs');
  expect(() => new Script(script)).not.toThrow();
  const [, path = ''] = /'https:\/\/forms\.example\.com([^']*)'/.exec(script) ?? [];
  const [, scheme = ''] = /Authorization: '(\w+ )' \+ key/.exec(script) ?? [];
  await server.client.submit('contact', { email: 'ada@example.com', data: { name: '=1+1' } }).expect(200);
  const { body } = await operator.post('/auth/keys', { name: 'Sheet', scopes: ['export'] }).expect(200);
  const response = await fetch(server.client.url + path, { headers: { authorization: scheme + body.key } });
  expect(response.headers.get('content-type')).toContain('text/csv');
  expect(await response.text()).toContain('ada@example.com');
});

it('names the members of events as the service sends them', async () => {
  const { body } = await operator.get('/auth/webhooks/sample').expect(200);
  // Zapier joins the names of members by two underscores.
  expect(body.data.email).toBeTypeOf('string');
  expect(body.data.data.name).toBeTypeOf('string');
  expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data']);
});
