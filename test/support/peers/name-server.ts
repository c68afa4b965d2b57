import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo, isIPv6 } from 'node:net';

const TYPES = { A: 1, TXT: 16, AAAA: 28 };
const NO_SUCH_NAME = 3;
const QUESTION_START = 12;

/** A DNS server on this machine that answers with the addresses of a test. */
export class NameServer {
  /** The names that were asked for addresses of IPv4. */
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * @param addressesOf what a name has now; undefined: there is no answer
   * @param textsOf its texts; undefined: there is no such name
   */
  static async start(
    addressesOf: (name: string) => readonly string[] | undefined,
    textsOf: (name: string) => readonly string[] | undefined = () => [],
  ): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (query, { port, address }) => {
      const { name, type, end } = readQuestion(query);
      const addresses = addressesOf(name);
      if (type === TYPES.A) server.asked.push(name);
      const question = query.subarray(0, end);
      const texts = type === TYPES.TXT ? textsOf(name)?.map(textRecord) : [];
      const records = addresses?.filter((one) => type === (isIPv6(one) ? TYPES.AAAA : TYPES.A)).map(bytesOf);
      if (records) socket.send(answerTo(question, type, texts && [...records, ...texts]), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = QUESTION_START;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The header and the question of a query with the records of one type; without: no such name. */
function answerTo(question: Buffer, type: number, found: readonly Buffer[] | undefined): Buffer {
  const records = found ?? [];
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180 + (found ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const answers = records.map((bytes) => {
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0xc000 + QUESTION_START, 0); // the name of the question
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(bytes.length, 10); // the time to live before it is 0
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([header, ...answers]);
}

/** The record of a text of at most 255 bytes. */
const textRecord = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]);

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [before = '', after = ''] = address.split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)));
  const [first, last] = [parse(before), parse(after)];
  const groups = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
