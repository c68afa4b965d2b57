import { LRUCache } from 'lru-cache';
import { isDuplicateKey, isTypeMismatch } from '../database/failures.ts';
import { Conflict, KeyReused, Unavailable } from '../errors.ts';
import { createNewcomers } from './newcomers.ts';
import type { RecordId } from './record-id.ts';
import type { RecordWriter } from './record-writer.ts';
import { insertOf, type Submission, upsertOf, type Written } from './submission.ts';
import { explainConflict, turnIntoArray } from './submission-conflict.ts';
import type { UserCollection } from './users.model.ts';

/** Each attempt but the first means that another submission of the same person got in between. */
const MAX_ATTEMPTS = 12;

/** Of how many people who submitted last the record's id is remembered: a few megabytes. */
const MAX_KNOWN = 20_000;

/** What the submitter is told (SPEC 4.1). */
export interface StoredSubmission {
  id: RecordId;
  createdAt: Date;
  updatedAt: Date;
}

/** The record carries a newer schema version than the submission was checked against: it must be checked again. */
export class OutdatedSchema extends Error {
  override readonly name = 'OutdatedSchema';
}

/** Stores an accepted submission exactly once, whatever else is written at the same time. */
export type StoreSubmission = (submission: Submission) => Promise<StoredSubmission>;

/**
 * @param newId makes the id for a record that the submission creates
 * @param maxArrayItems the most items that an array field may hold
 */
export function createStoreSubmission(deps: {
  users: UserCollection;
  writer: RecordWriter;
  newId: (createdAt: Date) => RecordId;
  maxArrayItems: number;
}): StoreSubmission {
  const { users, writer, newId, maxArrayItems } = deps;
  const known = new LRUCache<string, Written>({ max: MAX_KNOWN });
  const newcomers = createNewcomers();

  /** Finds out why an upsert was refused: resolves with the answer of a repeat, with nothing when it may be tried again, or throws. */
  async function settle(submission: Submission): Promise<StoredSubmission | undefined> {
    const conflict = await explainConflict(users, submission, maxArrayItems);
    switch (conflict.reason) {
      case 'repeated': {
        const { _id, createdAt, updatedAt } = conflict.record;
        return { id: _id, createdAt, updatedAt };
      }
      case 'key-reused':
        throw new KeyReused();
      case 'newer-schema':
        throw new OutdatedSchema();
      case 'not-an-array':
        await turnIntoArray(users, submission, conflict.key);
        return undefined;
      case 'array-full':
        throw arrayFull(conflict.key, maxArrayItems);
      case 'race':
        return undefined;
    }
  }

  /** For a person who probably has no record; resolves with nothing when there is one. */
  async function insert(submission: Submission, newRecord: RecordId): Promise<Written | undefined> {
    try {
      return await writer.write(insertOf(submission, newRecord));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
  }

  function remember(person: string, { now }: Submission, written: Written): StoredSubmission {
    known.set(person, written);
    // Two first submissions at once: the one that came second may have been sent before the record was made.
    return { ...written, updatedAt: written.createdAt > now ? written.createdAt : now };
  }

  return async (submission) => {
    for (const [key, items] of Object.entries(submission.change.append)) {
      if (items.length > maxArrayItems) throw arrayFull(key, maxArrayItems);
    }
    // By the app's name: should it have been created anew, what is known is of its earlier life, and matches no more than an erased record. Its id would have to be made a text each time.
    const person = `${submission.sourceAppId} ${submission.email}`;
    const newRecord = newId(submission.now);
    let isStranger = !known.has(person);
    if (isStranger && newcomers.areLikely()) {
      const written = await insert(submission, newRecord);
      newcomers.note(written !== undefined);
      if (written) return remember(person, submission, written);
      isStranger = false;
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        const written = await writer.write(upsertOf(submission, newRecord, maxArrayItems, known.get(person)));
        if (isStranger) newcomers.note(written.id.equals(newRecord));
        return remember(person, submission, written);
      } catch (error) {
        if (!isDuplicateKey(error) && !isTypeMismatch(error)) throw error;
        // What was known of the record may be no longer true: it may have been erased and made anew.
        known.delete(person);
        const earlier = await settle(submission);
        if (earlier) return earlier;
      }
    }
    throw new Unavailable('Too many submissions for this record at once; try again shortly', 1);
  };
}

function arrayFull(key: string, maxArrayItems: number): Conflict {
  return new Conflict(`data.${key} is full: it holds at most ${maxArrayItems} items`);
}
