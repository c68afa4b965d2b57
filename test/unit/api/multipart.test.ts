import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Request } from 'express';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { FormEntries, FormFile } from '../../../src/features/form-bodies/form-body.ts';
import { createMultipartReader, type FileSink } from '../../../src/features/form-bodies/multipart.ts';
import { type AppError, InvalidInput, TooLarge } from '../../../src/platform/core/errors.ts';
import { Deadline } from '../../../src/platform/http/deadline.ts';
import { createBytesReader } from '../../../src/platform/http/request-bytes.ts';
import { say } from '../../../src/platform/languages/reasons.ts';
import { BOUNDARY, filePart, partOf, TYPES } from '../../support/server/forms.ts';

const END = `--${BOUNDARY}--\r\n`;
const LIMIT = 100_000;
const read = createMultipartReader(createBytesReader(LIMIT), LIMIT);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Keeps the content of files whose control begins with `file`. */
class Sink implements FileSink {
  readonly files: { control: string; name: string; content: Buffer }[] = [];
  receiving = 0;
  limit = 10_000_000;

  limitOf(control: string): number | undefined {
    return control.startsWith('file') ? this.limit : undefined;
  }

  async receive(control: string, name: string, source: AsyncIterable<Buffer>): Promise<FormFile> {
    expect(this.receiving).toBe(0);
    this.receiving += 1;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of source) {
        chunks.push(Buffer.from(chunk));
        await this.onChunk(chunk);
      }
      await this.onEnd(name);
    } finally {
      this.receiving -= 1;
    }
    const content = Buffer.concat(chunks);
    this.files.push({ control, name, content });
    const token = `token-${this.files.length}`;
    return { token, name, type: 'pdf', size: content.length, sha256: sha256(content) };
  }

  async onChunk(_chunk: Buffer): Promise<void> {}
  async onEnd(_name: string): Promise<void> {}
}

/** A request as Node has it, whose body arrives in these pieces. */
function requestOf(pieces: readonly Buffer[], headers: Record<string, string> = {}): Request {
  const stream = Readable.from(pieces, { objectMode: false });
  return Object.assign(stream, {
    headers: { 'content-type': TYPES.multipart, ...headers },
    ip: '127.0.0.1',
  }) as unknown as Request;
}

const parse = (body: Buffer, sink?: FileSink): Promise<FormEntries> => read(requestOf([body]), new Deadline(), sink);

interface Exchange {
  socket: Socket;
  result: Promise<FormEntries>;
  request: Request;
}

/** Begins a request over TCP with the first bytes of a body of this length. */
async function begin(sink: FileSink, length: number, first: Buffer): Promise<Exchange> {
  let take: (exchange: Omit<Exchange, 'socket'>) => void = () => undefined;
  const taken = new Promise<Omit<Exchange, 'socket'>>((resolve) => {
    take = resolve;
  });
  const server = createServer((req) => {
    const request = req as Request;
    const result = read(request, new Deadline(), sink);
    result.catch(() => undefined);
    take({ request, result });
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket.on('error', () => undefined));
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPES.multipart}\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), first]));
  return { socket, ...(await taken) };
}

const refusal = (result: Promise<unknown>): Promise<AppError> =>
  result.then(
    () => expect.unreachable('was not refused'),
    (error: AppError) => error,
  );

describe('files of multipart forms (spec K1)', () => {
  it('are entries with their tokens, in the order of the form, wherever they are', async () => {
    const sink = new Sink();
    const content = randomBytes(300_000);
    const body = Buffer.concat([
      filePart('file', 'Zeugnis „ü“ %22neu%22.pdf', content),
      Buffer.from(partOf('name="email"', 'a@x.org')),
      filePart('file2[]', 'b.pdf', 'second'),
      Buffer.from(partOf('name="note"', 'after') + END),
    ]);
    const { list, arrived, files, problems } = await parse(body, sink);
    expect(list).toEqual([
      ['file', 'token-1'],
      ['email', 'a@x.org'],
      ['file2[]', 'token-2'],
      ['note', 'after'],
    ]);
    expect(arrived.map(({ name, size, sha256: hash }) => [name, size, hash])).toEqual([
      ['Zeugnis „ü“ "neu".pdf', 300_000, sha256(content)],
      ['b.pdf', 6, sha256(Buffer.from('second'))],
    ]);
    expect([files, problems]).toEqual([[], []]);
  });

  it('take the extended name, if a client sends both', async () => {
    const sink = new Sink();
    const named = partOf(`name="file"; filename="=?utf-8?B?w6QucGRm?="; filename*=utf-8''%C3%A4.pdf`, 'x');
    await parse(Buffer.from(named + END), sink);
    expect(sink.files.map(({ name }) => name)).toEqual(['ä.pdf']);
  });

  it.each([
    ['John \\"Magic\\" Smith.txt', 'John "Magic" Smith.txt'],
    ['\\"all\\"', '"all"'],
    ['a\\\\b \\"c\\"', 'a\\b "c"'],
    ['é \\"ü\\".txt', 'é "ü".txt'],
    ['C:\\folder\\new.txt', 'C:\\folder\\new.txt'],
    ['ends with \\', 'ends with \\'],
  ])('have the name of filename="%s": quotes as browsers or as other clients escape them', async (sent, name) => {
    const sink = new Sink();
    await parse(Buffer.from(partOf(`name="file"; filename="${sent}"`, 'x') + END), sink);
    expect(sink.files.map((file) => file.name)).toEqual([name]);
  });

  it('are left out where a control has none, and refused in other controls', async () => {
    const sink = new Sink();
    const unfilled = partOf('name="file"; filename=""', '', ['Content-Type: application/octet-stream']);
    const other = filePart('photo', 'a.png', 'x');
    const { list, files } = await parse(Buffer.concat([Buffer.from(unfilled), other, Buffer.from(END)]), sink);
    expect([list, files, sink.files]).toEqual([[], ['photo'], []]);
    const withoutSink = await parse(Buffer.concat([filePart('file', 'a.pdf', 'x'), Buffer.from(END)]));
    expect(withoutSink.files).toEqual(['file']);
  });

  it('arrive whole, however their bytes are split', async () => {
    const text = fc.string({
      unit: fc.constantFrom('\r', '\n', '-', BOUNDARY.slice(0, 5), `\r\n--${BOUNDARY.slice(1)}`, 'x'),
    });
    const part = fc.record({ isFile: fc.boolean(), content: text });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.array(fc.nat(2_000)), async (parts, cuts) => {
        const sink = new Sink();
        const sent = parts.map(({ isFile, content }, index) =>
          isFile ? filePart(`file${index}`, 'a.txt', content) : Buffer.from(partOf(`name="n${index}"`, content)),
        );
        const body = Buffer.concat([...sent, Buffer.from(END)]);
        const places = [...new Set([0, ...cuts.filter((at) => at < body.length), body.length])].sort((a, b) => a - b);
        const pieces = places.slice(1).map((end, index) => body.subarray(places[index], end));
        const { list } = await read(requestOf(pieces), new Deadline(), sink);
        const contents = sink.files.map(({ content }) => content.toString());
        expect(contents).toEqual(parts.filter(({ isFile }) => isFile).map(({ content }) => content));
        expect(list.filter(([name]) => name.startsWith('n')).map(([, value]) => value)).toEqual(
          parts.filter(({ isFile }) => !isFile).map(({ content }) => content),
        );
      }),
    );
  });

  it('arrive whole when one slice fills the buffer of a part and ends the form', async () => {
    const sink = new Sink();
    sink.onChunk = () => new Promise((resolve) => setTimeout(resolve, 1));
    const files = [filePart('file1', 'a.txt', 'x'.repeat(32_817)), filePart('file2', 'b.txt', 'y'.repeat(5_575))];
    const body = Buffer.concat([...files, Buffer.from(END)]);
    for (let cut = 15_000; cut < body.length; cut += 500) {
      const { list } = await read(requestOf([body.subarray(0, cut), body.subarray(cut)]), new Deadline(), sink);
      expect(list.map(([name]) => name)).toEqual(['file1', 'file2']);
      expect(sink.files.splice(0).map(({ content }) => content.length)).toEqual([32_817, 5_575]);
    }
  });

  it('wait in the connection while the store is slow', async () => {
    const sink = new Sink();
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    sink.onChunk = () => gate;
    const content = randomBytes(9_000_000);
    const body = Buffer.concat([filePart('file', 'a.pdf', content), Buffer.from(partOf('name="note"', 'end') + END)]);
    const { socket, result, request } = await begin(sink, body.length, body);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(request.socket.bytesRead).toBeLessThan(500_000);
    expect(socket.writableLength).toBeGreaterThan(1_000_000);
    go();
    expect((await result).list).toEqual([
      ['file', 'token-1'],
      ['note', 'end'],
    ]);
    expect(sink.files[0]?.content.equals(content)).toBe(true);
  });

  it('are stored one after the other, while the next one waits', async () => {
    const sink = new Sink();
    sink.onEnd = () => new Promise((resolve) => setTimeout(resolve, 20));
    const parts = Array.from({ length: 20 }, (_, index) => filePart(`file${index}`, `${index}.txt`, 'x'.repeat(9_000)));
    // More than the texts of a form may have.
    const { list } = await parse(Buffer.concat([...parts, Buffer.from(END)]), sink);
    expect(list).toHaveLength(20);
  });

  it('end the form when they are too large, before the rest is read', async () => {
    const sink = new Sink();
    let size = 0;
    sink.onChunk = async (chunk) => {
      size += chunk.length;
      if (size > 1_000_000) throw new TooLarge('bodyTooLarge');
    };
    const head = filePart('file', 'a.pdf', randomBytes(2_000_000)).subarray(0, 1_900_000);
    const { result, request } = await begin(sink, 9_000_000, head);
    expect((await refusal(result)).status).toBe(413);
    expect(request.complete).toBe(false);
    expect(request.socket.bytesRead).toBeLessThan(2_000_000);
    // The answer has a connection.
    expect(request.destroyed).toBe(false);
  });

  it('are problems of their control when they are refused, and the rest of the form is read', async () => {
    const sink = new Sink();
    sink.onChunk = async () => {
      throw new InvalidInput(say('invalid'));
    };
    const body = Buffer.concat([
      filePart('file', 'a.exe', randomBytes(500_000)),
      Buffer.from(partOf('name="email"', 'a@x.org') + END),
    ]);
    const { list, problems } = await parse(body, sink);
    expect(list).toEqual([['email', 'a@x.org']]);
    expect(problems).toEqual([['file', { ...say('invalid'), params: undefined }]]);
    // Also after all of it was read.
    const small = [filePart('file', 'a.exe', 'x'), Buffer.from(partOf('name="email"', 'a@x.org') + END)];
    sink.onChunk = async () => {};
    sink.onEnd = async () => {
      throw new InvalidInput(say('invalid'));
    };
    expect((await parse(Buffer.concat(small), sink)).problems).toEqual(problems);
    sink.onChunk = () => sink.onEnd('');
    sink.limit = 400_000;
    expect((await refusal(parse(body, sink))).status).toBe(413);
  });

  it('are not received after a part that ends the form, whose rest is not read', async () => {
    const sink = new Sink();
    const body = Buffer.concat([
      Buffer.from(partOf('other="x"', 'x'.repeat(40_000))),
      filePart('file', 'a.pdf', randomBytes(9_000_000)),
      Buffer.from(END),
    ]);
    const { result, request } = await begin(sink, body.length, body);
    await expect(result).rejects.toMatchObject({ status: 400 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(request.socket.bytesRead).toBeLessThan(500_000);
    expect(sink.files).toEqual([]);
  });

  it('leave the limit of the texts as it is', async () => {
    const sink = new Sink();
    const large = partOf('name="a"', 'x'.repeat(LIMIT + 70_000));
    const form = [filePart('file', 'a.pdf', randomBytes(300_000)), Buffer.from(large + END)];
    expect((await refusal(parse(Buffer.concat(form), sink))).code).toBe('bodyTooLarge');
    expect((await refusal(parse(Buffer.concat([...form].reverse()), sink))).code).toBe('bodyTooLarge');
    const other = [filePart('photo', 'a.pdf', randomBytes(300_000)), Buffer.from(END)];
    expect((await refusal(parse(Buffer.concat(other), sink))).code).toBe('bodyTooLarge');
  });

  it('end when the connection is cut, and the store learns of it', async () => {
    const sink = new Sink();
    const head = filePart('file', 'a.pdf', randomBytes(2_000_000)).subarray(0, 1_000_000);
    let arrived: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    sink.onChunk = async () => arrived();
    const { socket, result } = await begin(sink, 9_000_000, head);
    await begun;
    socket.destroy();
    expect((await refusal(result)).code).toBe('bodyCutOff');
    expect(sink.receiving).toBe(0);
    expect(sink.files).toEqual([]);
  });

  it('are not taken of a form that ends too early', async () => {
    const sink = new Sink();
    const body = filePart('file', 'a.pdf', randomBytes(1_000));
    for (const end of [body.length, body.length - 500]) {
      expect((await refusal(parse(body.subarray(0, end), sink))).code).toBe('notFormData');
    }
  });
});
