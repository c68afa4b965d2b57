import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { fromBufferPromise, type ZipFile as OpenZip } from 'yauzl';
import { ZipFile } from 'yazl';
import { type ZipEntry, zipOf } from '../../../src/features/exports/zip.ts';

const modified = new Date('2026-07-08T09:10:11Z');

interface Given {
  path: string;
  content: Buffer;
  isText: boolean;
}

async function* entriesOf(given: Iterable<Given>): AsyncGenerator<ZipEntry> {
  for (const { content, ...entry } of given) yield { ...entry, modified, content: once(content) };
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

const MANY = 5_000;
/**
 * What an entry may keep until the end, some 50 bytes and what the collector leaves. yazl keeps
 * 3,400.
 */
const BYTES_OF_ENTRY = 500;

/** The bytes that are in use. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('an archive', () => {
  it('has the bytes that yazl writes', async () => {
    const given: Given[] = [
      { path: 'users.csv', content: Buffer.from('email\r\n'.repeat(50_000)), isText: true },
      { path: 'files/1/Lebenslauf äöü.pdf', content: randomBytes(300_000), isText: false },
      { path: 'files/2/empty.txt', content: Buffer.alloc(0), isText: true },
      { path: 'files/3/empty.pdf', content: Buffer.alloc(0), isText: false },
      { path: 'manifest.json', content: Buffer.from('[]'), isText: true },
    ];
    const yazl = new ZipFile();
    for (const { path, content, isText } of given) {
      yazl.addReadStream(Readable.from([content]), path, { compress: isText, mtime: modified });
    }
    yazl.end();
    const expected = await buffer(yazl.outputStream as Readable);
    expect((await buffer(zipOf(entriesOf(given)))).equals(expected)).toBe(true);
  });

  it('may have more entries than the format had at first', { tags: 'long' }, async () => {
    const given = Array.from({ length: 65_600 }, (_, n) => ({
      path: `${n}`,
      content: Buffer.from([n]),
      isText: false,
    }));
    const zip: OpenZip = await fromBufferPromise(await buffer(zipOf(entriesOf(given))), { lazyEntries: true });
    expect(zip.entryCount).toBe(65_600);
    const paths = new Set<string>();
    await new Promise((resolve, reject) => {
      zip.on('end', resolve).on('error', reject);
      zip.on('entry', ({ fileName, uncompressedSize }) => {
        paths.add(`${fileName} ${uncompressedSize}`);
        zip.readEntry();
      });
      zip.readEntry();
    });
    expect(paths.size).toBe(65_600);
    expect(paths).toContain('65599 1');
  });

  it('keeps some bytes of each entry until its end', { tags: 'long' }, async () => {
    const live: number[] = [];
    async function* entries(): AsyncGenerator<ZipEntry> {
      for (let n = 0; n <= 2 * MANY; n += 1) {
        if (n % MANY === 0) live.push(liveBytes());
        const path = `files/${randomUUID()}/cv.pdf`;
        yield { path, content: once(Buffer.from([n])), modified, isText: false };
      }
    }
    for await (const _ of zipOf(entries()));
    const [, first = 0, second = 0] = live;
    expect((second - first) / MANY).toBeLessThan(BYTES_OF_ENTRY);
  });

  it.each(['../x', '/x', 'c:/x', 'a\\b'])('fails for the path %j, and ends without a directory', async (path) => {
    await expect(buffer(zipOf(entriesOf([{ path, content: Buffer.alloc(1), isText: false }])))).rejects.toThrow(path);
  });

  it('fails with the error of an entry, and closes the entries when nobody reads on', async () => {
    const broken = async function* (): AsyncGenerator<ZipEntry> {
      const content = (async function* () {
        yield Buffer.from('x');
        throw new RangeError('the database is away');
      })();
      yield { path: 'a.txt', content, modified, isText: true };
    };
    await expect(buffer(zipOf(broken()))).rejects.toThrow(RangeError);
    for (const isText of [true, false]) {
      const closed: string[] = [];
      const endless = async function* (): AsyncGenerator<ZipEntry> {
        const content = (async function* () {
          try {
            for (;;) yield randomBytes(65_536);
          } finally {
            closed.push('content');
          }
        })();
        try {
          yield { path: 'a', content, modified, isText };
        } finally {
          closed.push('entries');
        }
      };
      for await (const _ of zipOf(endless())) break;
      await expect.poll(() => closed.toSorted()).toEqual(['content', 'entries']);
    }
  });
});
