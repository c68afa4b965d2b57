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

/** Names of other form services. A schema may have a field of such a name. */
const FOREIGN_CONTROLS: ReadonlyMap<string, ControlName> = new Map([['redirect', 'next']]);
const FOREIGN_HONEYPOTS: ReadonlySet<string> = new Set(['botcheck', 'bot-field']);
const FOREIGN_IGNORED: ReadonlySet<string> = new Set(['access_key', 'form-name']);

/** `data[key]` or `data.key`. */
const IN_DATA = /^data(?:\[([^[\]]+)\]|\.(.+))$/;

/** The names under which a control may come, for pages that show a form again. */
export function isControl(name: string, control: ControlName, fieldKeys: ReadonlySet<string>): boolean {
  return (CONTROLS.get(name) ?? (fieldKeys.has(name) ? undefined : FOREIGN_CONTROLS.get(name))) === control;
}

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
  let isTrapped = false;

  const add = (name: string, text: string): void => {
    const isList = name.endsWith('[]');
    const key = isList ? name.slice(0, -2) : name;
    const known = data.get(key);
    if (known) {
      known.texts.push(text);
      known.isList ||= isList;
    } else data.set(key, { texts: [text], isList });
  };

  for (const [name, value] of list) {
    const [, bracketed, dotted] = IN_DATA.exec(name.replace(/\[\]$/, '')) ?? [];
    const inData = bracketed ?? dotted;
    if (inData !== undefined) {
      add(name.endsWith('[]') ? `${inData}[]` : inData, value);
      continue;
    }
    const meaning = meaningOf(name, fieldKeys);
    if (meaning === 'data') add(name, value);
    else if (value.trim() === '' || meaning === 'ignored') continue;
    else if (meaning === 'email') email = value;
    else if (meaning === 'honeypot') isTrapped = true;
    else controls[meaning] = value;
  }
  return { email, data, controls, isTrapped };
}

type Meaning = 'email' | 'data' | 'honeypot' | 'ignored' | ControlName;

/** The meaning of a name that is not `data[key]` or `data.key`. */
function meaningOf(name: string, fieldKeys: ReadonlySet<string>): Meaning {
  if (name === 'email') return 'email';
  const control = CONTROLS.get(name);
  if (control) return control;
  if (HONEYPOTS.has(name)) return 'honeypot';
  // Not ignored but refused by validation, as in JSON: no form has it by accident.
  if (name === '__proto__') return 'data';
  if (name.startsWith('_')) return 'ignored';
  if (fieldKeys.has(name)) return 'data';
  if (FOREIGN_HONEYPOTS.has(name)) return 'honeypot';
  if (FOREIGN_IGNORED.has(name)) return 'ignored';
  return FOREIGN_CONTROLS.get(name) ?? 'data';
}
