import type { Field, Kind, Schema } from '../../api/endpoints.ts';
import { tabDrafts } from '../../drafts/tab-drafts.ts';
import { t } from '../../texts/texts.ts';
import { whenOf, withRenamed } from './conditions.ts';
import { prunedOption } from './form-options.ts';
import { pagesIn, withPages } from './pages.ts';
import {
  FIELD_KINDS,
  type FieldOption,
  getKind,
  isOfStaff,
  NOT_OF_STAFF,
  ONLY_OF_STAFF,
  safeParse,
  type Writer,
} from './rules.ts';

/** A definition that is being edited. It can be incomplete and keeps the options of other kinds. */
export interface LooseDefinition {
  key: string;
  label: string;
  kind: Kind;
  required: boolean;
  /** Absent: everyone. */
  writers?: Writer | undefined;
  /** The options of any kind, by name. */
  [option: string]: unknown;
}

export interface DraftField {
  /** Identifies the field across renames and moves. */
  id: number;
  /** The field's key in the base schema; `undefined` for a new field. */
  originalKey?: string | undefined;
  /** Whether the key is derived from the label. Ends when the key is edited. */
  keyFollowsLabel?: boolean;
  /** Whether the stored values stay under the old key of a field that was renamed. */
  startsEmpty?: boolean;
  definition: LooseDefinition;
}

export interface Draft {
  rejectUnknown: boolean;
  fields: DraftField[];
}

/** A draft with the schema version that it is based on and the ETag of that version. */
export interface DraftState {
  base: { schema: Schema; etag: string };
  draft: Draft;
  /** The text of the JSON tab while it is no valid schema: the draft does not have it yet. */
  json?: string | undefined;
}

/** The drafts of the schema editor. */
export const schemaDrafts = tabDrafts<DraftState>('schema', 1);

export const KINDS: readonly Kind[] = FIELD_KINDS.map(({ name }) => name);

export function draftOf(schema: { rejectUnknown: boolean; fields: readonly Field[] }): Draft {
  return {
    rejectUnknown: schema.rejectUnknown,
    fields: schema.fields.map((definition, id) => ({ id, originalKey: definition.key, definition: { ...definition } })),
  };
}

/** The definition for the API, with only the options of its kind and of its writers. */
export function strictDefinition(definition: LooseDefinition): Record<string, unknown> {
  const { key, label, kind, required, writers } = definition;
  const options = Object.entries(optionsOf(kind)).flatMap(([name, { control }]) => {
    const value = prunedOption(control, definition[name], definition.enum);
    return value === undefined || value === '' || !doesFit(definition, name) ? [] : [[name, value] as const];
  });
  return {
    key,
    label: label === '' ? key : label,
    kind,
    required: required && doesFit(definition, 'required'),
    ...(writers === 'staff' && { writers }),
    ...(!isOfStaff(definition) && whenOf(definition)),
    ...Object.fromEntries(options),
  };
}

/** The options of a number that is chosen from a scale. */
const OF_SCALES = ['ends', 'endsByLanguage'];

/** Whether a field of these writers and with this control may have a property. */
export function doesFit(definition: LooseDefinition, name: string): boolean {
  if (OF_SCALES.includes(name) && !definition.ui) return false;
  const others: readonly string[] = isOfStaff(definition) ? NOT_OF_STAFF : ONLY_OF_STAFF;
  return !others.includes(name);
}

/** What a new field begins with. */
export interface NewField extends Partial<LooseDefinition> {
  kind: Kind;
  label: string;
}

/** Adds a field: after another one and on its page, or at the end. @param after the id of that */
export function addField(draft: Draft, { label, kind, ...options }: NewField, after?: number): Draft {
  const definition: LooseDefinition = {
    key: freeKey(draft, keyFor(label)),
    label,
    kind,
    required: false,
    ...initialOptions(kind),
    ...options,
  };
  const at = draft.fields.findIndex(({ id }) => id === after) + 1 || draft.fields.length;
  const field: DraftField = { id: nextId(draft), keyFollowsLabel: true, definition };
  return { ...draft, fields: draft.fields.toSpliced(at, 0, field) };
}

export function duplicateField(draft: Draft, id: number): Draft {
  const at = draft.fields.findIndex((field) => field.id === id);
  const original = draft.fields[at];
  if (!original) return draft;
  const { definition } = original;
  const copy: DraftField = {
    id: nextId(draft),
    definition: {
      ...structuredClone(definition),
      key: freeKey(draft, definition.key),
      label: t.schemaEditor.copyOf(definition.label),
    },
  };
  const pages = new Map(pagesIn(draft));
  pages.set(copy.id, pages.get(id) ?? 1);
  if (isOfStaff(definition)) pages.delete(copy.id);
  return { ...draft, fields: withPages(draft.fields.toSpliced(at + 1, 0, copy), pages) };
}

/** Removes a field. The others stay on their pages. */
export function removeField(draft: Draft, id: number): Draft {
  const others = draft.fields.filter((field) => field.id !== id);
  return { ...draft, fields: withPages(others, pagesIn(draft)) };
}

export function changeField(draft: Draft, id: number, part: Partial<LooseDefinition>): Draft {
  const fields = draft.fields.map((field) => {
    if (field.id !== id) return field;
    const initial = part.kind ? initialOptions(part.kind) : {};
    const kept = part.kind ? optionsThatFit(part.kind, field.definition) : field.definition;
    const definition: LooseDefinition = { ...initial, ...kept, ...part, ...boundsOf(part.ui, field.definition) };
    const keyFollowsLabel = field.keyFollowsLabel === true && part.key === undefined;
    if (keyFollowsLabel && part.label !== undefined) {
      definition.key = freeKey(removeField(draft, id), keyFor(part.label));
    }
    return { ...field, definition, keyFollowsLabel };
  });
  return { ...draft, fields: withConditions(fields, draft, id) };
}

/** The values that a scale begins with, where the field has no bounds. */
function boundsOf(ui: unknown, { min, max }: LooseDefinition): Partial<LooseDefinition> {
  if ((ui !== 'stars' && ui !== 'scale') || min !== undefined || max !== undefined) return {};
  return ui === 'stars' ? { min: 1, max: 5 } : { min: 0, max: 10 };
}

/** Conditions follow the key of a field, unless another one has the same. */
function withConditions(fields: DraftField[], before: Draft, id: number): DraftField[] {
  const keyIn = (list: readonly DraftField[]) => list.find((field) => field.id === id)?.definition.key ?? '';
  const [from, to] = [keyIn(before.fields), keyIn(fields)];
  if (from === to || fields.some(({ definition }) => definition.key === from)) return fields;
  return fields.map((field) => {
    const definition = withRenamed(field.definition, from, to);
    return definition === field.definition ? field : { ...field, definition };
  });
}

/** Replaces the definitions of a draft. @param keyInBase the key in the base, before a rename */
export function withDefinitions(
  draft: Draft,
  schema: { rejectUnknown: boolean; fields: readonly Field[] },
  keyInBase: (key: string) => string = (key) => key,
): Draft {
  const known = new Map(draft.fields.map((field) => [field.definition.key, field]));
  let id = nextId(draft);
  const fields = schema.fields.map((definition): DraftField => {
    const same = known.get(definition.key) ?? known.get(keyInBase(definition.key));
    if (same) return { ...same, definition: { ...definition } };
    id += 1;
    return { id, definition: { ...definition } };
  });
  return { rejectUnknown: schema.rejectUnknown, fields };
}

function optionsOf(kind: Kind): Readonly<Record<string, FieldOption>> {
  const { options, formOptions } = getKind(kind);
  return { ...options, ...formOptions };
}

/** Leaves out options of another kind with the same name, such as its default value. */
function optionsThatFit(kind: Kind, definition: LooseDefinition): LooseDefinition {
  const options = optionsOf(kind);
  const doesFit = ([name, value]: [string, unknown]): boolean => {
    const schema = options[name]?.schema;
    return schema === undefined || safeParse(schema, value).success;
  };
  return Object.fromEntries(Object.entries(definition).filter(doesFit)) as LooseDefinition;
}

function initialOptions(kind: Kind): Record<string, unknown> {
  const options = Object.entries(getKind(kind).options);
  // A person names the choices: invented ones would be published.
  return Object.fromEntries(
    options.flatMap(([name, { control, initial }]) =>
      initial === undefined ? [] : [[name, control === 'choices' ? [] : initial]],
    ),
  );
}

/** The id of the field that is added next. */
export function nextId({ fields }: Draft): number {
  return Math.max(0, ...fields.map(({ id }) => id)) + 1;
}

/** Derives a key from a label: `Your e-mail (work)` becomes `yourEMailWork`. */
export function keyFor(label: string): string {
  const words =
    label
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[a-zA-Z0-9]+/g) ?? [];
  const joined = words.map((word, index) => (index === 0 ? word.toLowerCase() : capital(word))).join('');
  return joined.replace(/^\d+/, '').slice(0, 48) || 'field';
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

function freeKey({ fields }: Draft, wanted: string): string {
  return keyBeside(new Set(fields.map(({ definition }) => definition.key)), wanted);
}

/** Returns a key that is not taken: the wanted one, or with a number. */
export function keyBeside(taken: ReadonlySet<string>, wanted: string): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.slice(0, 47).replace(/\d+$/, '') || 'field';
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}
