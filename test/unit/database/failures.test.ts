import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { MongoBulkWriteError, MongoClient } from 'mongodb';
import { expect, inject, it } from 'vitest';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { databaseRefusal } from '../../../src/platform/database/failures.ts';
import { startProxy } from '../../support/peers/proxy.ts';

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

it('maps a bulk write whose connection ends to Unavailable', async () => {
  const proxy = await startProxy(new URL(inject('mongodbUri')));
  const uri = new URL(inject('mongodbUri'));
  uri.port = String(proxy.port);
  const client = new MongoClient(uri.href, { retryWrites: false });
  const bulk = client.db('failures').collection('bulk');
  await client.db('failures').command({ ping: 1 });
  proxy.withholdAnswers('cut', 1);
  const error = await bulk.bulkWrite([{ insertOne: { document: { n: 1 } } }]).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(databaseRefusal(error)).toBeInstanceOf(Unavailable);
  proxy.restore();
  // A refusal of one write is none of the database.
  const twice = [{ insertOne: { document: { _id: 1 as never } } }, { insertOne: { document: { _id: 1 as never } } }];
  const refused = await bulk.bulkWrite(twice).catch((one: unknown) => one);
  expect(refused).toBeInstanceOf(MongoBulkWriteError);
  expect(databaseRefusal(refused)).toBeUndefined();
  await client.db('failures').dropDatabase();
  await client.close();
  await proxy.close();
});

it('does not map other errors, which are bugs of the service', () => {
  expect(databaseRefusal(new TypeError('x is not a function'))).toBeUndefined();
  expect(databaseRefusal(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeUndefined();
  expect(databaseRefusal('a text')).toBeUndefined();
});
