import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { freePort } from '../../../src/platform/core/free-port.ts';
import type { Client, TestApp } from '../server/client.ts';
import { type Leftovers, Process } from '../server/process.ts';

/** The programs that verify webhooks, as the dashboard shows them. */
export const RECEIVERS = ['receiver.mjs', 'receiver.py', 'receiver.go'] as const;
export const RECEIVER_FOLDER = join(import.meta.dirname, '..', '..', '..', 'web', 'src', 'webhooks', 'receivers');

/**
 * A command that runs a receiver. Go is compiled first, because `go run` does not pass on signals.
 */
export async function receiverCommand(file: string, folder: string): Promise<string[]> {
  if (file.endsWith('.mjs')) return [process.execPath, file];
  if (file.endsWith('.py')) return ['python3', file];
  const program = join(folder, 'receiver');
  await promisify(execFile)('go', ['build', '-o', program, file], { cwd: folder });
  return [program];
}

/** What a request to a receiver differs in from a valid one. */
export interface Forgery {
  secret?: string;
  id?: string;
  /** Seconds since the time of the receiver. */
  age?: number;
  /** Seconds since the time that is signed. */
  signedAge?: number;
  /** Replaces headers; undefined removes one. */
  headers?: Record<string, string | undefined>;
  /** Replaces the body after it was signed. */
  body?: string;
}

/** A running receiver of webhooks. */
export class ReceiverProcess extends Process {
  readonly url: string;
  readonly #secret: string;

  private constructor(command: readonly string[], port: number, secret: string) {
    super(command, { WEBHOOK_SECRET: secret, PORT: String(port) });
    this.url = `http://127.0.0.1:${port}/`;
    this.#secret = secret;
  }

  /** Starts a receiver and resolves when it accepts connections. */
  static async start(command: readonly string[], port: number, secret: string): Promise<ReceiverProcess> {
    const started = new ReceiverProcess(command, port, secret);
    while (!(await fetch(started.url).catch(() => undefined))) {
      if (started.child.exitCode !== null) throw new Error(`the receiver ended: ${started.stderr}`);
      await sleep(20);
    }
    return started;
  }

  /** Sends a signed event, or one that was forged, and resolves with the status. */
  async post(forgery: Forgery = {}): Promise<number> {
    const { secret = this.#secret, id = 'msg_1', age = 0, signedAge = age, headers = {}, body } = forgery;
    const text = JSON.stringify({ type: 'user.created', timestamp: new Date(), data: { id: 'x', name: 'Zoë' } });
    const now = Math.floor(Date.now() / 1_000);
    const time = String(now - age);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update(`${id}.${now - signedAge}.${text}`);
    const signature = `v1,${signed.digest('base64')}`;
    const valid = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
    const sent = Object.entries({ ...valid, ...headers }).filter((entry): entry is [string, string] => !!entry[1]);
    const withSignature = sent.map(([name, value]): [string, string] => [name, value.replace('SIGNATURE', signature)]);
    return (await fetch(this.url, { method: 'POST', headers: withSignature, body: body ?? text })).status;
  }

  /** The events that it printed, each with its id. */
  get events(): { id: string; event: { type: string; data: { email?: string } } }[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => ({ id: line.split(' ')[0] ?? '', event: JSON.parse(line.slice(line.indexOf(' '))) }));
  }
}

interface Delivering {
  app: TestApp;
  operator: Client;
  submit: (email: string) => Promise<unknown>;
  /** Ends the receiver. */
  leftovers: Leftovers;
}

/** Starts a receiver with the secret of a new webhook, and lets the service deliver an event. */
export async function receiveFrom(
  { app, operator, submit, leftovers }: Delivering,
  command: readonly string[],
): Promise<{ id: string; receiver: ReceiverProcess }> {
  const port = await freePort();
  const webhook = { url: `http://127.0.0.1:${port}/`, events: ['user.created'] };
  const { body } = await operator.post('/auth/webhooks', webhook).expect(200);
  const receiver = leftovers.keep(await ReceiverProcess.start(command, port, body.secret));
  await submit('ada@example.com');
  await receiver.waitForOutput(/\n/);
  expect(receiver.events[0]?.event).toMatchObject({
    type: 'user.created',
    data: { sourceAppId: app.sourceAppId, email: 'ada@example.com', revision: 1 },
  });
  return { id: body.id, receiver };
}
