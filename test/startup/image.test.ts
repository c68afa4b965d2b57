// @module-tag long

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, Process } from '../support/server/process.ts';

// Follows the Dockerfile without an engine: each stage is a folder, and Node and npm are those of
// this machine.

const root = join(import.meta.dirname, '..', '..');
const instructions = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    return name ? [{ name, rest }] : [];
  });
/** The text of the last instruction of this name. */
const last = (name: string): string => instructions.findLast((one) => one.name === name)?.rest ?? '';

const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
/** Names of the folder of the project: the files below them are ignored too. */
const ignoredNames = ignored.map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`));

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

async function run(command: readonly string[], env: Record<string, string>, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await leftovers.keep(new Process(command, env, cwd)).ended;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Copies as COPY does, from the project without what .dockerignore names. */
async function copy(from: string, names: readonly string[], to: string): Promise<void> {
  const passes = (path: string) =>
    from !== root || !ignoredNames.some((name) => name.test(relative(root, path).split('/')[0] ?? ''));
  for (const name of names) {
    const source = join(from, name);
    const target = to.endsWith('/') && !statSync(source).isDirectory() ? join(to, basename(name)) : to;
    if (passes(source)) await cp(source, target, { recursive: true, filter: passes, verbatimSymlinks: true });
  }
}

/** Carries out the stages, those that do not wait for each other at the same time. */
async function build(env: Record<string, string>): Promise<string> {
  const stages = new Map<string, Promise<string>>();
  for (const [index, { name, rest }] of instructions.entries()) {
    if (name !== 'FROM') continue;
    const following = instructions.slice(index + 1);
    const end = following.findIndex((one) => one.name === 'FROM');
    const own = following.slice(0, end === -1 ? undefined : end);
    stages.set(/ AS (\S+)$/.exec(rest)?.[1] ?? 'image', buildStage(own));
  }

  async function buildStage(own: typeof instructions): Promise<string> {
    const stage = await leftovers.folder();
    let folder = stage;
    for (const { name, rest } of own) {
      if (name === 'WORKDIR') {
        folder = join(stage, rest);
        await mkdir(folder, { recursive: true });
      } else if (name === 'RUN') {
        await run(['sh', '-c', rest], env, folder);
      } else if (name === 'COPY') {
        const [, from, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(rest) ?? [];
        const names = paths.split(' ');
        const to = `${folder}/${names.pop()}`;
        await copy(from === undefined ? root : ((await stages.get(from)) ?? ''), names, to);
      }
    }
    return stage;
  }

  await Promise.all(stages.values());
  return join((await stages.get('image')) ?? '', last('WORKDIR'));
}

let image: string;
beforeAll(async () => {
  const quiet = { npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' };
  image = await build(quiet);
}, 240_000);

it('is built from its package files and what .dockerignore lets through, and stores a submission', async () => {
  expect(ignored.filter((line) => /^!|\/|\*\*/.test(line))).toEqual([]);
  expect(readdirSync(image).sort()).toEqual(['dist', 'node_modules', 'package.json', 'sbom.json']);
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(last('ENV')) ?? [];
  const settings = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the test of the image' };
  const env = { [name]: value, ...settings, PORT: '0' };
  const server = leftovers.keep(new Process(JSON.parse(last('CMD')), env, image));
  const [, url = ''] = await server.waitForOutput(/is ready: (\S+)/);
  await run(['node', 'dist/cli.js', 'app', 'create', 'contact'], env, image);
  const stored = await fetch(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': 'contact' },
    body: JSON.stringify({ email: 'ada@example.com', data: { name: 'Ada' } }),
  });
  expect(stored.status).toBe(200);
  for (const path of ['/dashboard/', '/embed/v1.js', '/docs', '/openapi.json', '/llms.txt', '/docs/operations.md']) {
    const response = await fetch(url + path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    await response.arrayBuffer();
  }
  const [, check = '[]'] = /CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
  await run(JSON.parse(check), { PORT: new URL(url).port }, image);
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
});
