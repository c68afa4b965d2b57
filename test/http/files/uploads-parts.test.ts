import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../../support/run/rounds.ts';
import { sharedServer, startServer, type TestServer } from '../../support/server/server.ts';
import { CV, pdfOf, upload, uploadPart } from '../../support/server/uploads.ts';

let servers: readonly [TestServer, TestServer];
let app: string;
beforeAll(async () => {
  const first = await sharedServer();
  servers = [first, await startServer({}, first.database)];
  app = (await first.admin.buildApp({ fields: [CV] })).sourceAppId;
});
afterAll(() => servers[1].close());

const urlOf = (n: number): string => (servers[n % 2] as TestServer).client.url;

/** The attempts of a client: sizes of parts, some with a wrong beginning, on either server. */
const attempts = fc.array(
  fc.record({ bytes: fc.integer({ min: 1, max: 400_000 }), off: fc.integer({ min: -2, max: 2 }) }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

it('is the same file, in whichever parts it was sent, also with wrong ones between them', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20, max: 600_000 }), attempts, async (size, parts) => {
      const file = pdfOf(size, size % 251);
      let token: string | undefined;
      let received = 0;
      for (const [n, { bytes, off }] of [...parts, { bytes: size, off: 0 }].entries()) {
        if (received === size) break;
        const first = Math.max(0, received + off);
        const end = Math.min(size, first + bytes);
        if (first >= end) continue;
        const part = { first, end, ...(token !== undefined && { token }) };
        const { status, body } = await uploadPart(urlOf(n), app, file, part);
        if (first !== received) {
          expect([status, body.received]).toEqual([416, received]);
          continue;
        }
        received = end;
        token = body.token;
        expect([status, body.received ?? size]).toEqual([end === size ? 201 : 202, end]);
        if (end === size) expect(body.sha256).toBe(createHash('sha256').update(file).digest('hex'));
      }
      expect(received).toBe(size);
    }),
    { numRuns: rounds(60, 12) },
  );
});

it('refuses any other header of a range, and stays able to serve', async () => {
  const number = fc.oneof(fc.nat().map(String), fc.constantFrom('', '-1', '*', '1e3', '9'.repeat(16), '9'.repeat(400)));
  const range = fc.oneof(
    fc.tuple(number, number, number).map(([a, b, c]) => `bytes ${a}-${b}/${c}`),
    fc.string({ unit: 'grapheme-ascii' }).filter((text) => text.trim() !== ''),
  );
  await fc.assert(
    fc.asyncProperty(range, async (text) => {
      const { status } = await upload(urlOf(0), app, pdfOf(50), { headers: { 'content-range': text } });
      const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(text.trim()) ?? [];
      const isRange = Number(last) - Number(first) === 49 && (total === '*' || Number(total) > Number(last));
      if (!isRange) expect(status).toBe(400);
      else expect([201, 202, 413, 416]).toContain(status);
    }),
    { numRuns: rounds(200, 40) },
  );
});
