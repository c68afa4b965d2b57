// @module-tag long

import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { SERVER_FLAGS } from '../../src/operations/cli/serve-command.ts';
import { SETTINGS } from '../../src/platform/core/config.ts';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, Process, runCli } from '../support/server/process.ts';
import { runTool } from '../support/server/tool.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const SECRET = 'a secret of the command line';
const SECRETS = /URI|PASSWORD|SECRET|TOKEN|SMTP_URL/;

/** The command line of a process as other users see it; its arguments end with NUL. */
const commandLine = async (pid: number | string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter((text) => text !== '');

function serve(...options: string[]): Process {
  // The option wins over the variable, which is invalid.
  const env = { MONGODB_URI: databaseUri(randomName()), PORT: 'many' };
  const command = [process.execPath, 'dist/cli.js', 'serve', '--port', '0', '--log-level', 'silent', ...options];
  return leftovers.keep(new Process(command, env));
}

async function urlOf(command: Process): Promise<string> {
  const [, url = ''] = await command.waitForOutput(/is ready: (\S+)/);
  return url;
}

describe('user-collection-service serve', () => {
  it('lists each setting as an option, marks secrets, and says who can read them', async () => {
    const { code, stdout } = await runTool(['serve', '--help'], {});
    expect(code).toBe(0);
    const text = stdout.replaceAll(/\s+/g, ' ');
    for (const { name, help, isSecret } of SETTINGS) {
      const option = `--${name.toLowerCase().replaceAll('_', '-')} <value>`;
      expect(text).toContain(`${option} ${help}${isSecret ? ' (secret' : ''}`);
      expect(isSecret, name).toBe(SECRETS.test(name) && !/COOKIE/.test(name));
    }
    expect(text).toContain('Other users of this machine can read a command line');
  });

  it('ends with the code of the server', async () => {
    const { code, stderr } = await runCli(['serve', '--port', 'many'], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Cannot start: PORT must be a whole number from 0 to 65535\n',
    });
    expect(await runCli(['serve', '--prot', '1'], {})).toMatchObject({ code: 2 });
  });

  it('is the default command, with and without options', async () => {
    const stderr = 'Cannot start: PORT must be a whole number from 0 to 65535\n';
    expect(await runCli(['--port', 'many'], {})).toEqual({ code: 1, stdout: '', stderr });
    expect(await runCli([], { PORT: 'many' })).toEqual({ code: 1, stdout: '', stderr });
  });

  it('runs the server with the flags of npm start, and ends it on SIGTERM with code 0', async () => {
    const command = serve('--session-secret', SECRET);
    const url = await urlOf(command);
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    if (process.platform === 'linux') {
      expect((await commandLine(command.pid)).join(' ')).not.toContain(SECRET);
      const children = await readFile(`/proc/${command.pid}/task/${command.pid}/children`, 'utf8');
      const server = await commandLine(children.trim());
      expect(server).toEqual([process.execPath, ...SERVER_FLAGS, expect.stringMatching(/dist\/server\.js$/)]);
    }
    expect(await command.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  it('leaves no server behind when it is killed', async () => {
    const command = serve();
    const url = await urlOf(command);
    // Closed when the server has ended: it has inherited the streams.
    expect(await command.end('SIGKILL')).toMatchObject({ code: null });
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });
});
