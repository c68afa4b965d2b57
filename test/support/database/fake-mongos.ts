import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON, type Document, Long } from 'mongodb';

const OP_REPLY = 1;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/**
 * A server that presents itself as the router of a sharded cluster and answers every command with
 * success. It stores nothing: it shows which commands a client sends to a mongos, and how it reads
 * an answer that no database of a test gives.
 * @param ofInserts further members of the answers to inserts
 */
export async function startFakeMongos(ofInserts: Document = {}) {
  const commands: Document[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        socket.write(answer(message, commands, ofInserts));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The commands of these names, in their order, without the members that the driver adds. */
    sent: (...names: string[]) =>
      commands
        .filter((command) => names.includes(Object.keys(command)[0] ?? ''))
        .map(({ lsid: _, txnNumber: __, $clusterTime: ___, ...command }) => command),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The first message of a connection is an OP_QUERY, which has no sections. */
function answer(message: Buffer, commands: Document[], ofInserts: Document): Buffer {
  if (message.readInt32LE(12) !== OP_MSG) {
    const fields = Buffer.alloc(20);
    fields.writeInt32LE(1, 16); // numberReturned
    return withHeader(message, OP_REPLY, fields);
  }
  const body = message.subarray(HEADER_BYTES + 5);
  const command = BSON.deserialize(body.subarray(0, body.readInt32LE(0)));
  commands.push(command);
  return withHeader(message, OP_MSG, Buffer.alloc(5), 'insert' in command ? ofInserts : {});
}

function withHeader(request: Buffer, operation: number, fields: Buffer, others: Document = {}): Buffer {
  const body = BSON.serialize({ ...REPLY(), ...others });
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + fields.length + body.length, 0);
  header.writeInt32LE(request.readInt32LE(4), 8); // responseTo
  header.writeInt32LE(operation, 12);
  return Buffer.concat([header, fields, body]);
}

/** The members of all answers that the driver reads. */
const REPLY = (): Document => ({
  ok: 1,
  msg: 'isdbgrid',
  isWritablePrimary: true,
  helloOk: true,
  minWireVersion: 0,
  maxWireVersion: 21,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  n: 0,
  nModified: 0,
  values: [],
  cursor: { id: Long.ZERO, ns: 'a.b', firstBatch: [] },
});
