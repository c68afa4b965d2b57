import type { FormEntries } from '../../api/body/form-entries.ts';

/** What a form says beside its data (spec 4.5). */
export interface FormControls {
  /** Where a browser goes after a success (`_next`). */
  next?: string;
  /** Where a browser goes when the submission is invalid (`_error`). */
  error?: string;
  /** The idempotency key (`_key`), as it was sent. */
  key?: string;
  /** The time zone of times without one (`_tz`). */
  timeZone?: string;
  /** The encoding of the page (`_charset_`). */
  charset?: string;
  /** The solution of a challenge. */
  altcha?: string;
}

/** The texts of one key of `data`. */
export interface FormTexts {
  texts: string[];
  /** Whether a name ended with `[]`. */
  isList: boolean;
}

/** The entries of a form, by their meaning. */
export interface FormReading {
  email: string | undefined;
  /** The texts for `data` by key, in the order of the form. */
  data: ReadonlyMap<string, FormTexts>;
  controls: FormControls;
  /** Whether a field that people do not see was filled. */
  isTrapped: boolean;
}

type ControlName = keyof FormControls;

/** What an entry is by its name: a text of a key of `data`, or something else. */
export type Meaning =
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

/**
 * Sorts the entries of a form by the meaning of their names (spec 4.5). Of several values for the
 * email or for a control the last one that is not empty counts.
 *
 * @param fieldKeys the keys of the schema's fields
 */
export function readForm({ list }: FormEntries, fieldKeys: ReadonlySet<string>): FormReading {
  const data = new Map<string, FormTexts>();
  const controls: FormControls = {};
  let email: string | undefined;
  let replyTo: string | undefined;
  let hasEmail = false;
  let isTrapped = false;

  for (const [name, value] of list) {
    const meaning = meaningOf(name, fieldKeys);
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

/** Returns what an entry of this name is. */
export function meaningOf(name: string, fieldKeys: ReadonlySet<string>): Meaning {
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
  // Not ignored but refused by validation, as in JSON: no form has it by accident.
  if (name === '__proto__') return undefined;
  if (name === REPLY_TO) return { use: 'reply-to' };
  if (name.startsWith('_')) return { use: 'ignored' };
  if (fieldKeys.has(name)) return undefined;
  if (FOREIGN_HONEYPOTS.has(name)) return { use: 'honeypot' };
  if (FOREIGN_IGNORED.has(name)) return { use: 'ignored' };
  const foreign = FOREIGN_CONTROLS.get(name);
  return foreign && { use: 'control', control: foreign };
}
