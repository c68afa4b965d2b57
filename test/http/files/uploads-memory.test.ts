import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MeasuredServer, startMeasuredServer } from '../../support/measured-server.ts';
import { Leftovers } from '../../support/process.ts';
import { FULL_LEASES, startServer, type TestServer } from '../../support/server.ts';
import { CV, pdfOf, upload } from '../../support/uploads.ts';

let base: TestServer;
let server: MeasuredServer;
const leftovers = new Leftovers();
beforeAll(async () => {
  base = await startServer({}, undefined, FULL_LEASES);
  server = await startMeasuredServer(leftovers, base.db.databaseName, { TRUST_PROXY: '1' });
});
afterAll(async () => {
  await leftovers.clear();
  await base.close();
});

it('50 files of 10 MB at once take less than 100 MB more memory', async () => {
  const { sourceAppId } = await base.admin.buildApp({ fields: [CV] });
  const file = pdfOf(10_000_000);
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
}, 240_000);
