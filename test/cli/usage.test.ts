// @module-tag long

import { afterAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, Process, runCli, ServerProcess } from '../support/server/process.ts';
import { runTool } from '../support/server/tool.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

// The tool checks its arguments before it connects, so this port is never used.
const unreachable = { MONGODB_URI: 'mongodb://127.0.0.1:1' };

describe.concurrent('help', () => {
  it.each([
    [[], ['app', 'schema', 'users', 'MONGODB_URI', 'Exit codes: 0 done, 1 refused or failed, 2 wrong usage.']],
    [['app'], ['create', 'list', 'delete', 'rotate-password']],
    [
      ['app', 'create'],
      ['<id>', '--role <role>', '"user", "admin"'],
    ],
    [['app', 'list'], ['separated by']],
    [
      ['app', 'delete'],
      ['<id>', '--yes'],
    ],
    [['app', 'rotate-password'], ['<id>']],
    [['schema'], ['get', 'put']],
    [
      ['schema', 'get'],
      ['<id>', '--version <number>'],
    ],
    [
      ['schema', 'put'],
      ['<id>', '[file]', 'standard input'],
    ],
    [['users'], ['export']],
    [
      ['users', 'export'],
      ['<id>', '--format <format>', '"csv", "ndjson", "json"'],
    ],
  ])('prints help for %j --help and exits with code 0', async (command, expected) => {
    const { code, stdout, stderr } = await runTool([...command, '--help'], unreachable);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(['Usage: user-collection-service', ...command].join(' '));
    for (const part of expected) expect(stdout).toContain(part);
  });
});

describe.concurrent('exit codes', () => {
  it.each([
    [['--prot', '1'], /^error: unknown option '--prot'\n\(Did you mean --port\?\)\n$/],
    [['app'], /^Usage: /],
    [['frobnicate'], /^error: unknown command 'frobnicate'\n$/],
    [['app', 'create'], /^error: missing required argument 'id'\n$/],
    [['app', 'create', 'a', '--role', 'root'], /^error: option '--role <role>' argument 'root' is invalid\./],
    [['app', 'delete', 'a', '--force'], /^error: unknown option '--force'\n/],
    [['schema', 'get', 'a', '--version', '1.5'], /^error: option '--version <number>' argument '1.5' is invalid\./],
    [['users', 'export', 'a', '--format', 'xml'], /^error: option '--format <format>' argument 'xml' is invalid\./],
    [['verify'], /^error: name a manifest to compare with, or a file with --write\n$/],
    [['doctor', 'now'], /^error: too many arguments/],
    [['users', 'export', 'a', 'b'], /^error: too many arguments/],
  ])('exits with 2 and prints the error for %j', async (args, stderr) => {
    const ended = await runTool(args, unreachable);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(stderr);
  });

  it('of the program are those of the tool', async () => {
    const help = ['users', '--help'];
    expect(await runCli(help, unreachable)).toEqual(await runTool(help, unreachable));
    const wrong = ['app', 'create', 'a', '--role', 'root'];
    expect(await runCli(wrong, unreachable)).toEqual(await runTool(wrong, unreachable));
    expect((await runCli(wrong, unreachable)).code).toBe(2);
  });

  it('exits with 1 and prints one line for each configuration error', async () => {
    const ended = await runCli(['app', 'list'], { ...unreachable, PORT: 'many', BODY_LIMIT: 'big' });
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: PORT must be a whole number from 0 to 65535\nerror: BODY_LIMIT must be a size from 1kb to 15mb, like 100kb\n',
    });
  });

  it('exits with 1 and names the variable to check if the database cannot be used', async () => {
    const { code, stderr } = await runTool(['app', 'list'], {
      MONGODB_URI: 'mongodb://u:hidden-word@127.0.0.1:port/x',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: MongoDB cannot be used at mongodb:\/\/127\.0\.0\.1:port\/x \(.*\)\. Check MONGODB_URI/,
    );
    expect(stderr).not.toContain('hidden-word');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('exits with 1 if the output cannot be written (full disk)', async () => {
    const env = { MONGODB_URI: databaseUri(randomName()) };
    const full = leftovers.keep(new Process(['sh', '-c', 'node dist/cli.js app create full > /dev/full'], env));
    const { code, stderr } = await full.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('error: ENOSPC: no space left on device, write\n');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('the embedded database', () => {
  it('is started if no server uses DATA_DIR, which a new one says, and is shared with a running server otherwise', async () => {
    const DATA_DIR = await leftovers.dataDir();
    const alone = await runCli(['app', 'create', 'made-before'], { DATA_DIR });
    expect(alone).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^MONGODB_URI is not set, and \/\S+ had no database: this is a new one$/m),
    });
    expect((await runCli(['app', 'list'], { DATA_DIR })).stderr).toBe('');

    const server = leftovers.keep(new ServerProcess({ DATA_DIR, LOG_LEVEL: 'silent' }));
    const url = await server.url();
    const shared = await runCli(['app', 'list'], { DATA_DIR });
    expect(shared).toMatchObject({ code: 0, stderr: '' });
    expect(shared.stdout).toMatch(/^admin\tadmin\t.*\nmade-before\tuser\t.*\n$/);
    await runCli(['app', 'create', 'made-beside'], { DATA_DIR });
    const schema = await fetch(`${url}/v1/schema`, { headers: { 'x-app-id': 'made-beside' } });
    expect(schema.status).toBe(200);
  });
});
