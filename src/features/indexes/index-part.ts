import type { App } from '../../core/apps/app.ts';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { OutdatedSchema } from '../../core/users/conflict.ts';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import type { CheckedWrite, Requirement, WritePart } from '../../core/users/write-part.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { type Definition, Mixed } from '../../platform/database/mongoose.ts';
import type { IndexValue } from '../../platform/text/index-value.ts';
import type { RecordBase, RecordFeature } from '../records/base.ts';
import type { EditPart } from '../records/edit-part.ts';
import {
  type AppIndexes,
  isSameIndexes,
  isWritten,
  keepsWords,
  notAfterEpoch,
  SLOT_NAMES,
  type SlotName,
} from './index-slots.ts';
import { createIndexedFields } from './indexed-fields.ts';
import { changeWords, FULL_WORDS, HAS_ROOM_FOR_WORDS, recordWords, WORD_COUNT, WORDS_BYTES } from './record-words.ts';
import { createSlotJob } from './slot-job.ts';
import { createSlotRecords, type SlotRecords, slotWrites } from './slot-records.ts';
import { createSlotStore, type SlotStore } from './slots.ts';
import { createWordJob, createWordStore } from './word-index.ts';
import { createWordRecords, type WordRecords } from './word-records.ts';

interface WithIndexes extends Partial<Record<SlotName, IndexValue>> {
  /** The highest epoch of the app's slots at a write (decision 21). Lower ones are refused. */
  slotEpoch?: number;
  /** The words of the email and of the texts in `data`, and others (word-records.ts). */
  words?: string[];
}

declare module '../../core/users/users.model.ts' {
  interface UserDocument extends WithIndexes {}
}

/** The maximum of one index slot: its name, and twice 64 code points of 4 bytes. */
const SLOT_BYTES = 526;

const slotMembers = Object.fromEntries(SLOT_NAMES.map((slot) => [slot, Mixed])) as Record<SlotName, typeof Mixed>;

const INDEX_MEMBERS: Definition<WithIndexes> = { ...slotMembers, slotEpoch: Number, words: [String] };

interface IndexDeps {
  /** Makes the epoch of an app's slots at least this one. */
  catchUp: SlotStore['catchUp'];
  words: Pick<WordRecords, 'shorten' | 'complete' | 'clear'>;
  slotRecords: Pick<SlotRecords, 'correct'>;
  leases: Pick<SchemaLeases, 'hold'>;
}

/** Creates the indexes of fields and of words (decision 21). */
export function createIndexes({ users, load, apps, schemas, renames, passes }: RecordBase) {
  const slots = createSlotStore(apps.model);
  const words = createWordStore(apps.model, apps.revision);
  const slotRecords = createSlotRecords(users);
  const wordRecords = createWordRecords(users, load);
  const { catchUp } = slots;
  const { leases, model } = schemas;
  return {
    slots,
    words,
    feature: {
      part: createIndexPart({ catchUp, words: wordRecords, slotRecords, leases }),
      jobs: [
        createSlotJob({ ...passes, store: slots, records: slotRecords, indexed: createIndexedFields(model), renames }),
        createWordJob({ ...passes, store: words, records: wordRecords, catchUp }),
      ],
    } satisfies RecordFeature,
  };
}

/**
 * The members of records that indexes read: slots of fields, and words of texts. Each write of
 * `data` writes them too, under a lease with these slots (decision 21).
 */
export function createIndexPart(deps: IndexDeps): RecordPart {
  return {
    name: 'indexes',
    members: INDEX_MEMBERS,

    async correct(write, before, current) {
      if (!isSameIndexes(current.app, before)) await correctIndexes(write, before, deps);
    },

    under({ app }) {
      const requires = requirementsOf(app, deps);
      const edits = editIndexes(app, requires);
      // An app that never used a slot has no epoch either.
      if (!app.slots && !keepsWords(app) && app.slotEpoch === undefined) return { edits };
      const slots = (app.slots ?? []).filter(isWritten).length;
      return {
        reserved: slots * SLOT_BYTES + (keepsWords(app) ? WORDS_BYTES : 0),
        begin: (submission) => indexWrite(submission, app, requires),
        edits,
      };
    },
  };
}

/**
 * Corrects the slots and the words of a record, because a build may have passed it.
 * @param before the indexes of the write's lease @throws {Unavailable} when they keep changing
 */
async function correctIndexes(
  write: CheckedWrite,
  before: AppIndexes,
  { leases, slotRecords, words }: IndexDeps,
): Promise<void> {
  for (const again = limitAttempts(); ; again()) {
    const lease = await leases.hold(write.sourceAppId);
    // Another incarnation has other records; those of this one are being removed.
    if (!lease?.app.id.equals(write.appId)) return;
    if (isSameIndexes(lease.app, before)) return;
    const current = (lease.app.slots ?? []).filter(isWritten);
    const unused = (before.slots ?? [])
      .filter((use) => isWritten(use) && !current.some(({ slot }) => slot === use.slot))
      .map(({ slot }) => slot);
    const { slotEpoch = 0 } = lease.app;
    const isIndexed = keepsWords(lease.app);
    const isCorrected =
      (await slotRecords.correct(write, current, unused, slotEpoch)) &&
      (isIndexed
        ? await words.complete(write, slotEpoch)
        : !keepsWords(before) || (await words.clear(write, slotEpoch)));
    if (isCorrected && lease.isCurrent()) return;
  }
}

type Indexed = Pick<App, 'slots' | 'words' | 'slotEpoch'>;

function requirementsOf(app: Indexed, { catchUp, words: records }: IndexDeps): readonly Requirement[] {
  const { slotEpoch = 0 } = app;
  const slots: Requirement<number> = {
    name: 'slots',
    // Also without slots: those of the record may belong to a later use.
    filter: app.slotEpoch === undefined ? {} : notAfterEpoch(app.slotEpoch),
    facts: { $ifNull: ['$slotEpoch', 0] },
    isMet: (stored) => stored <= slotEpoch,

    /** @throws {OutdatedSchema} */
    async restore(stored, { appId }) {
      await catchUp(appId, stored);
      throw new OutdatedSchema();
    },
  };
  const words: Requirement<number> = {
    name: 'room for words',
    filter: HAS_ROOM_FOR_WORDS,
    facts: WORD_COUNT,
    isMet: (count) => count < FULL_WORDS,
    restore: (_facts, { appId, email }) => records.shorten({ appId, email }, slotEpoch),
    // The words of a whole record replace the stored ones.
    onlyPartial: true,
  };
  return keepsWords(app) ? [slots, words] : [slots];
}

function indexWrite(
  { email, change, defaults }: Submission,
  app: Indexed,
  requires: readonly Requirement[],
): WritePart<never> {
  const slots = slotWrites(app.slots, change, defaults?.values) ?? [];
  const words = keepsWords(app) ? changeWords(email, change, defaults?.values) : undefined;
  const { slotEpoch } = app;
  return {
    name: 'indexes',
    bytes: 0,
    requires,

    insert(record) {
      if (words) record.words = [...words];
      if (slotEpoch !== undefined) record.slotEpoch = slotEpoch;
      // Absent fields too, so that one index serves the filters and the order of all records.
      for (const { slot, initial = null, value = initial } of slots) record[slot] = value;
    },

    upsert({ update }) {
      for (const { slot, initial = null, value } of slots) {
        if (value === undefined) update.$setOnInsert[slot] = initial;
        else update.$set[slot] = value;
      }
      // The words of replaced values stay: they are not known.
      if (words) update.$addToSet = { words: { $each: words } };
      if (slotEpoch !== undefined) update.$set.slotEpoch = slotEpoch;
      return false;
    },

    listed(key) {
      // A list has no index value.
      const emptied = Object.fromEntries(slots.filter((write) => write.key === key).map(({ slot }) => [slot, null]));
      if (slotEpoch === undefined) return { filter: {}, set: emptied };
      return { filter: notAfterEpoch(slotEpoch), set: { ...emptied, slotEpoch } };
    },
  };
}

const editIndexes = (app: Indexed, requires: readonly Requirement[]): EditPart => ({
  name: 'indexes',
  requires,

  add({ update }, { email, set, unset, after, isWhole }) {
    const absent = Object.fromEntries(unset.map((key) => [key, undefined]));
    for (const { slot, value } of slotWrites(app.slots, { set: { ...set, ...absent }, append: {} }) ?? []) {
      if (value !== undefined) update.$set[slot] = value;
    }
    if (app.slotEpoch !== undefined) update.$set.slotEpoch = app.slotEpoch;
    if (!keepsWords(app)) return undefined;
    if (isWhole) update.$set.words = recordWords(email, after);
    // Only some values are known, so the words of replaced ones stay.
    else update.$addToSet = { words: { $each: changeWords(email, { set, append: {} }) } };
    return undefined;
  },
});
