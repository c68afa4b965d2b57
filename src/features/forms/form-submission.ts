import { printable, type Writer } from '../../core/fields/base/kind.ts';
import { EXTRA_KINDS } from '../../core/fields/kinds/registry.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { SubmissionInput } from '../../core/users/acceptance.ts';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { CAPTCHA_PROVIDERS, captchaEntry } from '../display/captcha.ts';
import { toInstantIn } from '../display/local-time.ts';
import { valueFromForm } from '../display/presentation.ts';
import type { FormEntries, FormFile } from '../form-bodies/form-body.ts';

/** The controls of a form (spec 4.5), as sent, and the tokens by provider. */
export interface FormControls extends Partial<Record<CaptchaProvider, string>> {
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

/** The files of the entries of a form, by their tokens. */
export type KnownFiles = ReadonlyMap<string, FormFile>;

export const NO_FILES: KnownFiles = new Map();

/** The texts of one key of `data`. */
interface FormTexts {
  texts: string[];
  /** Whether a name ended with `[]`. */
  isList: boolean;
}

/** The use of an entry that is not data. */
type Use = 'email' | 'replyTo' | 'honeypot' | 'ignored' | keyof FormControls;

/** The meaning of the name of an entry. */
type Meaning = { use: 'data'; key: string; isList: boolean } | { use: Use };

/** Names that are never data. Names of one control are synonyms. */
const OWN_NAMES: ReadonlyMap<string, Use> = new Map<string, Use>([
  ['email', 'email'],
  // The address of the person, in forms that were written for other services.
  ['_replyto', 'replyTo'],
  ['_gotcha', 'honeypot'],
  ['_honey', 'honeypot'],
  ['_honeypot', 'honeypot'],
  ['_next', 'next'],
  ['_redirect', 'next'],
  ['_error', 'error'],
  ['_key', 'key'],
  ['_tz', 'timeZone'],
  ['_charset_', 'charset'],
  ['_lang', 'lang'],
  ['altcha', 'altcha'],
  // A script of one provider may send its token under the names of others too.
  ...CAPTCHA_PROVIDERS.map((provider) => [captchaEntry(provider), provider] as const),
]);

/** The name that browsers give the time zone of a system whose zone they do not know. */
const UNKNOWN_ZONE = 'Etc/Unknown';

/** Whether an entry proves that a person sent the form. A repeat may have another one. */
function isProof(name: string): boolean {
  return name === 'altcha' || CAPTCHA_PROVIDERS.some((provider) => captchaEntry(provider) === name);
}

/** Names of other form services. A schema may have a field of such a name. */
const FOREIGN_NAMES: ReadonlyMap<string, Use> = new Map<string, Use>([
  ['redirect', 'next'],
  ['botcheck', 'honeypot'],
  ['bot-field', 'honeypot'],
  ['access_key', 'ignored'],
  ['form-name', 'ignored'],
]);

/** `data[key]` or `data.key`. */
const IN_DATA = /^data(?:\[([^[\]]+)\]|\.(.+))$/;

/**
 * Sorts the entries of a form by their names (spec 4.5). Of several values the last one counts.
 * @returns `data`: the texts by key, in the order of the form; `isTrapped`: a honeypot was filled
 */
export function readForm({ list }: FormEntries, fieldKeys: ReadonlySet<string>) {
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
    const { use } = meaning;
    hasEmail ||= use === 'email';
    if (value.trim() === '' || use === 'ignored' || (use === 'timeZone' && value === UNKNOWN_ZONE)) continue;
    if (use === 'email') email = value;
    else if (use === 'replyTo') replyTo = value;
    else if (use === 'honeypot') isTrapped = true;
    else controls[use] = value;
  }
  return { email: hasEmail ? email : replyTo, data, controls, isTrapped };
}

export function parseName(name: string, fieldKeys: ReadonlySet<string>): Meaning {
  const isList = name.endsWith('[]');
  const bareName = isList ? name.slice(0, -2) : name;
  const [, bracketed, dotted] = IN_DATA.exec(bareName) ?? [];
  const inData = bracketed ?? dotted;
  if (inData !== undefined) return { use: 'data', key: inData, isList };
  const use = findUse(name, fieldKeys);
  return use ? { use } : { use: 'data', key: bareName, isList };
}

/** The use of a name that is not `data[key]` or `data.key`; undefined: a key of `data`. */
function findUse(name: string, fieldKeys: ReadonlySet<string>): Use | undefined {
  const own = OWN_NAMES.get(name);
  if (own) return own;
  // Validation refuses `__proto__`, as in JSON.
  if (name.startsWith('_') && name !== '__proto__') return 'ignored';
  return fieldKeys.has(name) ? undefined : FOREIGN_NAMES.get(name);
}

/**
 * Makes the submission of a form for a lease (spec 4.5).
 * @param files those that its tokens name
 * @param writer who sent it
 */
export function readSubmission(
  entries: FormEntries,
  { app, schema, validator }: Lease,
  files: KnownFiles,
  writer: Writer = 'everyone',
): SubmissionInput {
  const { email = '', data: sent, controls } = readForm(entries, new Set(validator.fieldKeys));
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  const zone = controls.timeZone ?? app.form?.timeZone;
  const toInstant = zone === undefined ? undefined : toInstantIn(zone);
  const problems: Issue[] = [];
  if (controls.timeZone !== undefined && !toInstant) problems.push({ path: '_tz', ...say('notTimeZone') });
  const keys = new Set(validator.fieldKeys);
  for (const [name, problem] of entries.problems) {
    const meaning = parseName(name, keys);
    if (meaning.use === 'data') problems.push({ ...problem, path: `data.${meaning.key}` });
  }
  const data: [string, unknown][] = [];
  for (const [key, { texts, isList }] of sent) {
    const field = fields.get(key) ?? { kind: isList ? EXTRA_KINDS.several : EXTRA_KINDS.one };
    const converted = valueFromForm(field, texts, { toInstant, isTyped: true });
    if (converted === undefined) continue;
    // The validator refuses the key, also when the text has no value of its kind.
    if (writer === 'everyone' && validator.staffKeys?.has(key)) data.push([key, texts]);
    else if ('value' in converted) data.push([key, converted.value]);
    else problems.push({ path: `data.${printable(key)}`, ...converted.problem });
  }
  // The texts that identify a repeat under any schema. A file that is sent again has another token.
  const texts = JSON.stringify(
    entries.list
      .filter(([name]) => !name.startsWith('_') && !isProof(name))
      .map(([name, text]) => {
        const file = files.get(text);
        return [name, file ? `${file.sha256} ${file.name}` : text];
      }),
  );
  // `fromEntries` defines own properties, `__proto__` too; validation refuses that key.
  return { email, data: Object.fromEntries(data), problems, texts };
}
