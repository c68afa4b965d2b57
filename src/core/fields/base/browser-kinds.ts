import { choicesIn } from '../../../platform/text/choice-list.ts';
import {
  foldCase,
  type Interval,
  includesText,
  instantsOf,
  isWithin,
  only,
  related,
} from '../../../platform/text/comparison.ts';
import { isIsoDate, parseInstant } from '../../../platform/text/iso-date.ts';
import {
  BOOLEAN_TEXTS,
  DECIMAL,
  itemsOf,
  lastOf,
  lastTrimmed,
  withLineFeeds,
} from '../../../platform/text/plain-texts.ts';

// The half of each kind that the hosted form and the embed script load: it imports no zod.

/** How a condition compares. The meaning of each is that of `where` (spec 4.3). */
export const CONDITION_OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists'] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** Whether a value has a relation to that of a condition: not `ne`, `in` and `exists`. */
export type Relations = (op: ConditionOperator, given: unknown) => boolean;

/** The half of a kind that browsers load. */
interface BrowserKind {
  /** The operators that conditions on a field of the kind may have. */
  operators: readonly ConditionOperator[];
  /**
   * Returns the relations of a value of any type. Called once for each value, which many conditions
   * may compare. A value of another kind has no relation.
   */
  relations(value: unknown): Relations;
  /**
   * Returns the value of the texts that a form sends for a field, as the service reads them (spec
   * 2.7); undefined: absent. A text that is no value of the kind is absent too: the service refuses
   * it. Without its zone a local time is such a text.
   */
  readTexts(texts: readonly string[]): unknown;
  /** Whether a label may have the signs of `marked`. Absent: it is plain text. */
  hasMarkedLabel?: true;
}

const OF_TEXT = ['eq', 'ne', 'in', 'contains', 'exists'] as const;
const OF_ORDER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;

const KINDS = {
  text: { operators: OF_TEXT, relations: textRelations, readTexts: (texts) => lastOf(texts, withLineFeeds) },
  checkbox: {
    operators: ['eq', 'ne', 'exists'],
    relations: (value) => (_, given) => typeof value === 'boolean' && value === given,
    readTexts: (texts) => lastTrimmed(texts, (text) => BOOLEAN_TEXTS.get(text.toLowerCase())),
    hasMarkedLabel: true,
  },
  select: { operators: OF_TEXT, relations: textRelations, readTexts: (texts) => lastOf(texts, (text) => text) },
  multiselect: {
    operators: ['contains', 'in', 'exists'],
    relations(value) {
      const chosen: ReadonlySet<unknown> = new Set(Array.isArray(value) ? value : []);
      return (_, given) => chosen.has(given);
    },
    readTexts: (texts) => nonEmpty(choicesIn(texts)),
  },
  number: {
    operators: OF_ORDER,
    relations: (value) => orderRelations(typeof value === 'number' ? value : undefined, numbersOf),
    readTexts: (texts) => lastTrimmed(texts, readNumber),
  },
  date: {
    operators: OF_ORDER,
    relations: (value) => orderRelations(typeof value === 'string' ? parseInstant(value) : undefined, instantsOf),
    readTexts: (texts) => lastTrimmed(texts, (text) => (isIsoDate(text) ? text : undefined)),
  },
  file: {
    operators: ['exists'],
    relations: noRelations,
    readTexts: (texts) => nonEmpty(texts.filter((text) => text !== '')),
  },
  array: { operators: ['exists'], relations: noRelations, readTexts: itemsOf },
} satisfies Record<string, BrowserKind>;

/** The value of `kind` in a definition. */
export type KindName = keyof typeof KINDS;

/** The half of each kind, in the order of the registry. */
export const BROWSER_KINDS: Readonly<Record<KindName, BrowserKind>> = KINDS;

/** Returns the half of a kind. One that a cached script does not know is as a choice. */
export const browserKind = (name: KindName | undefined): BrowserKind => (name && BROWSER_KINDS[name]) ?? KINDS.select;

const numbersOf = (given: unknown): Interval | undefined => (typeof given === 'number' ? only(given) : undefined);

const nonEmpty = (list: readonly string[]) => (list.length > 0 ? list : undefined);

function readNumber(text: string): number | undefined {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function noRelations(): Relations {
  return () => false;
}

function textRelations(value: unknown): Relations {
  let folded: string | undefined;
  return (op, given) => {
    if (typeof value !== 'string' || typeof given !== 'string') return false;
    if (op !== 'contains') return value === given;
    folded ??= foldCase(value);
    return includesText(folded, foldCase(given));
  };
}

function orderRelations(value: number | undefined, rangeOf: (given: unknown) => Interval | undefined): Relations {
  return (op, given) => {
    const range = value === undefined ? undefined : rangeOf(given);
    return value !== undefined && range !== undefined && isWithin(value, related(op, range));
  };
}
