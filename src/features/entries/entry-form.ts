import { createHash } from 'node:crypto';
import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import { isFile } from '../../core/fields/kinds/file.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import { sentTexts } from '../display/form-steps.ts';
import { toInstantIn } from '../display/local-time.ts';
import type { FormField } from '../display/markup.ts';
import { valueFromForm } from '../display/presentation.ts';
import type { FormEntries } from '../form-bodies/form-body.ts';
import { type KnownFiles, parseName, readForm } from '../forms/form-submission.ts';
import type { OpenedEntry } from './entries.service.ts';
import type { EntryEdit } from './entry-edit.ts';

/** The names of the controls of an entry's page. No field has such a name. */
export const CONTROLS = { action: '_do', state: '_state', shown: '_shown', kept: '_kept' } as const;

/** What a button of the page asks for. Any other text shows the entry. */
export const ACTIONS = { save: 'save', download: 'export', askErase: 'erase', erase: 'erase-confirmed' } as const;

/** Texts of fields by key. */
export type Texts = ReadonlyMap<string, readonly string[]>;

/** Characters of the digest of a value. */
const DIGEST_LENGTH = 12;

/** Returns the texts with which a control shows a stored value, also one of an older kind. */
export function storedTexts(field: FieldDefinition, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (holdsFiles(field)) return items.filter(isFile).map(({ id }) => id);
  return items.map((item) => asParsed(typeof item === 'object' ? JSON.stringify(item) : String(item)));
}

/** What the parser of HTML makes of characters that no page can have. */
const asParsed = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Returns a function that returns a digest of what texts of a field mean. */
function digestsOf({ lease }: Pick<OpenedEntry, 'lease'>) {
  const { timeZone } = lease.app;
  const toInstant = timeZone === undefined ? undefined : toInstantIn(timeZone);
  const read = (field: FieldDefinition, texts: readonly string[]) =>
    valueFromForm(field, texts, { toInstant, isTyped: true });
  const digest = (meaning: ReturnType<typeof read>): string =>
    createHash('sha256')
      .update(JSON.stringify(meaning ?? null))
      .digest('base64url')
      .slice(0, DIGEST_LENGTH);
  return { read, digest };
}

/**
 * Returns the digests of the values that controls show, by key: a save finds by them what a person
 * changed. A browser sends every control, and of some another text than the stored one though
 * nobody touched it, so the digest is that of the value that an untouched control sends.
 */
export function digestsOfControls(entry: OpenedEntry, controls: readonly FormField[]): Map<string, string> {
  const { read, digest } = digestsOf(entry);
  const fields = new Map(entry.lease.publicSchema.fields.map((field) => [field.key, field]));
  return new Map(
    controls.flatMap((control) => {
      const field = fields.get(control.control.key);
      return field ? [[field.key, digest(read(field, sentTexts(control)))] as const] : [];
    }),
  );
}

/** Digests as the text of a control. */
export const writeDigests = (digests: ReadonlyMap<string, string>): string =>
  [...digests].map((one) => one.join(':')).join(' ');

const readDigests = (text: string): Map<string, string> =>
  new Map(text.split(' ').map((one) => one.split(':', 2) as [string, string]));

/** What a person sent with "Save". */
export interface Save {
  /** The state of the record that the page showed. */
  state: string;
  /** The digests of the values that it showed. */
  shown: ReadonlyMap<string, string>;
  edit: EntryEdit;
  /** The texts of the fields that the person changed. */
  touched: Texts;
  /** The ids of the files that the person removed. */
  removed: ReadonlySet<string>;
}

/** Reads the entries of a page. What the person did not change since it was shown has no part. */
export function readSave(entries: FormEntries, entry: OpenedEntry): Save {
  const { publicSchema, validator } = entry.lease;
  const keys = new Set(validator.fieldKeys);
  const sent = readForm(entries, keys).data;
  const shown = readDigests(textOf(entries, CONTROLS.shown));
  const { read, digest } = digestsOf(entry);
  const touched = new Map<string, readonly string[]>();
  const set: [string, unknown][] = [];
  const absent: string[] = [];
  const problems: Issue[] = [];
  for (const field of publicSchema.fields) {
    const { key } = field;
    const all = sent.get(key)?.texts ?? [];
    // A control without a file may send an empty text.
    const texts = holdsFiles(field) ? all.filter((text) => text !== '') : all;
    const meaning = read(field, texts);
    if (!shown.has(key) || digest(meaning) === shown.get(key)) continue;
    touched.set(key, texts);
    if (!meaning) absent.push(key);
    else if ('value' in meaning) set.push([key, meaning.value]);
    else problems.push({ path: `data.${key}`, ...meaning.problem });
  }
  for (const [name, problem] of entries.problems) {
    const meaning = parseName(name, keys);
    if (meaning.use === 'data') problems.push({ path: `data.${meaning.key}`, ...problem });
  }
  // A browser sends nothing of what the page hides: nobody has emptied it.
  const left = new Map(Object.entries({ ...entry.data, ...Object.fromEntries(set) }));
  for (const key of absent) left.delete(key);
  const states = validator.states(Object.fromEntries(left), true);
  const isHidden = (key: string): boolean => states !== undefined && !states.shown.has(key);
  for (const key of absent) if (isHidden(key)) touched.delete(key);
  const unset = absent.filter((key) => !isHidden(key));
  const all = new Set([...sent.values()].flatMap(({ texts }) => texts));
  const kept = entries.list.flatMap(([name, id]) => (name === CONTROLS.kept ? [id] : []));
  return {
    state: textOf(entries, CONTROLS.state),
    shown,
    edit: { set: Object.fromEntries(set), unset, problems },
    touched,
    removed: new Set(kept.filter((id) => !all.has(id))),
  };
}

/**
 * Returns the texts of the fields that a save has still to change in the record as it is now: none
 * if the same save was stored before. Of files what the person removed and added.
 *
 * @param stored the digests of the values that the record has @param known the files by tokens
 */
export function leftToSave(
  { touched, removed }: Save,
  entry: OpenedEntry,
  stored: ReadonlyMap<string, string>,
  known: KnownFiles,
): Texts {
  const { read, digest } = digestsOf(entry);
  const left = new Map<string, readonly string[]>();
  for (const field of entry.lease.publicSchema.fields) {
    const sent = touched.get(field.key);
    if (!sent) continue;
    const texts = holdsFiles(field)
      ? [
          ...storedTexts(field, entry.data[field.key]).filter((id) => !removed.has(id)),
          ...sent.filter((token) => known.has(token) && !known.get(token)?.isUsed),
        ]
      : sent;
    if (digest(read(field, texts)) !== stored.get(field.key)) left.set(field.key, texts);
  }
  return left;
}

/** Returns the last text of a control of the page; empty without one. */
export const textOf = ({ list }: FormEntries, name: string): string =>
  list.findLast(([own]) => own === name)?.[1] ?? '';
