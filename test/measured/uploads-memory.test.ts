// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type S3Server, startS3 } from '../support/peers/s3.ts';
import { rounds } from '../support/run/rounds.ts';
import { filePart, multipartOf, TYPES } from '../support/server/forms.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdfOf, upload } from '../support/server/uploads.ts';

let base: TestServer;
let s3: S3Server;
const leftovers = new Leftovers();
beforeAll(async () => {
  base = await startServer({}, undefined, FULL_LEASES);
  s3 = await startS3();
}, 300_000);
afterAll(async () => {
  await leftovers.clear();
  await base.close();
  await s3.close();
});

const inDatabase = () => ({});
const inBucket = () => ({
  FILES_URL: s3.url(),
  AWS_ACCESS_KEY_ID: 'tests',
  AWS_SECRET_ACCESS_KEY: 'secret of tests',
});

it.each([
  ['the database', inDatabase],
  ['a bucket', inBucket],
])(
  '50 files of 10 MB at once for %s take less than 100 MB more memory',
  async (_store, env) => {
    const given = { TRUST_PROXY: '1', ...env() };
    const server: MeasuredServer = await startMeasuredServer(leftovers, base.db.databaseName, given);
    const { sourceAppId } = await base.admin.buildApp({ fields: [CV] });
    const file = pdfOf(rounds(10_000_000, 3_000_000));
    // Each from another network: one may send 200 MB.
    const send = async (n: number) => {
      const headers = { 'x-forwarded-for': `192.0.2.${n}` };
      return (await upload(server.url, sourceAppId, file, { headers })).status;
    };
    const small = await Promise.all(Array.from({ length: 10 }, (_, n) => send(n + 100)));
    expect(new Set(small)).toEqual(new Set([201]));
    const statuses: number[] = [];
    const growth = await server.growthDuring(async () => {
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)))));
    });
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(growth).toBeLessThan(100);
  },
  240_000,
);

it('50 forms with a file of 10 MB at once take less than 100 MB more memory, and others submit meanwhile', async () => {
  const server = await startMeasuredServer(leftovers, base.db.databaseName, { TRUST_PROXY: '1' });
  const { sourceAppId } = await base.admin.buildApp({ fields: [CV] });
  const other = (await base.admin.buildApp()).sourceAppId;
  const file = filePart('cv', 'cv.pdf', pdfOf(rounds(10_000_000, 3_000_000)));
  const send = async (n: number, content = file): Promise<number> => {
    const body = new Uint8Array(multipartOf([content, ['email', `p${n}@x.org`]]));
    const headers = { 'content-type': TYPES.multipart, accept: 'application/json', 'x-forwarded-for': `192.0.2.${n}` };
    return (await fetch(`${server.url}/v1/forms/${sourceAppId}`, { method: 'POST', headers, body })).status;
  };
  const submit = async (n: number): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-app-id': other };
    const body = JSON.stringify({ email: `s${n}@x.org` });
    return (await fetch(`${server.url}/v1/users`, { method: 'POST', headers, body })).status;
  };
  expect(new Set(await Promise.all(Array.from({ length: 10 }, (_, n) => send(n + 100))))).toEqual(new Set([200]));
  // What submissions take is not of the files.
  for (let n = 0; n < 300; n += 1) expect(await submit(n)).toBe(200);
  const statuses: number[] = [];
  const beside: number[] = [];
  const growth = await server.growthDuring(async () => {
    let isOver = false;
    const submitting = (async () => {
      while (!isOver) beside.push(await submit(beside.length));
    })();
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)))));
    isOver = true;
    await submitting;
  });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(beside)).toEqual(new Set([200]));
  expect(growth).toBeLessThan(100);
}, 240_000);
