import type { ObjectId, UUID } from 'mongodb';
import type { RecordFilter, RecordUpdate, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { decode, decodeExactly } from '../../platform/database/collections.ts';
import { changing, typedFilter } from '../../platform/database/filters.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import { ANY_WORD } from '../../platform/text/words.ts';
import { readNext } from '../record-reads/record-filters.ts';
import { BY_WORD } from '../record-reads/word-reads.ts';
import { type BuildFence, type BuiltBatch, createMemberIndex, latestAfter } from './index-builds.ts';
import { type IndexUse, notAfterEpoch } from './index-slots.ts';
import { MAX_WORDS_DATA, recordWords } from './record-words.ts';

const WITH_WORDS = { words: { $exists: true } };

/** Words are computed for about a millisecond in one turn of the event loop. */
const RECORDS_PER_TURN = 100;

type ReadRecord = Pick<UserDocument, '_id' | 'appId' | 'email' | 'words' | 'slotEpoch'> & {
  /** Absent when it is large. */
  data?: Record<string, unknown>;
};

const PROJECTION = {
  appId: 1,
  email: 1,
  words: 1,
  slotEpoch: 1,
  data: {
    $cond: [
      {
        $cond: [{ $eq: [{ $type: '$data' }, 'object'] }, { $lte: [{ $bsonSize: '$data' }, MAX_WORDS_DATA] }, false],
      },
      '$data',
      '$$REMOVE',
    ],
  },
};

export type WordRecords = ReturnType<typeof createWordRecords>;

/**
 * Keeps the words of records (decision 46). They may be too many, because a submission does not
 * know which words the values had that it replaces; a search compares each record that they find.
 */
export function createWordRecords(users: UserCollection, { pause }: Pick<OperatorLoad, 'pause'>) {
  const index = createMemberIndex(users, 'words', BY_WORD);

  /** Adds words; a late one does no harm unless the index was dropped, which the epoch refuses. */
  function addition(record: ReadRecord, missing: readonly string[], slotEpoch: number) {
    const { _id, appId, email } = record;
    return {
      filter: { _id, appId, email, ...notAfterEpoch(slotEpoch) },
      update: changing<UserDocument>({
        ...(missing.length > 0 && { $addToSet: { words: { $each: missing } } }),
        $set: { slotEpoch },
      }),
    };
  }

  /** Replaces the words if `data` is as it was read. */
  function replacement(bytes: Uint8Array, exact: readonly string[], slotEpoch: number) {
    const { _id, appId, email } = decode<ReadRecord>(bytes);
    const { data } = decodeExactly<ReadRecord>(bytes);
    const same = { ...notAfterEpoch(slotEpoch), ...(data && { data: { $eq: data } }) };
    const filter = typedFilter<UserDocument>({ _id, appId, email, ...same });
    return { filter, update: changing<UserDocument>({ $set: { words: exact } }) };
  }

  function compare({ email, data, words = [] }: ReadRecord) {
    const exact = data ? recordWords(email, data) : [ANY_WORD];
    const stored = new Set(words);
    const missing = exact.filter((word) => !stored.has(word));
    return { exact, missing, hasStale: stored.size + missing.length > exact.length };
  }

  return {
    indexOf: () => index,

    /** Adds the missing words of `limit` records after `from`, newest first, and removes others. */
    async build(
      appId: ObjectId,
      uses: readonly IndexUse[],
      from: UUID | undefined,
      limit: number,
      fence: BuildFence,
    ): Promise<BuiltBatch> {
      const { slotEpoch } = fence;
      const since = Math.max(...uses.map((use) => use.since));
      const options = { projection: PROJECTION, raw: true };
      const found = await readNext<Uint8Array>(users, appId, { from, limit }, options);
      const additions: ReturnType<typeof addition>[] = [];
      const replacements: ReturnType<typeof replacement>[] = [];
      const read: Pick<ReadRecord, '_id' | 'slotEpoch'>[] = [];
      for (const [at, bytes] of found.entries()) {
        if (at > 0 && at % RECORDS_PER_TURN === 0) await pause();
        const record = decode<ReadRecord>(bytes);
        const { exact, missing, hasStale } = compare(record);
        if (missing.length > 0 || (record.slotEpoch ?? 0) < since) additions.push(addition(record, missing, slotEpoch));
        else if (hasStale) replacements.push(replacement(bytes, exact, slotEpoch));
        const { _id, slotEpoch: epoch = 0 } = record;
        read.push({ _id, slotEpoch: epoch });
      }
      // A record that changed keeps superfluous words until it is checked again.
      if (replacements.length > 0) await write(replacements);
      const matched = additions.length > 0 ? await write(additions) : 0;
      return {
        read: read.length,
        last: read.at(-1)?._id,
        isDisturbed: matched < additions.length,
        ahead: latestAfter(fence, read),
      };
    },

    /** Adds the missing words of one record; false when it has a later epoch. */
    async complete(record: Pick<UserDocument, 'appId' | 'email'>, slotEpoch: number): Promise<boolean> {
      const { appId, email } = record;
      const found = await users.findOne<ReadRecord>({ appId, email }, { projection: PROJECTION });
      const missing = found ? compare(found).missing : [];
      if (!found || missing.length === 0) return true;
      const { filter, update } = addition(found, missing, slotEpoch);
      return (await users.updateOne(filter, update)).matchedCount === 1;
    },

    /** Removes the words of values that were replaced, unless the record changes meanwhile. */
    async shorten(record: Pick<UserDocument, 'appId' | 'email'>, slotEpoch: number): Promise<void> {
      const { appId, email } = record;
      const [bytes] = await users
        .find<Uint8Array>({ appId, email }, { projection: PROJECTION, raw: true, limit: 1 })
        .toArray();
      if (!bytes) return;
      const { filter, update } = replacement(bytes, compare(decode<ReadRecord>(bytes)).exact, slotEpoch);
      await users.updateOne(filter, update);
    },

    /** Removes the words of one record; false when it has a later epoch. */
    async clear(record: Pick<UserDocument, 'appId' | 'email'>, slotEpoch: number): Promise<boolean> {
      const { appId, email } = record;
      const found = await users.findOne<ReadRecord>({ appId, email, ...WITH_WORDS }, { projection: { slotEpoch: 1 } });
      if (!found) return true;
      const filter = { appId, email, ...notAfterEpoch(slotEpoch) };
      return (await users.updateOne(filter, { $unset: { words: 1 } })).matchedCount === 1;
    },
  };

  async function write(writes: { filter: RecordFilter; update: RecordUpdate }[]): Promise<number> {
    const { matchedCount } = await users.bulkWrite(
      writes.map((one) => ({ updateOne: one })),
      { ordered: false },
    );
    return matchedCount;
  }
}
