import type { KindName } from '../../core/fields/base/browser-kinds.ts';
import type { ConvertedText } from '../../core/fields/base/kind.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { EXTRA_KINDS, getKind } from '../../core/fields/kinds/registry.ts';
import { say } from '../../platform/languages/reasons.ts';
import { CHOICE_SEPARATOR } from '../../platform/text/choice-list.ts';
import { BOOLEAN_TEXTS } from '../../platform/text/plain-texts.ts';
import { toInstantIn } from '../display/local-time.ts';
import { valueFromForm } from '../display/presentation.ts';
import { JSON_BEGINNING, plainText } from '../exports/cell-text.ts';
import { compileDateFormat } from './date-format.ts';
import type { ColumnSettings } from './import-settings.ts';
import { parseJson } from './line-json.ts';

/** Converts the text of a cell; undefined: the field is absent. */
export type Convert = (field: FieldDefinition | undefined, cell: string) => ConvertedText | undefined;

interface FileSettings extends Pick<ColumnSettings, 'dateFormat' | 'timeZone'> {
  decimal: '.' | ',';
}

/** Longer numbers are read as they are. */
const MAX_NUMBER_LENGTH = 400;
/** With separators between groups of three digits. */
const GROUPED = {
  ',': /^-?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/,
  '.': /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/,
} as const;

/** Longer texts are no words of a setting. */
const MAX_WORD_LENGTH = 200;

const wordsOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.map((text) => text.trim().toLowerCase()));

const wordIn = (text: string): string | undefined =>
  text.length > MAX_WORD_LENGTH ? undefined : text.trim().toLowerCase();

/**
 * Returns the conversion of the cells of a column by the kind of its field (spec 4.7, "Lines").
 * @param column beats the settings of the file
 * @param appZone the time zone without that of a setting
 */
export function createConversion(file: FileSettings, column: ColumnSettings = {}, appZone?: string): Convert {
  const decimal = column.decimal ?? file.decimal;
  const dateFormat = column.dateFormat ?? file.dateFormat;
  const timeZone = column.timeZone ?? file.timeZone ?? appZone;
  const instantOf = timeZone === undefined ? undefined : toInstantIn(timeZone);
  // Without a zone the result is not a date, and the message of the kind asks for one.
  const context = { toInstant: instantOf ?? (() => '') };
  const format = dateFormat === undefined ? undefined : compileDateFormat(dateFormat);
  const empty = column.empty && wordsOf(column.empty);
  const booleans = column.true || column.false ? booleanWords(column) : BOOLEAN_TEXTS;

  function convertDate(kind: KindName, text: string): ConvertedText | undefined {
    const iso = format?.parse(text.trim());
    if (iso === undefined) return { problem: say('notDateLike', { format: dateFormat ?? '' }) };
    if (format?.hasTime && !instantOf) return { problem: say('noZoneSetting') };
    return valueFromForm({ kind }, [iso], context);
  }

  function convertNumber(kind: KindName, given: string): ConvertedText | undefined {
    const text = given.length > MAX_NUMBER_LENGTH ? given : given.trim();
    const isGrouped = text.length <= MAX_NUMBER_LENGTH && GROUPED[decimal].test(text);
    const plain = isGrouped ? text.replaceAll(decimal === ',' ? '.' : ',', '') : text;
    if (decimal === ',' && plain.includes('.')) return { problem: say('notDecimalComma') };
    return valueFromForm({ kind }, [decimal === ',' ? plain.replace(',', '.') : plain], context);
  }

  function convertBoolean(text: string): ConvertedText | undefined {
    const word = wordIn(text);
    if (word === '') return undefined;
    const value = word === undefined ? undefined : booleans.get(word);
    return value === undefined ? { problem: say('notBoolean') } : { value };
  }

  /** The last list of choices, of which cells are compared with all. */
  let known: { choices: readonly string[]; set: ReadonlySet<string> } | undefined;

  function choiceTexts(text: string, choices: readonly string[]): string[] {
    if (known?.choices !== choices) known = { choices, set: new Set(choices) };
    return splitChoices(text, known.set, column.separator);
  }

  return (field, cell) => {
    const text = plainText(cell);
    if (text === '' || empty?.has(wordIn(text) ?? text)) return undefined;
    const kind = field?.kind ?? EXTRA_KINDS.one;
    const form = getKind(kind).cell;
    if (form === 'items') return { value: parseItems(cell, text) };
    if (form === 'date' && format && text.trim() !== '') return convertDate(kind, text);
    if (form === 'number') return convertNumber(kind, text);
    if (form === 'boolean') return convertBoolean(text);
    // The rest of the definition decides on texts of forms, in which an empty one has a meaning.
    if (!field || !('enum' in field)) return valueFromForm({ kind }, [text], context);
    const texts = form === 'choices' ? choiceTexts(text, field.enum) : [text];
    return valueFromForm({ kind, enum: field.enum }, texts, context);
  };
}

/** Each list replaces the words of its side. */
function booleanWords(column: Pick<ColumnSettings, 'true' | 'false'>): ReadonlyMap<string, boolean> {
  const own = [column.false, column.true].map((texts) => texts && wordsOf(texts));
  const byDefault = [...BOOLEAN_TEXTS].filter(([, value]) => own[Number(value)] === undefined);
  const given = own.flatMap((words, index) => [...(words ?? [])].map((word) => [word, index === 1] as const));
  return new Map([...byDefault, ...given]);
}

const SEMICOLON = ';';

/**
 * Returns the choices in a cell: between separators of the column, or as exports write them. What
 * is a choice as it is stays whole.
 */
function splitChoices(text: string, choices: ReadonlySet<string>, separator = SEMICOLON): string[] {
  const isWhole = (part: string): boolean => part === '' || choices.has(part);
  if (isWhole(text)) return [text];
  const parts = separator === SEMICOLON ? text.split(CHOICE_SEPARATOR) : [text];
  return parts.flatMap((part) => (isWhole(part) ? [part] : part.split(separator).map((one) => one.trim())));
}

/** The items of a JSON array, which exports write as it is, or the text as one item. */
function parseItems(cell: string, text: string): unknown[] {
  const { value } = JSON_BEGINNING.test(cell.trimStart()) ? parseJson(cell) : {};
  return Array.isArray(value) ? value : [text];
}
