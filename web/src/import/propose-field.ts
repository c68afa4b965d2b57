import type { Field } from '../api/endpoints.ts';
import type { ColumnDraft } from './column-draft.ts';
import { areDates, checkboxWords, dateFormatOf, decimalOf, emptyWords } from './proposals.ts';

/** The kinds of fields that are created from a column. */
export const COLUMN_KINDS = [
  'text',
  'number',
  'date',
  'checkbox',
  'select',
  'multiselect',
] as const satisfies Field['kind'][];
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** A field for a column. */
export interface FieldProposal {
  kind: ColumnKind;
  /** The choices of `select` and `multiselect`; else those that it could have. */
  choices: string[];
  /** How the texts of the column become values. */
  settings: ColumnDraft;
}

const MAX_CHOICES = 12;
const MAX_SEVERAL = 20;
const MAX_CHOICE_LENGTH = 60;
/** How often each choice occurs on average. */
const MIN_REPEATS = 2;
const SEPARATORS = [';', ','] as const;

const PLAIN_NUMBER = /^-?(?:\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,]\d+)?$/;
/** Such as postal codes and phone numbers. */
const LEADING_ZERO = /^-?0\d/;
const MAX_DIGITS = 15;
/** Names of columns whose digits are no number that is counted with. */
const CODES =
  /(?:^|[^\p{L}])(?:plz|zip|postal|postleitzahl|tel|telefon|phone|mobile|handy|iban|id|nr|no)(?:[^\p{L}]|$)/iu;

/** Proposes the kind of a field from the values of its column, with choices and settings. */
export function proposeField(name: string, texts: readonly string[]): FieldProposal {
  const values = texts.map((text) => text.trim()).filter((text) => text !== '');
  const words = checkboxWords(values);
  if (words && !isOnlyDigits(values)) return { kind: 'checkbox', choices: [], settings: words };
  const nothing = emptyWords(values);
  const known = values.filter((value) => !nothing.includes(value));
  const empty: ColumnDraft = nothing.length > 0 ? { empty: nothing.join(', ') } : {};
  if (known.length === 0) return { kind: 'text', choices: [], settings: {} };
  if (areNumbers(name, known)) return { kind: 'number', choices: [], settings: empty };
  const { format, choices } = dateFormatOf(known);
  if (areDates(known, choices[0] ?? format)) return { kind: 'date', choices: [], settings: empty };
  const several = severalChoices(known);
  if (several) return { kind: 'multiselect', choices: several.choices, settings: several.settings };
  const distinct = [...new Set(values)];
  const isSelect = areChoices(distinct, values.length, MAX_CHOICES);
  return { kind: isSelect ? 'select' : 'text', choices: isSelect ? distinct : [], settings: {} };
}

/** The choices of a column for a kind that its reader chose. */
export function choicesFor(kind: ColumnKind, texts: readonly string[], separator = ';'): string[] {
  const parts = kind === 'multiselect' ? texts.flatMap((text) => text.split(separator)) : texts;
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))].slice(0, 100);
}

const isOnlyDigits = (values: readonly string[]): boolean => values.every((value) => /^\d+$/.test(value));

function areNumbers(name: string, values: readonly string[]): boolean {
  if (CODES.test(name)) return false;
  const decimal = decimalOf(values);
  const isOther = decimal === ',' ? /\.\d+$/ : /,\d+$/;
  return values.every(
    (value) =>
      PLAIN_NUMBER.test(value) &&
      !LEADING_ZERO.test(value) &&
      value.replace(/\D/g, '').length <= MAX_DIGITS &&
      (!isOther.test(value) || /[.,]\d{3}$/.test(value)),
  );
}

function severalChoices(values: readonly string[]): Pick<FieldProposal, 'choices' | 'settings'> | undefined {
  for (const separator of SEPARATORS) {
    if (!values.some((value) => value.includes(separator))) continue;
    const parts = values
      .flatMap((value) => value.split(separator).map((part) => part.trim()))
      .filter((part) => part !== '');
    const choices = [...new Set(parts)];
    const settings = separator === ';' ? {} : { separator };
    if (areChoices(choices, parts.length, MAX_SEVERAL)) return { choices, settings };
  }
  return undefined;
}

function areChoices(distinct: readonly string[], count: number, most: number): boolean {
  return (
    distinct.length > 1 &&
    distinct.length <= most &&
    count >= distinct.length * MIN_REPEATS &&
    distinct.every((choice) => choice.length <= MAX_CHOICE_LENGTH && !choice.includes('\n') && !choice.includes('@'))
  );
}
