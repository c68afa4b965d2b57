import type { RecordFilter } from '../../core/users/users.model.ts';
import { foldText, parseWords } from '../../platform/text/words.ts';
import { foldedTexts, readEmail } from '../indexes/record-words.ts';
import { type Bounds, EVERY_ASCENDING, EVERY_ID, type Segment } from '../record-reads/ranges.ts';
import { recordFilter } from '../record-reads/record-filters.ts';
import type { RecordSearch } from '../record-reads/word-reads.ts';
import { emailPrefix } from './index-bounds.ts';

/** Spec 8. */
export const MAX_SEARCH_LENGTH = 100;

export type TextSearch = ReturnType<typeof textSearch>;

/**
 * The search by words of emails and data (`q`, spec 4.3).
 * @param isReady whether the app's index of words is complete; undefined when it has none
 */
export function textSearch(text: string, isReady?: () => Promise<boolean>) {
  const query = parseWords(text);
  const { kept, isEmpty, asciiPatterns } = query;
  const matches = (document: Uint8Array): boolean => query.matches(foldedTexts(document));
  const index = isReady && { beginnings: kept, isReady };
  const search = { matches, index };
  const start = emailStart(text);
  const segment = (name: string, bounds: Bounds, filter: RecordFilter, own?: RecordSearch): Segment => ({
    index: name,
    bounds,
    isReversed: false,
    filter,
    isOfKeys: false,
    ...(own && { search: own }),
  });
  return {
    /** A condition besides the filters of a query. */
    search,
    /** Without a letter or digit it matches nothing. */
    isEmpty,
    /** Emails that begin with the text, then the other matches, newest first. */
    segments(also: RecordFilter): Segment[] {
      if (isEmpty) return [];
      if (start === undefined) return [segment('id', EVERY_ID, also, search)];
      const others = (document: Uint8Array): boolean => !readEmail(document).startsWith(start) && matches(document);
      return [
        ...emailPrefix(start).map((bounds) => segment('email', bounds, also)),
        segment('id', EVERY_ID, also, { matches: others, index }),
      ];
    },
    /** Matches the emails that have all words. Stored emails are ASCII, in lower case. */
    inEmail: recordFilter(
      asciiPatterns && !isEmpty
        ? { $and: asciiPatterns.map((pattern) => ({ email: { $regex: pattern } })) }
        : { email: { $in: [] } },
    ),
    /** Finds, across all apps, the matches by other texts, newest first. */
    acrossApps(also: RecordFilter): Segment[] {
      if (isEmpty) return [];
      const others = (document: Uint8Array): boolean =>
        !query.matches(foldText(readEmail(document))) && matches(document);
      const all = segment('all', EVERY_ASCENDING, also, { matches: others });
      return [{ ...all, isReversed: true }];
    },
  };
}

/** The beginning of an email that the text may be; its words are then words of the email. */
function emailStart(text: string): string | undefined {
  const start = text.trim().toLowerCase();
  return /^[a-z0-9][!#-~]*$/.test(start) ? start : undefined;
}
