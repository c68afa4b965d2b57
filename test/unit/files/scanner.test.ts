import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScanner, type Scanner } from '../../../src/features/files/scanner.ts';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { type Clamd, MALWARE, startClamd } from '../../support/peers/clamd.ts';

const logger = createLogger({ logLevel: 'silent' });

let clamd: Clamd;
let scanner: Scanner;
beforeAll(async () => {
  clamd = await startClamd();
  const created = createScanner(loadConfig({ CLAMD: clamd.address }).clamd, logger);
  if (!created) throw new Error('there is no scanner');
  scanner = created;
});
afterAll(() => clamd.stop());
beforeEach(() => {
  clamd.answer = undefined;
  clamd.scanned.length = 0;
});

const AWAY_MS = 600;
/** A scanner that gives up early. */
function impatient(): Scanner {
  const times = { connect: 3_000, idle: 400, scan: 1_000, away: AWAY_MS };
  return createScanner(loadConfig({ CLAMD: clamd.address }).clamd, logger, times) as Scanner;
}

async function* of(...pieces: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

describe('the virus scanner', () => {
  it('sends a file in pieces, and reads what was found', { tags: 'long' }, async () => {
    expect(await scanner.isInfected(of('a', '', 'file'))).toBe(false);
    expect(await scanner.isInfected(of())).toBe(false);
    const half = MALWARE.length / 2;
    expect(await scanner.isInfected(of('x', MALWARE.subarray(0, half), MALWARE.subarray(half), 'y'))).toBe(true);
    expect(await scanner.isInfected(of(...Array.from({ length: 40 }, () => Buffer.alloc(255 * 1024, 1))))).toBe(false);
    expect(clamd.scanned).toEqual([5, 0, MALWARE.length + 2, 40 * 255 * 1024]);
  });

  it.each(['INSTREAM size limit exceeded. ERROR', 'stream: x FOUND ERROR', 'OK', 'stream: OK more', ''])(
    'has not scanned a file to which it answers %j, and is there',
    async (answer) => {
      clamd.answer = answer;
      for (let times = 0; times < 5; times += 1) {
        await expect(scanner.isInfected(of('a'))).rejects.toMatchObject({ name: 'NotScanned' });
      }
      clamd.answer = undefined;
      expect(await scanner.isInfected(of('a'))).toBe(false);
    },
  );

  it.each([
    ['cuts the connection', (socket: Socket) => void socket.once('data', () => socket.destroy())],
    [
      'says OK before it has read it, and resets the connection',
      (socket: Socket) => void socket.once('data', () => socket.write('stream: OK\0', () => socket.resetAndDestroy())),
    ],
    ['says OK, and reads no more', (socket: Socket) => void socket.end('stream: OK\0').pause()],
  ])('has not scanned a file when it %s', async (_, answer) => {
    clamd.answer = answer;
    const large = of(...Array.from({ length: 100 }, () => Buffer.alloc(255 * 1024, 1)));
    await expect(impatient().isInfected(large)).rejects.toMatchObject({ name: 'NotScanned' });
  });

  it('has not scanned a file for which it takes too long, although it says something all the time', {
    tags: 'long',
  }, async () => {
    clamd.answer = (socket) => {
      const timer = setInterval(() => socket.write('.'), 5);
      socket.resume().once('close', () => clearInterval(timer));
    };
    await expect(impatient().isInfected(of('a'))).rejects.toMatchObject({ name: 'NotScanned' });
  });

  it('that accepts and says nothing is asked by three files, then by one at a time, until it answers', {
    tags: 'long',
  }, async () => {
    const own = impatient();
    clamd.answer = null;
    clamd.asked = 0;
    const ask = () => own.isInfected(of('a')).catch((error: Error) => error.name);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['NotScanned', 'NotScanned', 'NotScanned']);
    expect(await Promise.all(Array.from({ length: 8 }, ask))).toEqual(Array.from({ length: 8 }, () => 'ScannerAway'));
    expect(clamd.asked).toBe(3);
    await sleep(AWAY_MS);
    const later = await Promise.all(Array.from({ length: 8 }, ask));
    expect(later.filter((name) => name === 'NotScanned')).toHaveLength(1);
    expect(clamd.asked).toBe(4);
    await sleep(AWAY_MS);
    clamd.answer = undefined;
    expect(await ask()).toBe(false);
    expect(await Promise.all([ask(), ask()])).toEqual([false, false]);
  });

  it('is away when nothing listens there', async () => {
    await clamd.stop();
    await expect(scanner.isInfected(of('a'))).rejects.toMatchObject({ name: 'ScannerAway' });
    await clamd.start();
    expect(await scanner.isInfected(of('a'))).toBe(false);
  });

  it('fails with the error of the content, and asks for no verdict', async () => {
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield MALWARE;
      throw new RangeError('the database is away');
    };
    await expect(scanner.isInfected(broken())).rejects.toThrow(RangeError);
    expect(clamd.scanned).toEqual([]);
  });

  it('is none without CLAMD, which names a host and a port', () => {
    expect(createScanner(loadConfig({}).clamd, logger)).toBeUndefined();
    expect(loadConfig({ CLAMD: '[::1]:3310' }).clamd).toEqual({ host: '::1', port: 3310 });
    for (const CLAMD of [
      'localhost',
      'localhost:0',
      'localhost:65536',
      'http://localhost:1',
      '::1:3310',
      ':3310',
      'a b:1',
    ])
      expect(() => loadConfig({ CLAMD })).toThrow(/CLAMD must be a host and a port/);
  });
});
