import { freePort } from '../../src/platform/core/free-port.ts';
import { Client } from '../support/server/client.ts';
import { type Ended, ServerProcess } from '../support/server/process.ts';

export const ADMIN_PASSWORD = 'the-admin-password-of-the-faults';
const PROGRAM = 'dist/server.js';
/** One array field, which stores the numbers of the ledger. */
const SCHEMA = { fields: [{ key: 'items', kind: 'array' as const }] };

/**
 * A server process that runs `node dist/server.js`. It can be killed and started again; it keeps
 * its port and environment.
 */
export class Service {
  readonly url: string;
  readonly #env: Record<string, string>;
  readonly #program: string;
  #process: ServerProcess | undefined;
  /** Of the processes before. */
  #errors: string[] = [];

  private constructor(port: number, env: Record<string, string>, program: string) {
    this.#program = program;
    this.url = `http://127.0.0.1:${port}`;
    this.#env = {
      PORT: String(port),
      HOST: '127.0.0.1',
      ADMIN_PASSWORD,
      LOG_LEVEL: 'error',
      MAX_ARRAY_ITEMS: '100000',
      SESSION_SECRET: 'the session secret of the faults',
      // As test/support/server/server.ts starts two servers.
      WORKERS: process.env.TEST_SERVERS ?? '1',
      ...env,
    };
  }

  /**
   * @param env `MONGODB_URI`, or `DATA_DIR` for the embedded default
   * @param program that of another release
   */
  static async create(env: Record<string, string>, program = PROGRAM): Promise<Service> {
    return new Service(await freePort(), env, program);
  }

  get pid(): number {
    if (!this.#process) throw new Error('the server was not started');
    return this.#process.pid;
  }

  /** Starts the process; resolves when the server listens. */
  async start(): Promise<this> {
    this.#errors = this.endingErrors;
    this.#process = new ServerProcess(this.#env, [process.execPath, this.#program]);
    await this.#process.url();
    return this;
  }

  /** Sends SIGKILL; resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** Sends SIGTERM; resolves when the process has ended. */
  async stop(): Promise<Ended | undefined> {
    return this.#process?.end('SIGTERM');
  }

  /** Whether the process runs. */
  get isRunning(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** The log entries of the errors that ended its processes, or their stop. */
  get endingErrors(): string[] {
    const log = (this.#process?.stdout ?? '').split('\n');
    return [...this.#errors, ...log.filter((line) => /^{"level":60,|second error|killed by timeout/.test(line))];
  }

  /** Returns a client without a session. */
  client(): Client {
    return new Client(this.url, this.#program === PROGRAM);
  }

  /** Resolves with a client that is logged in as the admin app. */
  async admin(): Promise<Client> {
    return this.client().logIn('admin', ADMIN_PASSWORD);
  }

  /** Resolves with the cookie of a session of the admin app. */
  async cookie(): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ sourceAppId: 'admin', password: ADMIN_PASSWORD });
    const { headers: answered } = await fetch(`${this.url}/auth/login`, { method: 'POST', headers, body });
    return answered.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  /** Creates an app with an array field `items`; resolves with its password. */
  async createApp(sourceAppId: string): Promise<string> {
    const admin = await this.admin();
    const { body } = await admin.post('/auth/apps', { sourceAppId }).expect(200);
    await admin.putSchema(sourceAppId, SCHEMA).expect(200);
    return body.password;
  }
}

/** Prints a line with the time to standard error, as progress of a long run. */
export function logProgress(line: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
