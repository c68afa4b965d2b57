import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../src/core/schemas/schema-leases.ts';
import { boundGrowth, changeSize, createRecordLimits } from '../../src/core/users/record-limits.ts';
import { createRecordParts } from '../../src/core/users/record-part.ts';
import { buildInsert, buildUpsert, isCreatedByInsert, UNSEEN } from '../../src/core/users/record-upsert.ts';
import type { Submission } from '../../src/core/users/submission.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { appliedKey } from '../../src/features/idempotency/idempotency-keys.ts';
import { SLOT_NAMES } from '../../src/features/indexes/index-slots.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { createUnconnectedParts } from '../support/database/record-parts.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
// Other files check which collections the shared database has.
afterAll(() => Promise.all(['inserted', 'upserted'].map((name) => server.db.dropCollection(name))));

const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/);
const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.array(fc.integer(), { maxLength: 4 }),
  fc.dictionary(key, fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    noNullPrototype: true,
  }),
);
const item = fc.record({ value: fc.string(), timestamp: fc.constant('2026-01-31T08:30:00.000Z') });

/** Keys in `set` start with s and keys in `append` with a: a schema has no duplicate keys. */
const submissions = fc.record({
  set: fc.dictionary(
    key.map((name) => `s${name}`),
    value,
    { noNullPrototype: true, maxKeys: 6 },
  ),
  append: fc.dictionary(
    key.map((name) => `a${name}`),
    fc.array(item, { maxLength: 3 }),
    { noNullPrototype: true, maxKeys: 3 },
  ),
  /** `place`: of the key among all keys of the submission. */
  slots: fc.option(
    fc.uniqueArray(
      fc.record({
        slot: fc.constantFrom(...SLOT_NAMES),
        place: fc.nat({ max: 20 }),
        kind: fc.constantFrom('text', 'number', 'checkbox', 'date'),
        state: fc.constantFrom('building', 'ready'),
      }),
      { selector: ({ slot }) => slot },
    ),
    { nil: undefined },
  ),
  /** Keys of defaults start with d. */
  defaults: fc.dictionary(
    key.map((name) => `d${name}`),
    value,
    { noNullPrototype: true, maxKeys: 3 },
  ),
  /** Keys of fields that are not shown start with u. */
  unset: fc.option(
    fc.uniqueArray(
      key.map((name) => `u${name}`),
      { minLength: 1, maxLength: 3 },
    ),
    { nil: undefined },
  ),
  slotEpoch: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
  extraKeys: fc.nat({ max: 3 }),
  hasKey: fc.boolean(),
  hasConsumers: fc.boolean(),
  keepsSubmissions: fc.boolean(),
  hasWords: fc.boolean(),
  asksReply: fc.boolean(),
  consents: fc.dictionary(
    key.map((name) => `c${name}`),
    fc.record({ given: fc.boolean(), version: fc.string({ minLength: 1 }) }),
    { noNullPrototype: true, maxKeys: 3 },
  ),
});

const limits = createRecordLimits(1024 * 1024);

type Consents = Record<string, { given: boolean; version: string }>;

const sentAt = 'https://example.com/?q=1';
const parts = createRecordParts(createUnconnectedParts);

const givenOf = (consents: Consents) =>
  Object.fromEntries(Object.entries(consents).map(([name, { given }]) => [name, given]));

const fieldsOf = (consents: Consents) =>
  Object.entries(consents).map(([name, { version }]) => ({
    key: name,
    label: name,
    kind: 'checkbox',
    consent: { version },
  }));

describe('The record of a new person', () => {
  it('is identical whether an insert or an upsert creates it', () => compare(20));
  it('is identical, of many more submissions', { tags: 'long' }, () => compare(150));

  async function compare(numRuns: number): Promise<void> {
    const inserted = server.db.collection<UserDocument>('inserted');
    const upserted = server.db.collection<UserDocument>('upserted');
    const newId = createOrderedIds();
    const test = fc.asyncProperty(
      submissions,
      async ({ set, append, unset, defaults, slots, extraKeys, hasKey, consents, asksReply, hasWords, ...app }) => {
        const now = new Date();
        const keys = [...Object.keys(set), ...Object.keys(append), ...Object.keys(defaults), ...(unset ?? []), 'other'];
        const uses = slots?.map(({ place, ...use }) => ({ ...use, key: keys[place % keys.length] }));
        const lease = {
          app: {
            ...app,
            slots: uses,
            words: hasWords ? { state: 'ready' } : undefined,
            form: asksReply ? { reply: {} } : undefined,
          },
          schema: { version: 3, fields: fieldsOf(consents) },
        } as unknown as Lease;
        const change = { set: { ...set, ...givenOf(consents) }, append, unset, extraKeys };
        const size = changeSize(change);
        const submission: Submission = {
          appId: new ObjectId(),
          sourceAppId: 'some-app',
          email: 'ada@example.com',
          schemaVersion: 3,
          now,
          by: 'person',
          fieldKeys: [],
          change,
          defaults: Object.keys(defaults).length > 0 ? { values: defaults, bytes: 0 } : undefined,
          size,
          growth: boundGrowth(change, size, limits),
          maxBound: limits.max,
          facts: {
            applied: hasKey ? appliedKey('a key', { data: set }, now) : undefined,
            page: sentAt,
            isKept: app.keepsSubmissions,
          },
          claim: undefined,
          parts: undefined,
        };
        submission.parts = parts.begin(submission, lease);
        const id = newId(now);
        await inserted.insertOne(buildInsert(submission, id).record);
        const { filter, update } = buildUpsert(submission, id, 10, UNSEEN);
        const upsert = upserted.updateOne(filter, update, { upsert: true });
        if (isCreatedByInsert(submission)) return void (await expect(upsert).rejects.toMatchObject({ code: 28 }));
        await upsert;
        const created = await inserted.findOne({ _id: id });
        expect(created).not.toBeNull();
        for (const { slot } of slots ?? []) expect(created).toHaveProperty(slot);
        expect(created?.data).toMatchObject(defaults);
        expect(created).toEqual(await upserted.findOne({ _id: id }));
      },
    );
    await fc.assert(test, { numRuns });
  }
});

describe('A server that has just started', () => {
  it('applies each concurrent submission exactly once, for people with and without a record', {
    tags: 'long',
  }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const email = (n: number) => `person-${n}@example.com`;
    const submit = (to: TestServer, n: number, list: number[]) =>
      to.client.submit(sourceAppId, { email: email(n), data: { list } }).expect(200);
    const old = await Promise.all(Array.from({ length: 150 }, async (_, n) => (await submit(server, n, [1])).body));

    const fresh = await startServer({}, server.database);
    try {
      // Two submissions for each of 300 people. The first 150 have a record; for each of the others
      // one of the two submissions creates it.
      const people = Array.from({ length: 600 }, (_, n) => n % 300);
      const answers = await Promise.all(people.map(async (n) => (await submit(fresh, n, [2])).body));
      for (const [n, { id, createdAt }] of old.entries()) {
        expect(answers[n]).toMatchObject({ id, createdAt });
        expect(answers[n + 300]).toMatchObject({ id, createdAt });
      }
      const records = await server.db.collection('users').find({ sourceAppId }).toArray();
      expect(records).toHaveLength(300);
      for (const { data, arraySizes, _id } of records) {
        const values = data.list.map((stored: { value: number }) => stored.value);
        const isOld = old.some(({ id }) => id === _id.toString());
        expect(values).toEqual(isOld ? [1, 2, 2] : [2, 2]);
        expect(arraySizes).toEqual({ list: values.length });
      }
    } finally {
      await fresh.close();
    }
  });
});
