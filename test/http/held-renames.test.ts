// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import type { Rename } from '../../src/features/renames/renames.ts';
import { rounds } from '../support/run/rounds.ts';
import type { TestApp } from '../support/server/client.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 60_000;
const text = (key: string): FieldDefinitionInput => ({ key, kind: 'text' });

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 300 });
  b = await startServer({}, a.database, { ...FULL_LEASES, writesEndMs: 300 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

/** Holds a submission; resolves with the id of its entry. */
async function hold({ sourceAppId }: TestApp, email: string, data: object, { services } = a): Promise<string> {
  const input = { email, data: data as Record<string, unknown> };
  const stored = await services.submissions.submit(sourceAppId, input, { via: 'form', isTrapped: true });
  expect(stored.held).toBe(true);
  return stored.id.toString();
}

const release = ({ sourceAppId }: TestApp, id: string, { admin } = a) =>
  admin.post(`/auth/held/${id}/release?sourceAppId=${sourceAppId}`);

async function renameAll({ sourceAppId }: TestApp, keys: string[], renames: Rename[], rejectUnknown = true) {
  await rename(a.admin, sourceAppId, { rejectUnknown, fields: keys.map(text), renames }).expect(200);
  await untilRenamed(a, sourceAppId);
}

const dataOf = async ({ sourceAppId }: TestApp) =>
  Object.fromEntries((await recordsOf(a, sourceAppId)).map(({ email, data }) => [email.split('@')[0], data]));

describe('A held submission that is released after a rename (spec 4.5)', () => {
  it(
    'is stored under the newest keys, by the renames that were made after it came',
    async () => {
      const app = await a.admin.buildApp({ rejectUnknown: true, fields: [text('a')] });
      const first = await hold(app, 'first@x.org', { a: 'first' });
      await renameAll(app, ['b'], [{ from: 'a', to: 'b' }]);
      const second = await hold(app, 'second@x.org', { b: 'second' });
      await renameAll(app, ['c'], [{ from: 'b', to: 'c' }]);
      // A new field takes the first key.
      await a.admin.putSchema(app.sourceAppId, { rejectUnknown: true, fields: [text('c'), text('a')] }).expect(200);
      const third = await hold(app, 'third@x.org', { a: 'new', c: 'third' });
      for (const id of [first, second, third]) await release(app, id, b).expect(200);
      expect(await dataOf(app)).toEqual({
        first: { c: 'first' },
        second: { c: 'second' },
        third: { a: 'new', c: 'third' },
      });
    },
    TIMEOUT_MS,
  );

  it(
    'follows two fields that exchanged their keys',
    async () => {
      const app = await a.admin.buildApp({ rejectUnknown: true, fields: [text('a'), text('b')] });
      const before = await hold(app, 'before@x.org', { a: 'A', b: 'B' });
      await renameAll(app, ['spare', 'b'], [{ from: 'a', to: 'spare' }]);
      await renameAll(app, ['spare', 'a'], [{ from: 'b', to: 'a' }]);
      await renameAll(app, ['b', 'a'], [{ from: 'spare', to: 'b' }]);
      const after = await hold(app, 'after@x.org', { a: 'A', b: 'B' });
      for (const id of [before, after]) await release(app, id, b).expect(200);
      expect(await dataOf(app)).toEqual({ before: { a: 'B', b: 'A' }, after: { a: 'A', b: 'B' } });
    },
    TIMEOUT_MS,
  );

  it(
    'keeps an extra key of the new name beside the value of the field',
    async () => {
      const app = await a.admin.buildApp({ rejectUnknown: false, fields: [text('a')] });
      const id = await hold(app, 'ada@x.org', { a: 'field', b: 'extra' });
      await renameAll(app, ['b'], [{ from: 'a', to: 'b' }], false);
      const { body } = await a.admin.get(`/auth/held?sourceAppId=${app.sourceAppId}`).expect(200);
      expect(body.held).toMatchObject([{ id, data: { a: 'field', b: 'extra' } }]);
      await release(app, id).expect(200);
      expect(Object.values(await dataOf(app))).toEqual([{ b: 'field', b_before_v3: 'extra' }]);
    },
    TIMEOUT_MS,
  );

  it(
    'that came with the old key while values were moved is stored under the new one',
    async () => {
      const app = await a.admin.buildApp({ rejectUnknown: false, fields: [text('a')] });
      const renaming = { rejectUnknown: false, fields: [text('b')], renames: [{ from: 'a', to: 'b' }] };
      await rename(a.admin, app.sourceAppId, renaming).expect(200);
      const id = await hold(app, 'ada@x.org', { a: 'old' }, b);
      await untilRenamed(a, app.sourceAppId);
      await release(app, id).expect(200);
      expect(await dataOf(app)).toEqual({ ada: { b: 'old' } });
    },
    TIMEOUT_MS,
  );

  it(
    'is stored once when it was released before the rename and its entry stayed after a crash',
    async () => {
      const app = await a.admin.buildApp({ rejectUnknown: true, fields: [{ key: 'a', kind: 'array' }] });
      const id = await hold(app, 'ada@x.org', { a: [1] });
      const entries = a.db.collection('held_submissions');
      const entry = await entries.findOne({ email: 'ada@x.org', data: { a: [1] } });
      await release(app, id).expect(200);
      await entries.insertOne(entry as never);
      const renaming = { fields: [{ key: 'b', kind: 'array' as const }], renames: [{ from: 'a', to: 'b' }] };
      await rename(a.admin, app.sourceAppId, renaming).expect(200);
      await untilRenamed(a, app.sourceAppId);
      await release(app, id, b).expect(200);
      expect(await dataOf(app)).toMatchObject({ ada: { b: [{ value: 1 }] } });
      expect(await entries.countDocuments({ email: 'ada@x.org' })).toBe(0);
    },
    TIMEOUT_MS,
  );

  it.each([true, false])(
    'has each value under the new key when the rename is made meanwhile, on two servers (rejectUnknown: %s)',
    async (rejectUnknown) => {
      for (let round = 0; round < rounds(3, 2); round += 1) {
        const app = await a.admin.buildApp({ rejectUnknown, fields: [text('a')] });
        const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
        const ids = [];
        for (const name of names) ids.push(await hold(app, `${name}@x.org`, { a: name }));
        // Before, during and after the rename, which takes 120 ms.
        const releases = ids.map(async (id, index) => {
          await sleep(index * 6);
          return (await release(app, id, index % 2 ? a : b)).status;
        });
        await sleep(60);
        await rename(a.admin, app.sourceAppId, {
          rejectUnknown,
          fields: [text('b')],
          renames: [{ from: 'a', to: 'b' }],
        }).expect(200);
        expect(new Set(await Promise.all(releases))).toEqual(new Set([200]));
        await untilRenamed(a, app.sourceAppId);
        expect(await dataOf(app)).toEqual(Object.fromEntries(names.map((name) => [name, { b: name }])));
      }
    },
    TIMEOUT_MS,
  );
});
