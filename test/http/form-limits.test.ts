// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../../src/core/users/acceptance.ts';
import { createRecordLimits } from '../../src/core/users/record-limits.ts';
import { createRecordParts } from '../../src/core/users/record-part.ts';
import { createRecordWriter } from '../../src/core/users/record-writer.ts';
import { createSubmissionStore } from '../../src/core/users/submission-writes.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { createCapacity, createSeats } from '../../src/features/bots/admission.ts';
import { createRecordReader } from '../../src/features/record-reads/record-reader.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { createModels } from '../support/database/models.ts';
import { rounds } from '../support/run/rounds.ts';
import type { TestApp } from '../support/server/client.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

const FULL = 'This form is full';
const ROUNDS_TIMEOUT_MS = 120_000;

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await sharedServer();
  b = await startServer({}, a.database);
});
afterAll(() => b.close());

const configure = ({ sourceAppId }: TestApp, settings: object) =>
  a.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);

async function limited(settings: object): Promise<TestApp> {
  const app = await a.admin.buildApp();
  await configure(app, settings);
  return app;
}

const submit = ({ sourceAppId }: TestApp, email: string, { client } = a, key?: string) => {
  const request = client.submit(sourceAppId, { email, data: { name: 'Ada' } });
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const countOf = ({ sourceAppId }: TestApp) => a.db.collection('users').countDocuments({ sourceAppId });
const seatsOf = async ({ sourceAppId }: TestApp) =>
  (await a.db.collection('apps').findOne({ sourceAppId }))?.seats ?? [];

describe('`closesAt` (spec 4.5)', () => {
  it('refuses every submission from that time on', async () => {
    const app = await limited({ closesAt: new Date(Date.now() + 3_600_000).toISOString() });
    await submit(app, 'ada@x.org', a, 'key').expect(200);
    await configure(app, { closesAt: new Date(Date.now() - 1).toISOString() });
    for (const { client } of [a, b]) {
      const { body } = await client.submit(app.sourceAppId, { email: 'ada@x.org' }).expect(403);
      expect(body.message).toBe('This form is closed');
      await client.submit(app.sourceAppId, { email: 'nobody' }).expect(403);
    }
    expect(await countOf(app)).toBe(1);
  });

  it('invariant 3: answers a repeat of a submission that was stored before', async () => {
    const app = await limited({});
    const { body } = await submit(app, 'ada@x.org', a, 'key').expect(200);
    await configure(app, { closesAt: '2020-01-01T00:00:00Z' });
    expect((await submit(app, 'ada@x.org', b, 'key').expect(200)).body).toEqual(body);
    await submit(app, 'ada@x.org', b, 'other').expect(403);
  });
});

/**
 * Repeats a submission on alternate servers while it is answered with 503, as on a busy machine.
 */
async function submitUntilDecided(app: TestApp, email: string, index: number): Promise<number> {
  for (let attempt = index; ; attempt += 1) {
    const { status } = await submit(app, email, attempt % 2 ? a : b);
    if (status !== 503) return status;
  }
}

describe('`maxRecords` (spec 4.5)', () => {
  it('refuses new persons, and lets others change their records', async () => {
    const app = await limited({ maxRecords: 2 });
    await submit(app, 'ada@x.org').expect(200);
    await submit(app, 'eve@x.org', b).expect(200);
    for (const server of [a, b]) {
      expect((await submit(app, 'new@x.org', server).expect(403)).body.message).toBe(FULL);
      await submit(app, 'ada@x.org', server).expect(200);
    }
    await submit(app, 'nobody', b).expect(400);
    expect(await countOf(app)).toBe(2);
    // A seat may be given back after the answer.
    await expect.poll(() => seatsOf(app)).toEqual([]);
  });

  it('takes new persons again after an erasure or with a higher limit', { tags: 'long' }, async () => {
    const app = await limited({ maxRecords: 1 });
    await submit(app, 'ada@x.org').expect(200);
    await submit(app, 'eve@x.org').expect(403);
    await a.db.collection('users').deleteOne({ sourceAppId: app.sourceAppId });
    await expect.poll(async () => (await submit(app, 'eve@x.org')).status).toBe(200);
    await configure(app, { maxRecords: 2 });
    await submit(app, 'joe@x.org').expect(200);
    await submit(app, 'max@x.org').expect(403);
  });

  it('is exact for many new persons on two servers, and acknowledges no record that is lost', {
    tags: 'long',
    timeout: ROUNDS_TIMEOUT_MS,
  }, async () => {
    for (const [round, limit] of [1, 2, 7, 20, 20].entries()) {
      const app = await limited({ maxRecords: limit });
      const emails = Array.from({ length: 60 }, (_, index) => `p${index}@x.org`);
      const statuses = await Promise.all(emails.map((email, index) => submitUntilDecided(app, email, index)));
      const acknowledged = emails.filter((_, index) => statuses[index] === 200).sort();
      expect(statuses.filter((status) => status === 403)).toHaveLength(emails.length - acknowledged.length);
      const stored = await a.db.collection('users').find({ sourceAppId: app.sourceAppId }).toArray();
      expect({ round, acknowledged }).toEqual({ round, acknowledged: stored.map(({ email }) => email).sort() });
      expect(acknowledged).toHaveLength(limit);
      await expect.poll(() => seatsOf(app)).toEqual([]);
    }
  });

  it('counts concurrent first submissions of one person once', { tags: 'long' }, async () => {
    for (let round = 0; round < 10; round += 1) {
      const app = await limited({ maxRecords: 1 });
      const answers = await Promise.all([a, b, a, b, a, b].map((server) => submit(app, 'ada@x.org', server)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    }
  });

  it(
    'acknowledges never more records than the limit while records are erased',
    async () => {
      const app = await limited({ maxRecords: 5 });
      const { sourceAppId } = app;
      const users = a.db.collection('users');
      const acknowledged = new Set<string>();
      let stopped = false;
      const load = [a, b, a, b, a, b].map(async (server, worker) => {
        for (let sent = 0; !stopped; sent += 1) {
          const { status, body } = await submit(app, `p${(worker + sent) % 9}@x.org`, server);
          expect([200, 403, 503]).toContain(status);
          if (status === 200) acknowledged.add(body.id);
        }
      });
      for (let round = 0; round < rounds(40, 15); round += 1) {
        const found = await users.find({ sourceAppId }).toArray();
        expect(found.filter(({ _id }) => acknowledged.has(String(_id))).length).toBeLessThanOrEqual(5);
        const [first] = found;
        if (first) await users.deleteOne({ _id: first._id });
      }
      stopped = true;
      await Promise.all(load);
      const found = await users.find({ sourceAppId }).toArray();
      expect(found.filter(({ _id }) => acknowledged.has(String(_id))).length).toBeLessThanOrEqual(5);
    },
    ROUNDS_TIMEOUT_MS,
  );

  it('creates no record in the place of one that was erased before the write, unless there is a seat', async () => {
    const users = a.db.collection<UserDocument>('users');
    const { services } = a;
    for (const maxRecords of [1, 2]) {
      const app = await limited({ maxRecords });
      await submit(app, 'ada@x.org').expect(200);
      const lease = await services.leases.hold(app.sourceAppId);
      if (!lease) throw new Error('no app');
      const limits = createRecordLimits(1024 * 1024);
      const parts = createRecordParts(() => []);
      const submission = accept({ email: 'ada@x.org', data: { name: 'Ada' } }, lease, { limits, parts }, {});
      const store = createSubmissionStore({
        users,
        limits,
        writer: createRecordWriter(users as never),
        newId: createOrderedIds(),
        maxArrayItems: 10,
        parts,
      } as never);
      const capacity = createCapacity({
        records: createRecordReader(users as never, NO_RENAMES),
        seats: createSeats(createModels(a.connection).apps, (appId) => users.countDocuments({ appId })),
      });
      let isErased = false;
      const stored = capacity.store(submission, maxRecords, async (requiresRecord) => {
        if (!isErased) {
          isErased = true;
          await users.deleteOne({ appId: lease.app.id });
          await expect.poll(async () => (await submit(app, 'eve@x.org', b)).status).toBe(200);
        }
        return store.store({ ...submission, requiresRecord });
      });
      if (maxRecords === 1) await expect(stored).rejects.toThrow(FULL);
      else await stored;
      const emails = await users.distinct('email', { appId: lease.app.id });
      expect(emails).toEqual(maxRecords === 1 ? ['eve@x.org'] : ['ada@x.org', 'eve@x.org']);
    }
  });

  it('does not count the seats of a server that stopped for ever', { tags: 'long' }, async () => {
    const app = await limited({ maxRecords: 1 });
    const seat = { token: (await a.services.findApp(app.sourceAppId))?.id, count: 1 };
    const setUntil = (until: Date) =>
      a.db.collection('apps').updateOne({ sourceAppId: app.sourceAppId }, { $set: { seats: [{ ...seat, until }] } });
    await setUntil(new Date(Date.now() + 60_000));
    await submit(app, 'ada@x.org').expect(503);
    expect(await countOf(app)).toBe(0);
    await setUntil(new Date(Date.now() - 1));
    await submit(app, 'ada@x.org').expect(200);
  });
});
