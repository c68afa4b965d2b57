// @module-tag long
// @module-tag fault

import fc from 'fast-check';
import { Double, Long, ObjectId, UUID } from 'mongodb';
import { beforeAll, expect, it } from 'vitest';
import { FIELD_KEY_PATTERN } from '../../src/core/fields/base/kind.ts';
import type { UserCollection, UserDocument } from '../../src/core/users/users.model.ts';
import { consentPart, type WithConsents } from '../../src/features/consents/consents.ts';
import { createRecordMoves } from '../../src/features/records/rename-moves.ts';
import { type PendingRenames, resolveRenames } from '../../src/features/renames/renames.ts';
import { shownBytes, shownRecord } from '../../src/features/renames/shown-renames.ts';
import { decode } from '../../src/platform/database/collections.ts';
import { rounds } from '../support/run/rounds.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let users: UserCollection;
beforeAll(async () => {
  server = await sharedServer();
  users = server.db.collection<UserDocument>('users');
});

const OLD = ['a', 'b', 'constructor'];
// The names of displaced values of keys as long as these are cut, some of them to the same text.
const LONG = 'l'.repeat(40);
const NEW = ['x', 'y', `${LONG}1`, `${LONG}2`, `${LONG}${'l'.repeat(10)}1`, `${'l'.repeat(37)}x`];
const CUT = `${'l'.repeat(41)}_before_v5`;
const TAKEN = ['x_before_v5', 'x_before_v5_2', 'y_before_v5', CUT, `${'l'.repeat(35)}_before_v5_2`];
const KEYS = [...OLD, 'c', ...NEW, ...TAKEN];

const renames: fc.Arbitrary<PendingRenames> = fc
  .tuple(fc.shuffledSubarray(OLD, { minLength: 1 }), fc.shuffledSubarray(NEW, { minLength: OLD.length }))
  .chain(([from, to]) => {
    const pairs = from.map((key, at) => ({ from: key, to: to[at] as string }));
    return fc.subarray(TAKEN).map((keys) =>
      resolveRenames(
        5,
        pairs,
        keys.map((key) => ({ key })),
      ),
    );
  });

const value = fc.oneof(
  fc.constantFrom<unknown>('', 'text', true, null, new Double(1), new Long(7n), -0, 2.5, { a: 1, x: 'x' }),
  fc.array(fc.constantFrom<unknown>(1, 'a', { x: 1 }), { maxLength: 3 }),
);
const data = fc
  .shuffledSubarray(KEYS)
  .chain((keys) => fc.tuple(...keys.map((key) => value.map((one) => [key, one] as const))))
  .map((entries) => Object.fromEntries(entries));
const consents = fc.subarray(KEYS).map((keys) => Object.fromEntries(keys.map((key) => [key, `version of ${key}`])));

const sizesOf = (of: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(of).flatMap(([key, one]) => (Array.isArray(one) ? [[key, one.length]] : [])));

it('A record is shown before its move exactly as it is after it, and a second move changes nothing', async () => {
  const moves = createRecordMoves(users, consentPart.keyed);
  const check = async (pending: PendingRenames, stored: UserDocument['data'], schemaVersion: number, state: object) => {
    const _id = new UUID();
    const appId = new ObjectId();
    const now = new Date();
    await users.insertOne({
      _id,
      appId,
      sourceAppId: 'model',
      email: 'a@x.org',
      data: stored,
      schemaVersion,
      createdAt: now,
      updatedAt: now,
      arraySizes: sizesOf(stored),
      consentState: state,
    } as UserDocument & WithConsents);
    const raw = async () => (await users.find<Uint8Array>({ _id }, { raw: true } as object).toArray())[0] as Uint8Array;
    const before = await raw();
    const shownRaw = decode<UserDocument>(shownBytes(before, () => pending));
    const was = decode<UserDocument>(before).data;
    const shown = shownRecord(decode<UserDocument>(before), pending);
    await moves.one({ _id, appId, email: 'a@x.org' }, pending);
    const after = decode<UserDocument & WithConsents>(await raw());
    // As text: the order of the keys counts too.
    expect(JSON.stringify(after.data)).toBe(JSON.stringify(shown.data));
    expect(JSON.stringify(shownRaw.data)).toBe(JSON.stringify(shown.data));
    expect(after.arraySizes).toEqual(sizesOf(after.data));
    const isOld = schemaVersion < pending.version;
    for (const { from, to } of pending.pairs) {
      if (!isOld) continue;
      expect(Object.hasOwn(after.data, from)).toBe(false);
      if (Object.hasOwn(stored, from)) expect(JSON.stringify(after.data[to])).toBe(JSON.stringify(was[from]));
      if (Object.hasOwn(state, from)) expect(after.consentState?.[to]).toBe(`version of ${from}`);
    }
    // Nothing is lost.
    const values = (of: object) =>
      Object.values(of)
        .map((one) => JSON.stringify(one))
        .sort();
    expect(values(after.data)).toEqual(values(was));
    expect(values(after.consentState ?? {})).toEqual(values(state));
    const added = Object.keys(after.data).filter((key) => !Object.hasOwn(was, key));
    for (const key of added) {
      expect(key).toMatch(FIELD_KEY_PATTERN);
      expect(pending.reserved ?? []).not.toContain(key);
    }
    const isMoved =
      isOld && pending.pairs.some(({ from }) => Object.hasOwn(stored, from) || Object.hasOwn(state, from));
    expect(after.schemaVersion).toBe(isMoved ? pending.version : schemaVersion);
    await moves.one({ _id, appId, email: 'a@x.org' }, pending);
    expect(decode<UserDocument>(await raw())).toEqual(after);
  };
  await fc.assert(fc.asyncProperty(renames, data, fc.integer({ min: 3, max: 6 }), consents, check), {
    numRuns: rounds(300, 120),
  });
}, 60_000);
