import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecret } from '../../../src/features/webhooks/sender.ts';
import { randomName } from '../../support/database/databases.ts';
import {
  RECEIVER_FOLDER,
  RECEIVERS,
  type ReceiverProcess,
  receiveFrom,
  receiverCommand,
} from '../../support/peers/receiver-process.ts';
import { Client } from '../../support/server/client.ts';
import { Leftovers, Process } from '../../support/server/process.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const TOLERANCE_S = 300;
const leftovers = new Leftovers();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
  await leftovers.clear();
  await server.close();
});

describe.each(RECEIVERS)('%s of the dashboard', (file) => {
  let command: string[];
  let operator: Client;
  let submit: (email: string) => Promise<unknown>;
  let receiver: ReceiverProcess;
  let id: string;
  beforeAll(async () => {
    command = await receiverCommand(join(RECEIVER_FOLDER, file), await leftovers.folder());
    const app = await server.admin.buildApp();
    operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    submit = (email) => server.client.submit(app.sourceAppId, { email, data: {} }).expect(200);
    ({ id, receiver } = await receiveFrom({ app, operator, submit, leftovers }, command));
  }, 120_000);

  const state = async () =>
    (await operator.get(`/auth/webhooks/${id}/deliveries`).expect(200)).body.deliveries[0].state;

  /** Sends a valid event, and resolves with its id when it is printed. */
  async function accepted(): Promise<string> {
    const sent = randomName();
    expect(await receiver.post({ id: sent })).toBe(204);
    await expect.poll(() => receiver.events.map((event) => event.id)).toContain(sent);
    return sent;
  }

  it('accepts the events of the service', async () => {
    await expect.poll(state).toBe('delivered');
    const { body } = await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    expect(body).toMatchObject({ ok: true, status: 204 });
    await expect.poll(() => receiver.events.at(-1)?.event.type).toBe('webhook.test');
  });

  it('accepts events with its secret for a day after the webhook got another one', async () => {
    await operator.post(`/auth/webhooks/${id}/rotate-secret`).expect(200);
    await submit('grace@example.com');
    await expect.poll(() => receiver.events.at(-1)?.event.data.email).toBe('grace@example.com');
    await expect.poll(state).toBe('delivered');
  });

  it('accepts a signature among others, and times that differ a little', async () => {
    const others = `v1,${Buffer.alloc(32).toString('base64')}`;
    expect(await receiver.post()).toBe(204);
    expect(await receiver.post({ headers: { 'webhook-signature': `${others} SIGNATURE` } })).toBe(204);
    expect(await receiver.post({ headers: { 'webhook-signature': `v1a,x SIGNATURE ${others}` } })).toBe(204);
    expect(await receiver.post({ age: TOLERANCE_S - 30 })).toBe(204);
    expect(await receiver.post({ age: 30 - TOLERANCE_S })).toBe(204);
  });

  it.each([
    ['a secret of somebody else', { secret: createSecret() }],
    ['an old time', { age: TOLERANCE_S + 5 }],
    ['a time to come', { age: -TOLERANCE_S - 5 }],
    ['another time than the signed one', { signedAge: 1 }],
    ['another id than the signed one', { headers: { 'webhook-id': 'msg_2' } }],
    ['a changed body', { body: '{"type":"user.erased"}' }],
    ['no body', { body: '' }],
    ['no signature', { headers: { 'webhook-signature': undefined } }],
    ['an empty signature', { headers: { 'webhook-signature': 'v1,' } }],
    ['a signature of another version', { headers: { 'webhook-signature': 'v2,AAAA v1a,AAAA' } }],
    ['half a signature', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    ['no time', { headers: { 'webhook-timestamp': undefined } }],
    ['a time that is no number', { headers: { 'webhook-timestamp': 'NaN' } }],
    ['no id', { headers: { 'webhook-id': undefined } }],
  ])('refuses %s', async (_, forgery) => {
    const before = await accepted();
    expect(await receiver.post(forgery)).toBe(401);
    const after = await accepted();
    const ids = receiver.events.map((event) => event.id);
    expect(ids.slice(ids.indexOf(before))).toEqual([before, after]);
  });

  it('continues after a request that breaks off', async () => {
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
    await new Promise((resolve) =>
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc', resolve),
    );
    socket.resetAndDestroy();
    expect(await receiver.post()).toBe(204);
  });

  it('does not start without a secret', { tags: 'long' }, async () => {
    for (const secret of ['', 'whsec_']) {
      const { code, stderr } = await new Process(command, { PORT: '0', WEBHOOK_SECRET: secret }).ended;
      expect(code).toBe(1);
      expect(stderr).toContain('Set WEBHOOK_SECRET');
    }
  });
});
