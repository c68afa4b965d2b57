import { createHash } from 'node:crypto';
import { type Document, MinKey, type ObjectId } from 'mongodb';
import { firstIdAt } from '../../features/audit/audit-log.ts';
import { createdAtOf } from '../../platform/database/ordered-ids.ts';
import type { Diagnosis } from '../doctor/context.ts';
import { decisive, readIndexes } from '../doctor/stored-data.ts';
import type { AppLine, AuditLine, CollectionLine } from './manifest.ts';

const STATEMENT_MS = 30_000;
const APPS_AT_ONCE = 500;
const VERSIONS_AT_ONCE = 100;
const EVENTS_AT_ONCE = 2_000;
const COUNTED_AT_ONCE = 50_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface StoredApp {
  _id: ObjectId;
  sourceAppId: string;
  createdAt: Date;
  retention?: { days: number };
}

/**
 * Measures a database for a manifest or a comparison. Each statement reads a bounded range of an
 * index, and memory grows neither with records nor with apps.
 */
export function createMeasurement({ database, services: { inventory } }: Pick<Diagnosis, 'database' | 'services'>) {
  return {
    /** The apps in order of their ids, except those that are being created or deleted. */
    async *apps(): AsyncGenerator<StoredApp> {
      const projection = { sourceAppId: 1, createdAt: 1, retention: 1 };
      const options = { projection, sort: { _id: 1 }, limit: APPS_AT_ONCE, maxTimeMS: STATEMENT_MS } as const;
      yield* inPages(APPS_AT_ONCE, (last: StoredApp | undefined) => {
        const filter = { ...(last && { _id: { $gt: last._id } }), deletingSince: { $exists: false } };
        return database.collection<StoredApp>('apps').find(filter, options).toArray();
      });
    },

    /** The records of an app that were created before `until`, and its schema versions. */
    async app({ _id, sourceAppId }: StoredApp, until: Date): Promise<AppLine> {
      const hash = createHash('sha256');
      let records = 0;
      let newestCreatedAt: string | null = null;
      let newestUpdatedAt: string | null = null;
      const days = new Map<string, number>();
      for await (const step of inventory.recordsOf(_id, until)) {
        for (const id of step.ids) {
          hash.update(id.buffer);
          const day = dayOf(createdAtOf(id));
          days.set(day, (days.get(day) ?? 0) + 1);
        }
        records += step.ids.length;
        newestCreatedAt = laterOf(newestCreatedAt, step.newestCreatedAt);
        newestUpdatedAt = laterOf(newestUpdatedAt, step.newestUpdatedAt);
      }
      const found = { records, newestCreatedAt, newestUpdatedAt, digest: hash.digest('base64url'), days: [...days] };
      return { kind: 'app', id: _id.toHexString(), sourceAppId, ...found, versions: await versionsOf(_id, until) };
    },

    /** The number of documents of a collection, and its indexes. */
    async collection(name: string): Promise<CollectionLine> {
      const indexes = (await readIndexes(database, name)) ?? [];
      return {
        kind: 'collection',
        name,
        documents: await countDocuments(name),
        indexes: indexes.map((index) => ({
          keys: JSON.stringify(index.key),
          options: decisive(index),
          unique: index.unique === true,
        })),
      };
    },

    /** The days of the audit log that have events before `until`, in their order. */
    async *auditDays(until: Date): AsyncGenerator<AuditLine> {
      let from = '';
      for (;;) {
        const [first] = await events({ $gte: from, $lt: firstIdAt(until) }, 1);
        if (!first) return;
        const day = dayOf(first.at);
        const line = await measureDay(day, until);
        if (line.events > 0) yield line;
        from = firstIdAt(new Date(Date.parse(day) + DAY_MS));
        // An event of another clock than its id.
        if (from <= first._id) from = `${first._id}0`;
      }
    },

    auditDay: measureDay,

    /** Whether the app has a tombstone. */
    async isDeleted(id: ObjectId): Promise<boolean> {
      const options = { projection: { _id: 1 }, maxTimeMS: STATEMENT_MS };
      return (await database.collection('deleted_apps').findOne({ _id: id }, options)) !== null;
    },

    /** The records of the app that the audit log has as erased from `since` on, at most. */
    async countErased(id: ObjectId, since: Date): Promise<number> {
      const action = { $in: ['user.erased', 'users.erased', 'person.erased'] };
      const filter = { action, _id: { $gte: firstIdAt(since) }, appId: { $in: [id, null] } };
      // Of one record, by query, and of a person, who has one in each app.
      const count = { $ifNull: ['$detail.deletedUsers', '$detail.records', 1] };
      const stages = [{ $match: filter }, { $group: { _id: null, erased: { $sum: count } } }];
      const found = database.collection('audit_events').aggregate<{ erased: number }>(stages, {
        maxTimeMS: STATEMENT_MS,
      });
      return (await found.next())?.erased ?? 0;
    },
  };

  /** The versions of a schema that were stored before `until`, without the progress of renames. */
  async function versionsOf(appId: ObjectId, until: Date): Promise<AppLine['versions']> {
    const options = { sort: { version: 1 }, limit: VERSIONS_AT_ONCE, maxTimeMS: STATEMENT_MS } as const;
    const found = inPages(VERSIONS_AT_ONCE, (last: Document | undefined) => {
      const filter = { appId, version: { $gt: last?.version ?? 0 }, createdAt: { $lt: until } };
      return database.collection<Document>('schema_versions').find(filter, options).toArray();
    });
    const versions: AppLine['versions'] = [];
    for await (const { version, rejectUnknown, fields, renames, createdAt, author, account, key } of found) {
      versions.push([version, digestOf([version, rejectUnknown, fields, renames, createdAt, author, account, key])]);
    }
    return versions;
  }

  async function countDocuments(name: string): Promise<number> {
    const collection = database.collection<Document>(name);
    let count = 0;
    let after: unknown = new MinKey();
    for (;;) {
      const [step] = await collection
        .aggregate<{ count: number; last: unknown }>(
          [
            { $match: { _id: { $gt: after } } },
            { $sort: { _id: 1 } },
            { $limit: COUNTED_AT_ONCE },
            { $project: { _id: 1 } },
            { $group: { _id: null, count: { $sum: 1 }, last: { $last: '$_id' } } },
          ],
          { hint: { _id: 1 }, maxTimeMS: STATEMENT_MS },
        )
        .toArray();
      count += step?.count ?? 0;
      if (!step || step.count < COUNTED_AT_ONCE) return count;
      after = step.last;
    }
  }

  function events(range: { $gt?: string; $gte?: string; $lt: string }, limit: number) {
    const projection = { count: 0, lastAt: 0 };
    const options = { projection, sort: { _id: 1 }, limit, maxTimeMS: STATEMENT_MS } as const;
    return database.collection<StoredEvent>('audit_events').find({ _id: range }, options).toArray();
  }

  /** The events of one day, without the counts of repetitions, which change. */
  async function measureDay(day: string, until: Date): Promise<AuditLine> {
    const begin = new Date(day);
    const end = firstIdAt(new Date(Math.min(begin.getTime() + DAY_MS, until.getTime())));
    const hash = createHash('sha256');
    let count = 0;
    let firstExpiry = Number.POSITIVE_INFINITY;
    const found = inPages(EVENTS_AT_ONCE, (last: StoredEvent | undefined) =>
      events({ $gt: last?._id ?? firstIdAt(begin), $lt: end }, EVENTS_AT_ONCE),
    );
    for await (const { _id, at, action, actor, appId, sourceAppId, target, detail, expiresAt } of found) {
      hash.update(digestOf([_id, at, action, actor, appId, sourceAppId, target, detail]));
      firstExpiry = Math.min(firstExpiry, expiresAt.getTime());
      count += 1;
    }
    const expiresAt = new Date(Number.isFinite(firstExpiry) ? firstExpiry : 0).toISOString();
    return { kind: 'audit', day, events: count, digest: hash.digest('base64url'), expiresAt };
  }
}

export type Measurement = ReturnType<typeof createMeasurement>;

interface StoredEvent {
  _id: string;
  at: Date;
  expiresAt: Date;
  [member: string]: unknown;
}

/** The day of a time as in a manifest. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Yields the items of pages until one has less than `size`. */
async function* inPages<Item>(size: number, read: (last: Item | undefined) => Promise<Item[]>): AsyncGenerator<Item> {
  let last: Item | undefined;
  for (;;) {
    const page = await read(last);
    yield* page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}

/** A short digest of JSON, for parts of a line. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

function laterOf(known: string | null, date: Date | null): string | null {
  const text = date?.toISOString() ?? null;
  return known === null || (text !== null && text > known) ? text : known;
}
