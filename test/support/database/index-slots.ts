import { Long } from 'mongodb';
import { expect, vi } from 'vitest';
import type { AppDocument } from '../../../src/core/apps/app.ts';
import { getKind } from '../../../src/core/fields/kinds/registry.ts';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { type IndexSlot, SLOT_NAMES } from '../../../src/features/indexes/index-slots.ts';
import type { TestServer } from '../server/server.ts';

const POLL = { timeout: 60_000, interval: 50 };

/** Resolves with the document of an app. */
export async function appDocument({ db }: Pick<TestServer, 'db'>, sourceAppId: string): Promise<AppDocument> {
  const app = await db.collection<AppDocument>('apps').findOne({ sourceAppId });
  if (!app) throw new Error(`no app ${sourceAppId}`);
  return app;
}

/** Resolves when exactly the fields of these keys are indexed and every index is ready. */
export async function untilReady(server: TestServer, sourceAppId: string, keys: string[]): Promise<IndexSlot[]> {
  const states = async () => {
    server.services.jobs.wake('index-slots');
    const { slots = [] } = await appDocument(server, sourceAppId);
    return slots.map(({ key, state }) => `${key} ${state}`).sort();
  };
  const ready = keys.map((key) => `${key} ready`).sort();
  await vi.waitFor(async () => expect(await states()).toEqual(ready), POLL);
  return (await appDocument(server, sourceAppId)).slots ?? [];
}

/**
 * Asserts that each record of the app has exactly the slots in use, each with the index value of
 * its field. Resolves with the number of records.
 */
export async function expectSlotsOfRecords(server: Pick<TestServer, 'db'>, sourceAppId: string): Promise<number> {
  const { _id, slots = [] } = await appDocument(server, sourceAppId);
  const records = await server.db.collection<UserDocument>('users').find({ appId: _id }).toArray();
  const wrong = records.filter((record) => {
    const stored = SLOT_NAMES.flatMap((name) => (name in record ? [[name, record[name]]] : []));
    const expected = slots.map(({ slot, key, kind }) => {
      const value = record.data[key];
      // A long integer of a manual edit has the value of the nearest double.
      return [slot, getKind(kind).indexValue?.(value instanceof Long ? value.toNumber() : value)];
    });
    return JSON.stringify(stored) !== JSON.stringify(expected.sort());
  });
  expect({ wrong, slots }).toEqual({ wrong: [], slots });
  return records.length;
}

/**
 * Resolves with the emails of the records that an index finds by the value of a slot; by its first
 * part for a text.
 */
export async function emailsBySlot(server: TestServer, sourceAppId: string, key: string, value: unknown) {
  const { _id, slots = [] } = await appDocument(server, sourceAppId);
  const slot = slots.find((one) => one.key === key && one.state === 'ready')?.slot ?? 'none';
  const condition = typeof value === 'string' ? { $gte: value, $lt: `${value}\x01` } : value;
  const found = server.db.collection('users').find({ appId: _id, [slot]: condition });
  const emails = await found.hint({ appId: 1, [slot]: 1, _id: 1 }).toArray();
  return emails.map(({ email }) => email).sort();
}
