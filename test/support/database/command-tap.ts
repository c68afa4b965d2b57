import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** A TCP proxy in front of MongoDB that records the commands of its clients. */
export interface CommandTap {
  port: number;
  /** The commands sent so far, with their documents. The name of a command is its first key. */
  commands(): Document[];
  close(): Promise<void>;
}

/** Starts a proxy to `target`, a URL with host and port. Throws on a message without a command. */
export async function startCommandTap(target: URL): Promise<CommandTap> {
  const commands: Document[] = [];
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
function readMessages(bytes: Buffer, commands: Document[]): Buffer<ArrayBuffer> {
  let rest = bytes;
  while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
    const message = rest.subarray(0, rest.readInt32LE(0));
    // The first message of a connection may be the driver's handshake, an OP_QUERY.
    if (message.readInt32LE(12) === OP_MSG) commands.push(commandOf(message.subarray(HEADER_BYTES + 4)));
    rest = rest.subarray(message.length);
  }
  return Buffer.from(rest);
}

/**
 * The body of an OP_MSG, a section of kind 0, with the documents of its sections of kind 1
 * (`documents`, `updates`, `deletes`).
 */
function commandOf(sections: Buffer): Document {
  const command: Document = {};
  for (let at = 0; at < sections.length; ) {
    const size = sections.readInt32LE(at + 1);
    const section = sections.subarray(at + 1, at + 1 + size);
    if (sections[at] === 0) Object.assign(command, BSON.deserialize(section));
    else Object.assign(command, documentsOf(section));
    at += 1 + size;
  }
  return command;
}

/** A section of kind 1: its size, the name of the field that it stands for, and documents. */
function documentsOf(section: Buffer): Document {
  const nameEnds = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = nameEnds + 1; at < section.length; at += section.readInt32LE(at)) {
    documents.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))));
  }
  return { [section.toString('utf8', 4, nameEnds)]: documents };
}
