import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { SERVER_FLAGS } from '../../../src/operations/cli/serve-command.ts';
import { dropLater } from '../database/databases.ts';
import { databaseFolder } from '../run/scratch.ts';

const root = join(import.meta.dirname, '..', '..', '..');

const SERVER = [process.execPath, ...SERVER_FLAGS, 'dist/server.js'];

/** The result of a process that has exited. `code` is null if a signal ended it. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * A process that runs one of the project's programs. It inherits only the environment variables
 * that locate programs and the cached mongod.
 */
export class Process {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(command: readonly string[], env: Record<string, string> = {}, cwd = root) {
    const { PATH = '', HOME = '', XDG_CACHE_HOME = '', MONGOMS_SYSTEM_BINARY = '' } = process.env;
    const [program = '', ...args] = command;
    this.child = spawn(program, args, {
      cwd,
      env: { PATH, HOME, XDG_CACHE_HOME, MONGOMS_SYSTEM_BINARY, ...env },
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // A process that does not read its input may exit before the input is written.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process did not start');
    return this.child.pid;
  }

  /**
   * Resolves with the match of `pattern` in standard output; rejects if the process exits first.
   */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        const { code, stderr } = await this.ended;
        throw new Error(`exited with code ${code} before it printed ${pattern}: ${stderr}`);
      }
      await sleep(20);
    }
  }

  /** Sends a signal and waits for the process to exit. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }
}

/** Returns the URI of a database on the mongod that all test files share. */
export function databaseUri(database: string): string {
  // The last write of a killed process may arrive after the file.
  dropLater(database);
  const uri = new URL(inject('mongodbUri'));
  uri.pathname = `/${database}`;
  return uri.href;
}

/** Runs the command-line tool until it exits. */
export async function runCli(args: readonly string[], env: Record<string, string>, input = ''): Promise<Ended> {
  const tool = new Process([process.execPath, 'dist/cli.js', ...args], env);
  tool.child.stdin.end(input);
  return tool.ended;
}

/** A server process on a free port, by default the one that `npm start` starts. */
export class ServerProcess extends Process {
  constructor(env: Record<string, string>, command: readonly string[] = SERVER) {
    super(command, { PORT: '0', ...env });
  }

  /** Returns the URL that the server prints when it is ready. */
  async url(): Promise<string> {
    const [, url = ''] = await this.waitForOutput(/is ready: (\S+)/);
    return url;
  }

  /** Returns the admin password that the server prints on its first start. */
  async adminPassword(): Promise<string> {
    const [, password = ''] = await this.waitForOutput(/Admin password: (\S+) /);
    return password;
  }
}

/** The processes and temporary folders of one test file. Clear them in `afterAll`. */
export class Leftovers {
  readonly #processes: Process[] = [];
  readonly #folders: string[] = [];

  keep<Kept extends Process>(process: Kept): Kept {
    this.#processes.push(process);
    return process;
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'user-collection-process-'));
    this.#folders.push(folder);
    return folder;
  }

  /** A folder for a DATA_DIR, in memory where possible. */
  async dataDir(): Promise<string> {
    const folder = await databaseFolder('user-collection-process-');
    this.#folders.push(folder);
    return folder;
  }

  /** Stops all processes, then removes all folders. */
  async clear(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.end()));
    // A mongod whose server was killed may still write files.
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
