import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { createScanner, type Scanner } from '../../../src/records/files/scanner.ts';
import { type Clamd, MALWARE, startClamd } from '../../support/clamd.ts';

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

async function* of(...pieces: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

describe('the virus scanner', () => {
  it('sends a file in pieces, and reads what was found', async () => {
    expect(await scanner.isInfected(of('a', '', 'file'))).toBe(false);
    expect(await scanner.isInfected(of())).toBe(false);
    const half = MALWARE.length / 2;
    expect(await scanner.isInfected(of('x', MALWARE.subarray(0, half), MALWARE.subarray(half), 'y'))).toBe(true);
    expect(await scanner.isInfected(of(...Array.from({ length: 40 }, () => Buffer.alloc(255 * 1024, 1))))).toBe(false);
    expect(clamd.scanned).toEqual([5, 0, MALWARE.length + 2, 40 * 255 * 1024]);
  });

  it.each(['INSTREAM size limit exceeded. ERROR', 'stream: x FOUND ERROR', 'OK', 'stream: OK more', ''])(
    'is away when it answers %j',
    async (answer) => {
      clamd.answer = answer;
      await expect(scanner.isInfected(of('a'))).rejects.toMatchObject({ name: 'ScannerAway' });
    },
  );

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
