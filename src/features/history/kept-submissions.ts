import { ObjectId, type ReadConcernLevel, UUID } from 'mongodb';
import type { AppOwned } from '../../core/feature.ts';
import type { Submission } from '../../core/users/submission.ts';
import { NEWEST_FIRST, type RecordId, type UserCollection, type UserDocument } from '../../core/users/users.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { parsePageUrl } from '../../platform/core/web-origin.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { type Collection, untilEnded } from '../../platform/database/collections.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import { type Older, ownedBy, removeInSteps, removeSome } from '../../platform/database/removal.ts';
import { indexText, MAX_CODE_POINTS } from '../../platform/text/index-value.ts';
import { markedFiles, namesFile } from '../files/file-places.ts';
import { type EventConsumer, MAX_OUTBOX } from '../outbox/outbox.ts';
import type { PersonData } from '../people/person-data.ts';
import type { ErasureGuard, RecordTraces } from '../records/erasure.ts';

const OF_PERSON = { appId: 1, s0: 1, _id: 1 } as const;
const OF_RECORD = { userId: 1 } as const;
/**
 * For both lists, the open ones and the done ones. A partial index of the open ones costs a
 * submission as much, and the list of the done ones would read what it leaves out; one of the done
 * ones costs it nothing, but the list of the open ones would read all that are done.
 */
const BY_DONE = { appId: 1, done: 1, _id: 1 } as const;
/** The unique index by which a submission is stored once, also on a sharded cluster. */
const ONCE = ['appId', '_id'];

/**
 * An accepted submission of an app that keeps them, as it came. It has the members of a record, so
 * that ranges, pages and conditions of records read it too; both times are that of the submission.
 */
const keptSubmissionSchema = schema(
  {
    /** The id of its event, which is in the order of time. */
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    email: { type: String, required: true },
    /** The email, as an index slot: submissions of a person are in the order of `_id`. */
    s0: { type: String, required: true },
    userId: { type: UUID, required: true },
    data: { type: Object, required: true },
    schemaVersion: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    /** The number of its event among those of the record. */
    revision: { type: Number, required: true },
    /** Whether it made the record. */
    created: { type: Boolean, required: true },
    page: String,
    lang: String,
    /** Whether the operators have finished with it. Absent: it is open. */
    done: only<true>(Boolean),
  },
  { collection: 'submissions', shardKey: { appId: 1, _id: 1 }, placement: 'one for each submission that an app keeps' },
)
  .index(NEWEST_FIRST, { unique: true })
  .index(OF_PERSON)
  .index(OF_RECORD)
  .index(BY_DONE);

export type KeptSubmission = DocumentOf<typeof keptSubmissionSchema>;
type KeptCollection = Collection<KeptSubmission>;

/** The model of `submissions`. */
export const createKeptModel = (connection: Connection): Model<KeptSubmission> =>
  createModel(connection, keptSubmissionSchema);

/** The submissions of one statement: it ends within its time limit. */
const EVENTS_AT_ONCE = 100;
const READDRESSED_AT_ONCE = 1_000;
const DROP_MS = 500;

export type KeptSubmissions = ReturnType<typeof createKeptSubmissions>;

/**
 * Keeps submissions (spec 4.3.7). Their values are in the history of the record, and the events in
 * its outbox name them, so the write of a submission stores them at no further cost.
 */
export function createKeptSubmissions(users: UserCollection, kept: KeptCollection, guardOfErased: ErasureGuard) {
  const ofRecords = (appIds: readonly ObjectId[], ids: readonly DocumentId[]) => ({
    appId: { $in: [...appIds] },
    userId: { $in: [...ids] as UUID[] },
  });

  async function removeOf(appIds: readonly ObjectId[], ids: readonly DocumentId[]): Promise<void> {
    if (ids.length > 0) await removeInSteps(kept, ofRecords(appIds, ids), guardOfErased(appIds, ids), ['appId']);
  }

  /**
   * Stores submissions of records whose events wait, each once. MongoDB reads the records and
   * inserts in one statement, so a late one stores nothing of an erased record. What one in
   * progress stores, the event of the erasure removes: the relay passes it on afterwards.
   *
   * @param events only these; absent: all that wait
   */
  async function keep(appIds: readonly ObjectId[], ids: readonly RecordId[], events?: readonly UUID[]): Promise<void> {
    const records = { appId: { $in: [...appIds] }, _id: { $in: [...ids] } };
    await store([{ $match: records }, ...keptOf(events)]);
  }

  /** Stores what the stages make of records, each once. */
  async function store(stages: readonly object[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      // An insert takes a third of the time of an upsert, and ends at a submission that is stored.
      const into = { into: kept.collectionName, on: ONCE, whenMatched: attempt === 1 ? 'fail' : 'keepExisting' };
      const all = [...stages, { $merge: { ...into, whenNotMatched: 'insert' } }];
      try {
        await untilEnded((signal) => users.aggregate(all, { hint: { _id: 1 }, signal }).toArray());
        return;
      } catch (error) {
        // An upsert ends so too when another statement stores a submission just before it.
        if (!isDuplicateKey(error) || attempt > MAX_OUTBOX) throw error;
      }
    }
  }

  /** Whether a submission is stored, and stays. */
  const has = async (appId: ObjectId, _id: UUID): Promise<boolean> =>
    (await kept.findOne({ appId, _id }, { projection: { _id: 1 }, readConcern: 'majority' })) !== null;

  return {
    /** Stores the waiting submissions of a record whose history is about to be moved. */
    keep: ({ appId, _id }: Pick<UserDocument, 'appId' | '_id'>): Promise<void> => keep([appId], [_id]),

    /**
     * Stores a submission that changes nothing else, once under its id. MongoDB reads the record in
     * the same statement, so that nothing is stored of an erased one.
     * @param until of a submission with files: a statement that begins later stores nothing
     */
    async keepOne(
      record: Pick<UserDocument, '_id' | 'appId'>,
      submission: Submission,
      _id: UUID,
      until?: Date,
    ): Promise<void> {
      const { change, schemaVersion, now } = submission;
      const { page: sentFrom, lang } = submission.facts;
      const page = sentFrom === undefined ? undefined : parsePageUrl(sentFrom);
      const data = { ...change.set, ...change.append };
      const own = { _id, data, schemaVersion, createdAt: now, updatedAt: now, created: false };
      const literals = Object.entries({ ...own, ...(page && { page }), ...(lang && { lang }) });
      const project = {
        appId: 1,
        sourceAppId: 1,
        email: 1,
        s0: EMAIL_SLOT,
        userId: '$_id',
        revision: { $ifNull: ['$eventCount', 0] },
        ...Object.fromEntries(literals.map(([member, value]) => [member, { $literal: value }])),
      };
      const match = { _id: record._id, appId: record.appId, ...(until && beginsBefore(until)) };
      await store([{ $match: match }, { $project: project }]);
      if (until && !(await has(record.appId, _id))) throw new Unavailable();
    },

    has,

    /**
     * Marks a submission as done, or as open again. Resolves with whether it is kept.
     * @param until a statement that begins later changes nothing
     */
    async setDone(appId: ObjectId, _id: UUID, done: boolean, until: Date): Promise<boolean> {
      const update = done ? { $set: { done } } : { $unset: { done: true as const } };
      return (await kept.updateOne({ appId, _id, ...beginsBefore(until) }, update)).matchedCount > 0;
    },

    /** Whether a kept submission of a record names a file. */
    async names(appId: ObjectId, userId: RecordId, file: string, level: ReadConcernLevel): Promise<boolean> {
      const stages = [
        { $match: { appId, userId } },
        { $match: { $expr: namesFile('$data', file) } },
        { $limit: 1 },
        { $project: { _id: 1 } },
      ];
      return (await kept.aggregate(stages, { hint: OF_RECORD, readConcern: { level } }).toArray()).length > 0;
    },

    /** Marks an infected file in the submissions of a record, also in waiting ones. */
    async markInfected(appId: ObjectId, userId: RecordId, file: string): Promise<void> {
      await keep([appId], [userId]);
      const naming = { appId, userId, $expr: namesFile('$data', file) };
      for await (const { _id, data } of kept.find(naming, { projection: { data: 1 }, hint: OF_RECORD })) {
        const $set = Object.fromEntries(
          Object.entries(markedFiles(data, file)).map(([key, value]) => [`data.${key}`, value]),
        );
        if (Object.keys($set).length > 0) await kept.updateOne({ appId, _id }, { $set });
      }
    },

    consumer: {
      async consume(events) {
        const submissions = events.filter((event) => event.kept);
        for (let at = 0; at < submissions.length; at += EVENTS_AT_ONCE) {
          const some = submissions.slice(at, at + EVENTS_AT_ONCE);
          await keep(
            some.map(({ appId }) => appId),
            some.map(({ recordId }) => recordId),
            some.map(({ id }) => new UUID(id)),
          );
        }
        const erased = events.filter(({ type }) => type === 'user.erased');
        await removeOf(
          erased.map(({ appId }) => appId),
          erased.map(({ recordId }) => recordId),
        );
      },
    } satisfies EventConsumer,

    /** Drops submissions of an app that are older, as `dropOld` of the history does. */
    dropOld: async (appId: ObjectId, { before, until }: Older): Promise<boolean> =>
      !(await removeSome(kept, { appId, _id: { $lt: firstIdAt(before) } }, DROP_MS, async () => until)),

    traces: {
      exist: async (appIds, ids) =>
        (await kept.findOne(ofRecords(appIds, ids), { projection: { _id: 1 }, hint: OF_RECORD })) !== null,
      remove: removeOf,
      async readdress({ appId, _id: userId, email }, until) {
        const others = { appId, userId, email: { $ne: email } };
        const options = { projection: { _id: 1 }, hint: OF_RECORD, limit: READDRESSED_AT_ONCE } as const;
        for (;;) {
          const inTime = beginsBefore(await until());
          const found = await kept.find(others, options).toArray();
          if (found.length === 0) return;
          const those = { ...others, _id: { $in: found.map(({ _id }) => _id) }, ...inTime };
          await kept.updateMany(those, { $set: { email, s0: slotOf(email) } });
        }
      },
    } satisfies RecordTraces,

    /** What is kept of a person. */
    personal: {
      name: 'submissions',
      async *entriesOf(appIds, email) {
        const options = { hint: OF_PERSON, batchSize: 20 };
        for await (const one of kept.find(ofPerson(appIds, email), options)) {
          const { _id, userId, createdAt, data, page, lang, done } = one;
          const shown = { id: String(_id), record: String(userId), at: createdAt.toISOString(), data };
          yield {
            appId: one.appId,
            shown: {
              kind: 'submission',
              ...shown,
              ...(page && { page }),
              ...(lang && { lang }),
              ...(done && { done }),
            },
          };
        }
      },
      eraseOf: (appIds, email, guard) => removeInSteps(kept, ofPerson(appIds, email), guard, ['appId']),
    } satisfies PersonData,

    owned: ownedBy(kept, '_id', { valueAt: firstIdAt }) satisfies AppOwned,
  };
}

const slotOf = (email: string): string => String(indexText(email) ?? email);

const ofPerson = (appIds: readonly ObjectId[], email: string) => ({
  appId: { $in: [...appIds] },
  s0: slotOf(email),
  email,
});

const EMAIL_START = { $substrBytes: ['$email', 0, MAX_CODE_POINTS] };
/** The index value of an email (`indexText`): ASCII in lower case, so only its length matters. */
const EMAIL_SLOT = {
  $cond: [
    { $gt: [{ $strLenBytes: '$email' }, MAX_CODE_POINTS] },
    { $concat: [EMAIL_START, '\0', EMAIL_START, '\0'] },
    '$email',
  ],
};

/** The stages that make submissions of the events that wait in matched records. */
function keptOf(events?: readonly UUID[]): object[] {
  const waits = { $in: ['$$this.id', { $ifNull: ['$outbox.id', []] }] };
  const isMeant = events ? { $and: [waits, { $in: ['$$this.id', events] }] } : waits;
  const place = { $indexOfArray: ['$outbox.id', '$history.id'] };
  const after = { $subtract: [{ $subtract: [{ $size: '$outbox' }, 1] }, place] };
  const key = { $rtrim: { input: { $substrBytes: ['$$this.path', 'data.'.length, -1] }, chars: '[]' } };
  const has = (value: string) => ({ $ne: [{ $type: value }, 'missing'] });
  // A value that the submission only resets has one before.
  const isSent = { $and: [has('$$this.after'), { $not: [has('$$this.before')] }] };
  const values = { $filter: { input: '$history.changes', cond: isSent } };
  return [
    { $set: { history: { $filter: { input: { $ifNull: ['$history', []] }, cond: isMeant } } } },
    { $unwind: '$history' },
    { $set: { event: { $arrayElemAt: ['$outbox', place] } } },
    {
      $project: {
        _id: '$history.id',
        userId: '$_id',
        appId: 1,
        sourceAppId: 1,
        email: 1,
        s0: EMAIL_SLOT,
        data: { $arrayToObject: { $map: { input: values, in: { k: key, v: '$$this.after' } } } },
        schemaVersion: '$history.version',
        createdAt: '$history.at',
        updatedAt: '$history.at',
        revision: { $subtract: ['$eventCount', after] },
        created: { $eq: ['$history.id', '$_id'] },
        page: '$event.page',
        lang: '$event.lang',
      },
    },
  ];
}
