import { BSONRegExp, MaxKey, MinKey, type ObjectId } from 'mongodb';
import type { RecordFilter, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { isEmptyRange, isOverTime } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { ANY_WORD } from '../../platform/text/words.ts';
import { allOf } from './record-filters.ts';

/** The index of words for all apps. Records of one word are in the order of their creation. */
export const BY_WORD = { appId: 1, words: 1, _id: -1 } as const;

/** A condition on the texts of a record that no filter expresses. */
export interface RecordSearch {
  /** Whether a document with `email` and `data` matches. */
  matches(document: Uint8Array): boolean;
  /** The index of words of the app. Undefined: there is none. */
  index?: WordIndex | undefined;
}

interface WordIndex {
  /** The beginnings of words that each match has; at least one. */
  beginnings: readonly string[];
  /** Whether the index is complete. A walk asks again, because the index may be dropped. */
  isReady(): Promise<boolean>;
}

/** How the records that may match are read: all conditions, and those for the index on words. */
interface WordPlan {
  filter: RecordFilter;
  /** Undefined: by another index. */
  byWord: RecordFilter | undefined;
}

/** How many records a choice depends on. Smaller in tests only. */
export interface WordLimits {
  /** The records of a beginning with fewer are read as a whole and sorted. */
  few: number;
  /** Of several with more, the rarest one is compared with the others up to this number. */
  fewOfSeveral: number;
  /** The words with one beginning whose records are merged in the order of their ids. */
  merged: number;
}

const LIMITS: WordLimits = { few: 1_000, fewOfSeveral: 4_000, merged: 16 };
const LOOK_TIME_MS = 500;
const READY_FOR_MS = 1_000;

type Run = <T>(query: () => Promise<T>) => Promise<T>;

/** Chooses once per walk how its searches are read. */
export function createWordPlans(users: UserCollection, limits: WordLimits = LIMITS) {
  const { few, fewOfSeveral, merged } = limits;
  const isBegun = (beginning: string) => new BSONRegExp(`^${beginning}`);

  async function countUpTo(appId: ObjectId, beginning: string, most: number): Promise<number> {
    const filter = typedFilter<UserDocument>({ appId, words: isBegun(beginning) });
    try {
      return await users.countDocuments(filter, { hint: BY_WORD, limit: most, maxTimeMS: LOOK_TIME_MS });
    } catch (error) {
      if (isOverTime(error)) return most;
      throw error;
    }
  }

  /** The words of this beginning in the index; undefined when there are too many. */
  async function wordsOf(appId: ObjectId, beginning: string, run: Run): Promise<string[] | undefined> {
    const words: string[] = [];
    const max = { appId, words: `${beginning}\u{10ffff}`, _id: new MaxKey() };
    let min: Record<string, unknown> = { appId, words: beginning, _id: new MaxKey() };
    for (;;) {
      const options = { hint: BY_WORD, min, max, limit: 1, returnKey: true, maxTimeMS: LOOK_TIME_MS } as const;
      const [key] = await run(() => users.find<{ words: string }>({ appId }, options).toArray()).catch(noneIfEmpty);
      if (!key) return words;
      if (words.length === merged) return undefined;
      words.push(key.words);
      // After the last key of the word: its ids are in descending order.
      min = { appId, words: key.words, _id: new MinKey() };
    }
  }

  /** The rarest beginning with few records, or words whose records the index has in order. */
  async function chooseWords(appId: ObjectId, beginnings: readonly string[], run: Run) {
    for (const most of beginnings.length > 1 ? [few, fewOfSeveral] : [few]) {
      const counts: number[] = [];
      for (const one of beginnings) counts.push(await run(() => countUpTo(appId, one, most)));
      const least = Math.min(...counts);
      const rarest = counts.indexOf(least);
      if (least < most) return { rarest, words: [isBegun(beginnings[rarest] as string)] };
    }
    // The longest one.
    const words = await wordsOf(appId, beginnings[0] as string, run);
    return words && { rarest: 0, words };
  }

  async function choose(appId: ObjectId, { beginnings }: WordIndex, run: Run): Promise<WordPlan> {
    const chosen = await chooseWords(appId, beginnings, run);
    if (!chosen) return withoutIndex(beginnings);
    const { rarest, words } = chosen;
    const byWord = typedFilter<UserDocument>({ words: { $in: [...words, ANY_WORD] } });
    const others = beginnings.filter((_, at) => at !== rarest);
    // As a negation, so that MongoDB cannot choose the keys of another beginning.
    const none = others.map((one) => ({ words: { $nin: [isBegun(one), ANY_WORD] } }));
    const filter = none.length > 0 ? typedFilter<UserDocument>({ $nor: none }) : {};
    return { filter: allOf(byWord, filter), byWord };
  }

  function withoutIndex(beginnings: readonly string[]): WordPlan {
    const each = beginnings.map((one) => ({ words: { $in: [isBegun(one), ANY_WORD] } }));
    return { filter: typedFilter<UserDocument>({ $and: each }), byWord: undefined };
  }

  return (appId: ObjectId | undefined, index: WordIndex | undefined, isInOrderOfIds: boolean) => {
    let plan: WordPlan | undefined;
    let checkedAt = performance.now();
    let isUsable = index !== undefined && appId !== undefined;
    return {
      /** Undefined: each record is read. */
      async current(run: Run): Promise<WordPlan | undefined> {
        if (!isUsable || !index || !appId) return undefined;
        if (performance.now() - checkedAt > READY_FOR_MS) {
          isUsable = await index.isReady();
          if (!isUsable) return undefined;
          checkedAt = performance.now();
        }
        plan ??= isInOrderOfIds ? await choose(appId, index, run) : withoutIndex(index.beginnings);
        return plan;
      },

      /** The index took too long: the walk continues in ranges of another one. */
      giveUp(): void {
        if (index) plan = withoutIndex(index.beginnings);
      },
    };
  };
}

function noneIfEmpty(error: unknown): [] {
  if (isEmptyRange(error)) return [];
  throw error;
}
