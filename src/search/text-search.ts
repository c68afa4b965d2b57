import { literal } from '../database/collections.ts';
import { type Bounds, EVERY_ASCENDING, EVERY_ID, type Segment } from '../records/ranges.ts';
import { allOf, type RecordFilter } from '../records/record.ts';
import { emailPrefix } from './index-bounds.ts';

/** The search for a text in emails and data (`q`, spec 4.3). */
export interface TextSearch {
  /** Matches the same records as the segments. */
  filter: RecordFilter;
  /** Emails that begin with the text, others that contain it, then data, newest first. */
  segments(also: RecordFilter): Segment[];
  inEmail: RecordFilter;
  /** Finds, across all apps, other records whose data contains the text, newest first. */
  acrossApps(also: RecordFilter): Segment[];
}

/** Spec 8. */
export const MAX_SEARCH_LENGTH = 100;

type Expression = Record<string, unknown>;

export function textSearch(text: string): TextSearch {
  // Stored emails are in lower case. Index keys are compared without the option `i`.
  const email = text.normalize('NFKC').toLowerCase();
  const inEmail = { email: { $regex: literal(email) } } as RecordFilter;
  const startsEmail = { email: { $regex: `^${literal(email)}` } } as RecordFilter;
  const inData = dataFilter(textPattern(text));
  return {
    filter: { $or: [inEmail, inData] } as RecordFilter,
    inEmail,
    acrossApps: (also) => [
      {
        ...{ index: 'all', bounds: EVERY_ASCENDING, isReversed: true },
        filter: allOf(inData, { $nor: [inEmail] } as RecordFilter, also),
        isOfKeys: false,
      },
    ],
    segments(also) {
      const part = (index: string, bounds: Bounds, filter: RecordFilter): Segment => ({
        index,
        bounds,
        isReversed: false,
        filter: allOf(filter, also),
        isOfKeys: false,
      });
      return [
        ...emailPrefix(email).map((bounds) => part('email', bounds, {})),
        part('email', EVERY_ASCENDING, { $and: [inEmail, { $nor: [startsEmail] }] } as RecordFilter),
        part('id', EVERY_ID, { $and: [inData, { $nor: [inEmail] }] } as RecordFilter),
      ];
    },
  };
}

/** Matches the text as it was sent, and in its normalized forms. */
function textPattern(text: string): string {
  const forms = [text, ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form) => text.normalize(form))];
  return [...new Set(forms)].map(literal).join('|');
}

/** Matches a text as a value, an item or an object's member. Keys may be unknown to the schema. */
function dataFilter(pattern: string): RecordFilter {
  return { $expr: anyText('$data', { $literal: pattern }, 2) } as RecordFilter;
}

/** Whether a member of an object, up to `depth` levels deep, is a text that matches. */
function anyText(object: string, pattern: Expression, depth: number): Expression {
  const member = `member${depth}`;
  const inMember = textIn(`$$${member}.v`, pattern, depth);
  return { $anyElementTrue: [{ $map: { input: { $objectToArray: object }, as: member, in: inMember } }] };
}

function textIn(value: string, pattern: Expression, depth: number): Expression {
  const isText = { $regexMatch: { input: value, regex: pattern, options: 'i' } };
  if (depth <= 1) return when(isOfType(value, 'string'), isText, false);
  const item = `item${depth}`;
  const inObject = (path: string) => when(isOfType(path, 'object'), anyText(path, pattern, depth - 1), false);
  const inItem = when(
    isOfType(`$$${item}`, 'string'),
    { $regexMatch: { input: `$$${item}`, regex: pattern, options: 'i' } },
    inObject(`$$${item}`),
  );
  const inArray = { $anyElementTrue: [{ $map: { input: value, as: item, in: inItem } }] };
  return when(isOfType(value, 'string'), isText, when({ $isArray: [value] }, inArray, inObject(value)));
}

const isOfType = (value: string, type: string): Expression => ({ $eq: [{ $type: value }, type] });
const when = (condition: Expression, result: Expression, otherwise: Expression | boolean): Expression => ({
  $cond: [condition, result, otherwise],
});
