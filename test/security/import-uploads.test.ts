// @module-tag long

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

/** The files that a server receives for one app at the same time. */
const AT_ONCE = 4;
const FILE = 'email\nada@example.com\n';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

/** Creates an app with imports that wait for their files. */
async function build(count: number) {
  const { sourceAppId, password } = await server.admin.buildApp();
  const operator = new Client(server.listener.url);
  const answer = await operator.post('/auth/login', { sourceAppId, password }).expect(200);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await operator.post('/auth/imports', {}).expect(200)).body.id);
  }
  return { sourceAppId, operator, cookie, ids };
}

const send = (operator: Client, id: string | undefined) =>
  operator.put(`/auth/imports/${id}/content`).set('Content-Type', 'text/csv').send(Buffer.from(FILE));

/** Begins to send a file and never ends it. Begins again when the server answers. */
function beginToSend(cookie: string, id: string): { destroy(): void } {
  let socket: Socket;
  const begin = (): void => {
    socket = connect(Number(new URL(server.listener.url).port), '127.0.0.1');
    const head = [`PUT /auth/imports/${id}/content HTTP/1.1`, 'Host: 127.0.0.1', `Cookie: ${cookie}`];
    socket.write([...head, 'Content-Type: text/csv', 'Content-Length: 100', '', 'email\n'].join('\r\n'));
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.destroy();
      begin();
    });
  };
  begin();
  return { destroy: () => socket.destroy() };
}

it('slow files of one app leave places for those of others', async () => {
  const slow = await build(AT_ONCE + 1);
  const other = await build(1);
  const sockets = slow.ids.slice(0, AT_ONCE).map((id) => beginToSend(slow.cookie, id));
  const sendOne = async () => (await send(slow.operator, slow.ids[AT_ONCE])).status;
  await expect.poll(sendOne).toBe(503);
  await send(other.operator, other.ids[0]).expect(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(sendOne).toBe(200);
});

it('a file in tiny parts takes no memory for each part', async () => {
  const { sourceAppId, ids } = await build(1);
  const text = 'email\nada@example.com\n'.repeat(20_000);
  /** Each part is the same buffer, so that content of which a part was kept is wrong. */
  async function* parts(): AsyncGenerator<Buffer> {
    const part = Buffer.alloc(1);
    for (let at = 0; at < text.length; at += 1) {
      part[0] = text.charCodeAt(at);
      yield part;
    }
  }
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  const scope = { id: app?._id, sourceAppId } as Parameters<typeof server.services.imports.receive>[0];
  expect(await server.services.imports.receive(scope, ids[0] ?? '', undefined, parts())).toBe(text.length);
  const chunks = await server.db.collection('import_chunks').find({ appId: scope.id }).sort({ _id: 1 }).toArray();
  expect(chunks.length).toBeGreaterThan(1);
  const stored = Buffer.concat(chunks.map(({ bytes }) => Buffer.from(bytes.buffer.subarray(0, bytes.position))));
  expect(stored.toString() === text).toBe(true);
});
