import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that simulates network failures. */
export interface TcpProxy {
  port: number;
  /** Closes all connections and refuses new ones, as when the server process has exited. */
  cut(): void;
  /** Keeps connections open and forwards nothing, as when the server's machine hangs. */
  stall(): void;
  /**
   * Forwards the next `times` writes to MongoDB, those of job locks not counted, and drops their
   * replies, as when the network fails between commit and reply. The connections of these writes
   * are closed (`cut`) or stay open and never receive data (`silent`). Other connections are not
   * affected. The first `after` writes receive their replies. With `collection`, writes to other
   * collections do not count: a background job may write between two statements of a request.
   */
  withholdAnswers(how: 'cut' | 'silent', times: number, after?: number, collection?: string): void;
  /**
   * Holds back the next command of that name on a collection, and what follows on its connection.
   * Resolves when MongoDB would have received it, with a function that forwards it, also while the
   * proxy stalls, and resolves when MongoDB has answered.
   */
  holdNext(command: string, collection: string): Promise<() => Promise<void>>;
  /**
   * Holds back every command of that name on a collection that contains one of `parts`, until
   * `release`. `seen` has the index of the part of each such command, in the order of arrival, also
   * after `release`.
   */
  holdAll(command: string, collection: string, parts: readonly Buffer[]): HeldCommands;
  /** Forwards all traffic again, except on connections that were made `silent`. */
  restore(): void;
  close(): Promise<void>;
}

/** Commands that a proxy holds back. */
export interface HeldCommands {
  readonly seen: readonly number[];
  release(): void;
}

/** Elements of write commands in MongoDB's wire protocol: the first, or a stage of a pipeline. */
const WRITES = ['\x02insert\0', '\x02update\0', '\x02findAndModify\0', '\x03$merge\0'];
/** The value of the first element of a write: the length of the collection's name, and the name. */
const valueText = (collection: string): string => `${String.fromCharCode(collection.length + 1)}\0\0\0${collection}\0`;

/** Whether a chunk has a write, to `collection` if it is given. */
const isWrite = (chunk: Buffer, collection?: string): boolean =>
  WRITES.some((name) => chunk.includes(name + (collection === undefined ? '' : valueText(collection))));

/** The first element of a command on a collection. */
const commandText = (command: string, collection: string): string => `\x02${command}\0${valueText(collection)}`;

/** The length of the message that begins with a chunk. */
const lengthOf = (chunk: Buffer): number => (chunk.length < 4 ? 0 : chunk.readInt32LE(0));

/** Starts a proxy in front of `target`, a URL with host and port. */
export async function startProxy(target: URL): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const pairs = new Set<[Socket, Socket]>();
  const withheld = new Set<Socket>();
  let withhold: { how: 'cut' | 'silent'; times: number; after: number; collection?: string } = {
    how: 'cut',
    times: 0,
    after: 0,
  };
  /** Background jobs renew their locks at any time, so those do not count. */
  const counts = (chunk: Buffer): boolean => isWrite(chunk, withhold.collection) && !isWrite(chunk, 'jobs');

  let hold: { text: string; held(forward: () => Promise<void>): void } | undefined;
  let holdMany: ((chunk: Buffer, forward: () => void) => boolean) | undefined;

  const server = createServer((clientSocket) => {
    if (state === 'cut') return void clientSocket.destroy();
    const targetSocket = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [clientSocket, targetSocket];
    pairs.add(pair);
    let waiting: Buffer[] | undefined;
    let onComplete: (() => void) | undefined;
    /** The bytes of the current message that have not arrived. A message begins with its length. */
    let missing = 0;
    const forward = async (): Promise<void> => {
      const answered = new Promise<void>((resolve) => {
        targetSocket.once('data', () => resolve());
        targetSocket.once('close', () => resolve());
      });
      for (const chunk of waiting?.splice(0) ?? []) targetSocket.write(chunk);
      waiting = undefined;
      targetSocket.resume();
      await answered;
      if (clientSocket.destroyed) targetSocket.destroy();
    };
    clientSocket.on('data', (chunk) => {
      if (withhold.times > 0 && counts(chunk)) {
        if (withhold.after > 0) withhold.after -= 1;
        else {
          withhold.times -= 1;
          withheld.add(clientSocket);
        }
      }
      missing = (missing > 0 ? missing : lengthOf(chunk)) - chunk.length;
      if (waiting) waiting.push(chunk);
      else if (hold && chunk.includes(hold.text)) {
        const { held } = hold;
        hold = undefined;
        waiting = [chunk];
        onComplete = () => held(forward);
      } else if (!holdMany?.(chunk, () => targetSocket.write(chunk))) targetSocket.write(chunk);
      if (missing > 0) return;
      onComplete?.();
      onComplete = undefined;
    });
    targetSocket.on('data', (chunk) => {
      if (!withheld.has(clientSocket)) clientSocket.write(chunk);
      else if (withhold.how === 'cut') clientSocket.destroy();
    });
    for (const [from, to] of [pair, [targetSocket, clientSocket] as const]) {
      from.on('error', () => undefined);
      from.on('close', () => {
        // What was sent before the connection ended may still arrive.
        if (from === clientSocket && waiting) return;
        to.destroy();
        pairs.delete(pair);
        withheld.delete(clientSocket);
      });
      if (state === 'stalled') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const each = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      each((socket) => socket.destroy());
    },
    stall() {
      state = 'stalled';
      each((socket) => socket.pause());
    },
    withholdAnswers(how, times, after = 0, collection) {
      withhold = { how, times, after, ...(collection !== undefined && { collection }) };
    },
    holdNext(command, collection) {
      return new Promise((resolve) => {
        hold = { text: commandText(command, collection), held: resolve };
      });
    },
    holdAll(command, collection, parts) {
      const text = commandText(command, collection);
      const seen: number[] = [];
      const held: (() => void)[] = [];
      let isReleased = false;
      holdMany = (chunk, forward) => {
        const part = chunk.includes(text) ? parts.findIndex((one) => chunk.includes(one)) : -1;
        if (part < 0) return false;
        seen.push(part);
        if (!isReleased) held.push(forward);
        return !isReleased;
      };
      return {
        seen,
        release() {
          isReleased = true;
          for (const forward of held.splice(0)) forward();
        },
      };
    },
    restore() {
      state = 'open';
      withhold.times = 0;
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
