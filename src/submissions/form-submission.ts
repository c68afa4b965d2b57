import { parseDateTime, toZoned } from '@internationalized/date';
import type { FormEntries } from '../api/body/form-body.ts';
import { DEFAULT_FORM_SETTINGS } from '../apps/form-settings.ts';
import type { Issue } from '../core/errors.ts';
import { canonicalTimeZone } from '../core/identifiers.ts';
import { type ConvertedText, printable, type TextContext } from '../fields/base/kind.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { valueFromForm } from '../fields/presentation.ts';
import { say } from '../languages/catalogue.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import type { SubmissionInput } from './submissions.service.ts';

/** The controls of a form (spec 4.5), as sent. */
export interface FormControls {
  next?: string;
  error?: string;
  key?: string;
  timeZone?: string;
  /** The encoding of the page. */
  charset?: string;
  /** The solution of a challenge. */
  altcha?: string;
  /** The language of the answer. */
  lang?: string;
}

/** The texts of one key of `data`. */
interface FormTexts {
  texts: string[];
  /** Whether a name ended with `[]`. */
  isList: boolean;
}

/** The entries of a form, by their meaning. */
interface FormReading {
  email: string | undefined;
  /** The texts for `data` by key, in the order of the form. */
  data: ReadonlyMap<string, FormTexts>;
  controls: FormControls;
  /** Whether a honeypot was filled. */
  isTrapped: boolean;
}

type ControlName = keyof FormControls;

/** The meaning of the name of an entry. */
type Meaning =
  | { use: 'data'; key: string; isList: boolean }
  | { use: 'email' | 'reply-to' | 'honeypot' | 'ignored' }
  | { use: 'control'; control: ControlName };

/** Control names, which are never data. Names of one control are synonyms. */
const CONTROLS: ReadonlyMap<string, ControlName> = new Map([
  ['_next', 'next'],
  ['_redirect', 'next'],
  ['_error', 'error'],
  ['_key', 'key'],
  ['_tz', 'timeZone'],
  ['_charset_', 'charset'],
  ['_lang', 'lang'],
  ['altcha', 'altcha'],
]);
const HONEYPOTS: ReadonlySet<string> = new Set(['_gotcha', '_honey', '_honeypot']);
/** The address of the person, in forms that were written for other services. */
const REPLY_TO = '_replyto';

/** Names of other form services. A schema may have a field of such a name. */
const FOREIGN_CONTROLS: ReadonlyMap<string, ControlName> = new Map([['redirect', 'next']]);
const FOREIGN_HONEYPOTS: ReadonlySet<string> = new Set(['botcheck', 'bot-field']);
const FOREIGN_IGNORED: ReadonlySet<string> = new Set(['access_key', 'form-name']);

/** `data[key]` or `data.key`. */
const IN_DATA = /^data(?:\[([^[\]]+)\]|\.(.+))$/;

/** Sorts the entries of a form by their names (spec 4.5). Of several values the last one counts. */
export function readForm({ list }: FormEntries, fieldKeys: ReadonlySet<string>): FormReading {
  const data = new Map<string, FormTexts>();
  const controls: FormControls = {};
  let email: string | undefined;
  let replyTo: string | undefined;
  let hasEmail = false;
  let isTrapped = false;

  for (const [name, value] of list) {
    const meaning = parseName(name, fieldKeys);
    if (meaning.use === 'data') {
      const { key, isList } = meaning;
      const known = data.get(key);
      if (known) {
        known.texts.push(value);
        known.isList ||= isList;
      } else data.set(key, { texts: [value], isList });
      continue;
    }
    hasEmail ||= meaning.use === 'email';
    if (value.trim() === '') continue;
    if (meaning.use === 'email') email = value;
    else if (meaning.use === 'reply-to') replyTo = value;
    else if (meaning.use === 'honeypot') isTrapped = true;
    else if (meaning.use === 'control') controls[meaning.control] = value;
  }
  return { email: hasEmail ? email : replyTo, data, controls, isTrapped };
}

export function parseName(name: string, fieldKeys: ReadonlySet<string>): Meaning {
  const isList = name.endsWith('[]');
  const [, bracketed, dotted] = IN_DATA.exec(isList ? name.slice(0, -2) : name) ?? [];
  const inData = bracketed ?? dotted;
  if (inData !== undefined) return { use: 'data', key: inData, isList };
  return ownMeaning(name, fieldKeys) ?? { use: 'data', key: isList ? name.slice(0, -2) : name, isList };
}

/** The meaning of a name that is not `data[key]` or `data.key`; undefined: a key of `data`. */
function ownMeaning(name: string, fieldKeys: ReadonlySet<string>): Meaning | undefined {
  if (name === 'email') return { use: 'email' };
  const control = CONTROLS.get(name);
  if (control) return { use: 'control', control };
  if (HONEYPOTS.has(name)) return { use: 'honeypot' };
  // Validation refuses it, as in JSON.
  if (name === '__proto__') return undefined;
  if (name === REPLY_TO) return { use: 'reply-to' };
  if (name.startsWith('_')) return { use: 'ignored' };
  if (fieldKeys.has(name)) return undefined;
  if (FOREIGN_HONEYPOTS.has(name)) return { use: 'honeypot' };
  if (FOREIGN_IGNORED.has(name)) return { use: 'ignored' };
  const foreign = FOREIGN_CONTROLS.get(name);
  return foreign && { use: 'control', control: foreign };
}

/** Makes the submission of a form for a lease (spec 4.5). */
export function readSubmission(entries: FormEntries, { app, schema, validator }: Lease): SubmissionInput {
  const { email = '', data: texts, controls } = readForm(entries, new Set(validator.fieldKeys));
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  const { timeZone } = app.form ?? DEFAULT_FORM_SETTINGS;
  const zone = controls.timeZone ?? timeZone;
  const toInstant = zone === undefined ? undefined : toInstantIn(zone);
  const problems: Issue[] = [];
  if (controls.timeZone !== undefined && !toInstant) {
    problems.push({ path: '_tz', ...say('notTimeZone') });
  }
  const data: [string, unknown][] = [];
  for (const [key, sent] of texts) {
    const converted = convertTexts(fields.get(key), sent, { toInstant });
    if (converted === undefined) continue;
    if ('value' in converted) data.push([key, converted.value]);
    else problems.push({ path: `data.${printable(key)}`, ...converted.problem });
  }
  // `fromEntries` defines own properties, `__proto__` too; validation refuses that key.
  return { email, data: Object.fromEntries(data), problems, texts: joinTexts(entries) };
}

/** Undefined when the key counts as absent. */
function convertTexts(
  field: FieldDefinition | undefined,
  { texts, isList }: FormTexts,
  context: TextContext,
): ConvertedText | undefined {
  return valueFromForm(field ?? { kind: isList ? 'array' : 'text' }, texts, context);
}

/** The texts that identify a repeat under any schema. */
function joinTexts({ list }: FormEntries): string {
  return JSON.stringify(list.filter(([name]) => !name.startsWith('_') && name !== 'altcha'));
}

/**
 * Returns a function that converts a valid local time of an IANA time zone to an RFC 3339 date-time
 * with its offset (spec 2.7, rule 6); undefined for an unknown zone. Of a time that occurs twice,
 * the earlier one; a time that clocks skip moves forward by the length of the gap. An offset that
 * is not a whole number of minutes, as before about 1900, becomes UTC.
 */
export function toInstantIn(timeZone: string): ((localText: string) => string) | undefined {
  // The library keeps a formatter for each name, and only canonical names are few.
  const zone = canonicalTimeZone(timeZone);
  if (zone === undefined) return undefined;
  return (localText) => {
    const instant = toZoned(parseDateTime(localText), zone, 'compatible');
    if (instant.offset % 60_000 !== 0) return instant.toAbsoluteString();
    return instant.toString().replace(/\[.*$/, '');
  };
}
