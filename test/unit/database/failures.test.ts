import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { databaseRefusal } from '../../../src/platform/database/failures.ts';

/** Resolves with the error that Node emits for a write to a connection that the peer has ended. */
async function errorOfWriteAfterEnd(): Promise<unknown> {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.resume();
  await once(socket, 'end');
  const failed = once(socket, 'error');
  socket.write('a command');
  const [error] = await failed;
  server.close();
  return error;
}

it('maps a connection that ends during a write to Unavailable', async () => {
  expect(databaseRefusal(await errorOfWriteAfterEnd())).toBeInstanceOf(Unavailable);
});

it('does not map other errors, which are bugs of the service', () => {
  expect(databaseRefusal(new TypeError('x is not a function'))).toBeUndefined();
  expect(databaseRefusal(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeUndefined();
  expect(databaseRefusal('a text')).toBeUndefined();
});
