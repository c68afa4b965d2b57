import type { ObjectId } from 'mongodb';
import type { App } from '../../apps/app.ts';
import { isWritten, keepsWords, notAfterEpoch, SLOT_NAMES, type SlotName } from '../../apps/index-slots.ts';
import { type Definition, Mixed } from '../../platform/database/mongoose.ts';
import {
  changeWords,
  FULL_WORDS,
  HAS_ROOM_FOR_WORDS,
  recordWords,
  WORD_COUNT,
  WORDS_BYTES,
} from '../indexes/record-words.ts';
import { slotWrites } from '../indexes/slot-records.ts';
import type { SlotStore } from '../indexes/slots.ts';
import type { WordRecords } from '../indexes/word-records.ts';
import type { WithIndexes } from '../stored/record.ts';
import { OutdatedSchema } from '../write/conflict.ts';
import type { RecordPart } from '../write/record-part.ts';
import type { Submission } from '../write/submission.ts';
import { type EditPart, REPAIRED, type WritePart } from '../write/write-part.ts';

/** The maximum of one index slot: its name, and twice 64 code points of 4 bytes. */
const SLOT_BYTES = 526;

const slotMembers = Object.fromEntries(SLOT_NAMES.map((slot) => [slot, Mixed])) as Record<SlotName, typeof Mixed>;

export const INDEX_MEMBERS: Definition<WithIndexes> = { ...slotMembers, slotEpoch: Number, words: [String] };

interface IndexDeps {
  /** Makes the epoch of an app's slots at least this one. */
  catchUp: SlotStore['catchUp'];
  words: Pick<WordRecords, 'shorten'>;
}

/**
 * The members of records that indexes read: slots of fields, and words of texts. Each write of
 * `data` writes them too, under a lease with these slots (decision 21).
 */
export function createIndexPart(deps: IndexDeps): RecordPart {
  return {
    name: 'indexes',
    members: INDEX_MEMBERS,

    under({ app }) {
      const edits = editIndexes(app, deps);
      // An app that never used a slot has no epoch either.
      if (!app.slots && !keepsWords(app) && app.slotEpoch === undefined) return { edits };
      const slots = (app.slots ?? []).filter(isWritten).length;
      return {
        reserved: slots * SLOT_BYTES + (keepsWords(app) ? WORDS_BYTES : 0),
        begin: (submission) => indexWrite(submission, app, deps),
        edits,
      };
    },
  };
}

type Indexed = Pick<App, 'slots' | 'words' | 'slotEpoch'>;

/** Refuses a write with earlier index slots than those of the record. @throws {OutdatedSchema} */
async function refuseOldSlots(appId: ObjectId, stored = 0, own = 0, catchUp: IndexDeps['catchUp']): Promise<void> {
  if (stored <= own) return;
  await catchUp(appId, stored);
  throw new OutdatedSchema();
}

interface Facts {
  slotEpoch?: number;
  wordCount?: number;
}

function indexWrite(
  { appId, email, change, defaults }: Submission,
  app: Indexed,
  { catchUp, words: records }: IndexDeps,
): WritePart<never, Facts> {
  const slots = slotWrites(app.slots, change, defaults?.values) ?? [];
  const words = keepsWords(app) ? changeWords(email, change, defaults?.values) : undefined;
  const { slotEpoch } = app;
  return {
    name: 'indexes',
    bytes: 0,

    insert(record) {
      if (words) record.words = [...words];
      if (slotEpoch !== undefined) record.slotEpoch = slotEpoch;
      // Absent fields too, so that one index serves the filters and the order of all records.
      for (const { slot, initial = null, value = initial } of slots) record[slot] = value;
    },

    upsert({ filter, update }) {
      for (const { slot, initial = null, value } of slots) {
        if (value === undefined) update.$setOnInsert[slot] = initial;
        else update.$set[slot] = value;
      }
      if (words) {
        // The words of replaced values stay: they are not known.
        Object.assign(filter, HAS_ROOM_FOR_WORDS);
        update.$addToSet = { words: { $each: words } };
      }
      if (slotEpoch !== undefined) {
        // Also without slots: those of the record may belong to a later use.
        Object.assign(filter, notAfterEpoch(slotEpoch));
        update.$set.slotEpoch = slotEpoch;
      }
      return false;
    },

    facts: () => ({ slotEpoch: '$slotEpoch', ...(words && { wordCount: WORD_COUNT }) }),

    async explain({ slotEpoch: stored, wordCount = 0 }) {
      await refuseOldSlots(appId, stored, slotEpoch, catchUp);
      if (wordCount < FULL_WORDS) return undefined;
      await records.shorten({ appId, email }, slotEpoch ?? 0);
      return REPAIRED;
    },

    listed(key) {
      // A list has no index value.
      const emptied = Object.fromEntries(slots.filter((write) => write.key === key).map(({ slot }) => [slot, null]));
      if (slotEpoch === undefined) return { filter: {}, set: emptied };
      return { filter: notAfterEpoch(slotEpoch), set: { ...emptied, slotEpoch } };
    },
  };
}

const editIndexes = (app: Indexed, { catchUp, words: records }: IndexDeps): EditPart<Facts> => ({
  name: 'indexes',
  facts: { slotEpoch: '$slotEpoch', wordCount: WORD_COUNT },

  isReady({ slotEpoch = 0, wordCount = 0 }, isWhole) {
    if (slotEpoch > (app.slotEpoch ?? 0)) return false;
    // The words of a whole record replace the stored ones.
    return isWhole || !keepsWords(app) || wordCount < FULL_WORDS;
  },

  async repair({ slotEpoch }, { appId, email }) {
    await refuseOldSlots(appId, slotEpoch, app.slotEpoch, catchUp);
    await records.shorten({ appId, email }, app.slotEpoch ?? 0);
  },

  add({ filter, update }, { email, set, unset, after, isWhole }) {
    const absent = Object.fromEntries(unset.map((key) => [key, undefined]));
    for (const { slot, value } of slotWrites(app.slots, { set: { ...set, ...absent }, append: {} }) ?? []) {
      if (value !== undefined) update.$set[slot] = value;
    }
    if (app.slotEpoch !== undefined) {
      Object.assign(filter, notAfterEpoch(app.slotEpoch));
      update.$set.slotEpoch = app.slotEpoch;
    }
    if (!keepsWords(app)) return undefined;
    if (isWhole) update.$set.words = recordWords(email, after);
    else {
      // Only some values are known, so the words of replaced ones stay.
      Object.assign(filter, HAS_ROOM_FOR_WORDS);
      update.$addToSet = { words: { $each: changeWords(email, { set, append: {} }) } };
    }
    return undefined;
  },
});
