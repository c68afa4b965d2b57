// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { CV, pdfOf, upload } from '../support/server/uploads.ts';
import { send, untilServed } from './load.ts';
import { inspect, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const KILLS = rounds(20, 3);
const PEOPLE = 12;
const POLL = { timeout: 60_000, interval: 200 };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

it(`keeps each acknowledged submission of a known person once, with its file, through ${KILLS} kills of servers and the database, while the form closes and opens (spec 4.5.5)`, {
  timeout: 600_000,
}, async () => {
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  const env = { MONGODB_URI: database.uri, RATE_LIMIT_SUBMIT: '0' };
  const servers = [await (await Service.create(env)).start(), await (await Service.create(env)).start()] as const;
  for (const server of servers) cleanups.push(() => server.stop());
  const admin = await servers[0].admin();
  await admin.post('/auth/apps', { sourceAppId: 'known', history: { submissions: true } }).expect(200);
  await admin.putSchema('known', { fields: [{ key: 'n', kind: 'number', required: false }, CV] as never }).expect(200);
  const submit = (url: string | undefined, email: string, data: object, key: string) =>
    send(`${url}/v1/users`, {
      method: 'POST',
      headers: { 'x-app-id': 'known', 'idempotency-key': key },
      body: { email, data },
    });
  const emails = Array.from({ length: PEOPLE }, (_, index) => `person-${index}@example.org`);
  for (const email of emails) expect((await submit(servers[0].url, email, { n: 0, cv: [] }, email)).status).toBe(200);
  await admin.put('/auth/apps/known/form', { existing: 'keep' }).expect(200);

  let hasEnded = false;
  cleanups.push(async () => {
    hasEnded = true;
  });
  let number = 0;
  const acknowledged = new Set<number>();
  const unexpected = new Set<string>();

  async function write(email: string): Promise<void> {
    while (!hasEnded) {
      number += 1;
      const n = number;
      const file = await upload(servers[n % 2]?.url ?? '', 'known', pdfOf(2_000, n % 250)).catch(() => undefined);
      if (file?.status !== 201) {
        await sleep(100);
        continue;
      }
      for (let attempt = 0; !hasEnded && attempt < 60; attempt += 1) {
        const data = { n, cv: [file.body.token] };
        const { status, text } = await submit(servers[(n + attempt) % 2]?.url, email, data, `key-${n}`);
        if (status === 200) acknowledged.add(n);
        if (![0, 200, 403, 503].includes(status) && !text.includes('fileToken')) unexpected.add(`${status} ${text}`);
        if (status === 200 || status === 400) break;
        await sleep(50 + Math.random() * 100);
      }
    }
  }

  /** Closes the form every now and then, so that repeats are refused. */
  async function close(): Promise<void> {
    for (let count = 0; !hasEnded; count += 1) {
      const closesAt = count % 2 === 0 ? { closesAt: new Date(0).toISOString() } : {};
      await admin.put('/auth/apps/known/form', { existing: 'keep', ...closesAt }).then(
        () => undefined,
        () => undefined,
      );
      await sleep(200 + Math.random() * 300);
    }
  }

  const writers = [...emails.map(write), close()];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sleep(700 + Math.random() * 700);
    const server = servers[kill % 2] ?? servers[0];
    const primary = kill % 3 === 0 ? database.members[0] : undefined;
    await Promise.all([server.kill(), primary?.kill()]);
    await primary?.start();
    await database.primary();
    await server.start();
    await untilServed(() => send(`${server.url}/ready`));
    logProgress(`kill ${kill} of ${KILLS}: ${acknowledged.size} of ${number} acknowledged`);
  }
  hasEnded = true;
  await Promise.all(writers);

  const kept = () =>
    inspect(database.uri, (db) =>
      db
        .collection('submissions')
        .find({ created: false })
        .map(({ data }) => ({ n: data.n as number, file: String(data.cv[0].id) }))
        .toArray(),
    );
  await expect
    .poll(async () => {
      const found = new Set((await kept()).map(({ n }) => n));
      return [...acknowledged].filter((n) => !found.has(n));
    }, POLL)
    .toEqual([]);
  const found = await kept();
  expect(found.length).toBe(new Set(found.map(({ n }) => n)).size);
  const files = await inspect(database.uri, (db) =>
    db
      .collection('files.files')
      .find({ 'metadata.state': 'whole' })
      .map(({ _id }) => String(_id))
      .toArray(),
  );
  const stored = new Set(files);
  expect(found.filter(({ n, file }) => acknowledged.has(n) && !stored.has(file))).toEqual([]);
  expect([...unexpected]).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
});
