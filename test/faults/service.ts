import { inject } from 'vitest';
import { freePort } from '../../src/database/embedded/mongod-process.ts';
import { Client } from '../support/client.ts';
import { type Ended, ServerProcess } from '../support/process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by vitest.faults.config.ts; `npm test` does without, and repeats each fault a few times only. */
    thorough?: boolean;
  }
}

const ADMIN_PASSWORD = 'the-admin-password-of-the-faults';
/** Where the service's items go: one array. */
const SCHEMA = { fields: [{ key: 'items', kind: 'array' as const }] };

/** A server process as production runs it, `node dist/server.js`, which can be killed and started again on the same port. */
export class Service {
  readonly url: string;
  readonly #env: Record<string, string>;
  #process: ServerProcess | undefined;

  private constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { PORT: String(port), HOST: '127.0.0.1', ADMIN_PASSWORD, LOG_LEVEL: 'error', ...env };
    this.#env.MAX_ARRAY_ITEMS ??= '100000';
    this.#env.SESSION_SECRET ??= 'the session secret of the faults';
  }

  /** @param env `MONGODB_URI`, or `DATA_DIR` for the embedded default */
  static async create(env: Record<string, string>): Promise<Service> {
    return new Service(await freePort(), env);
  }

  get pid(): number {
    if (!this.#process) throw new Error('the server was not started');
    return this.#process.pid;
  }

  /** Starts it; resolves when it listens. */
  async start(): Promise<this> {
    this.#process = new ServerProcess(this.#env, [process.execPath, 'dist/server.js']);
    await this.#process.url();
    return this;
  }

  /** kill -9; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** SIGTERM; resolves when it has ended. */
  async stop(): Promise<Ended | undefined> {
    return this.#process?.end('SIGTERM');
  }

  /** Whether the process lives. */
  get isRunning(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** A client that is logged in as the admin app. */
  async admin(): Promise<Client> {
    return new Client(this.url).logIn('admin', ADMIN_PASSWORD);
  }

  /** Creates an app with an array field `items`; returns its password. */
  async createApp(sourceAppId: string): Promise<string> {
    const admin = await this.admin();
    const { body } = await admin.post('/auth/apps', { sourceAppId }).expect(200);
    await admin.putSchema(sourceAppId, SCHEMA).expect(200);
    return body.password;
  }
}

/** Progress of a long run, for the person who waits. */
export function say(line: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** How often a fault is repeated. */
export function rounds(thorough: number, short: number): number {
  return inject('thorough') ? thorough : short;
}
