import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { mongo } from 'mongoose';

const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** A TCP proxy in front of MongoDB that records the commands of its clients. */
export interface CommandTap {
  port: number;
  /**
   * The commands sent so databaseSocket, oldest first. Excludes the document sequences of a command
   * (`documents`, `updates`).
   */
  commands(): mongo.Document[];
  close(): Promise<void>;
}

/** Starts a proxy to `target`, a URL with host and port. Throws on a message without a command. */
export async function startCommandTap(target: URL): Promise<CommandTap> {
  const commands: mongo.Document[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((clientSocket) => {
    const databaseSocket = connect(Number(target.port), target.hostname);
    let rest = Buffer.alloc(0);
    clientSocket.on('data', (chunk) => {
      databaseSocket.write(chunk);
      rest = readMessages(Buffer.concat([rest, chunk]), commands);
    });
    databaseSocket.on('data', (chunk) => clientSocket.write(chunk));
    for (const [one, other] of [
      [clientSocket, databaseSocket],
      [databaseSocket, clientSocket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands: () => commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Adds the command of each complete message to `commands`; returns the bytes that remain. */
function readMessages(bytes: Buffer, commands: mongo.Document[]): Buffer<ArrayBuffer> {
  let rest = bytes;
  while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
    const message = rest.subarray(0, rest.readInt32LE(0));
    // The first message of a connection may be the driver's handshake, an OP_QUERY.
    if (message.readInt32LE(12) === OP_MSG) commands.push(commandOf(message.subarray(HEADER_BYTES + 4)));
    rest = rest.subarray(message.length);
  }
  return Buffer.from(rest);
}

/** Returns the body of an OP_MSG: the section of kind 0. Sections of kind 1 contain documents. */
function commandOf(sections: Buffer): mongo.Document {
  for (let at = 0; at < sections.length; ) {
    const size = sections.readInt32LE(at + 1);
    if (sections[at] === 0) return mongo.BSON.deserialize(sections.subarray(at + 1, at + 1 + size));
    at += 1 + size;
  }
  throw new Error('a message without a command');
}
