import type { Field, Schema } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { schemaChanges } from './changes.ts';
import { type Draft, type DraftField, type DraftState, nextId, strictDefinition } from './draft.ts';

export type Side = 'mine' | 'theirs';

/** A field, or the handling of unknown fields, that differs between a draft and a newer version. */
export interface MergeRow {
  id: string;
  name: string;
  /** The changes of each side since the base of the draft. */
  changes: Readonly<Record<Side, readonly string[]>>;
  /** Whether both sides changed it. */
  isConflict: boolean;
  /** `mine` if both changed it. */
  preselected: Side;
}

/** A field in the common base, in the draft and in the newer version. */
interface Item {
  id: string;
  base: Field | undefined;
  mine: DraftField | undefined;
  theirs: Field | undefined;
}

/** The row of `rejectUnknown`. No key of a field has this form. */
const UNKNOWN = 'unknown fields';

/** Compares a draft with a version that someone else saved. @param keyInNewest of a base key */
export function mergeRows(
  { base, draft }: DraftState,
  newest: Schema,
  keyInNewest: (key: string) => string,
): MergeRow[] {
  const rows = itemsOf({ base, draft }, newest, keyInNewest).flatMap((item) => rowOf(item));
  const before = base.schema.rejectUnknown;
  if (draft.rejectUnknown === newest.rejectUnknown) return rows;
  const textOfChange = (value: boolean): string => (value ? t.schemaEditor.areRejected : t.schemaEditor.areAccepted);
  const text = (value: boolean): string[] => (value === before ? [] : [textOfChange(value)]);
  const changes = { mine: text(draft.rejectUnknown), theirs: text(newest.rejectUnknown) };
  const preselected = draft.rejectUnknown === before ? 'theirs' : 'mine';
  return [...rows, { id: UNKNOWN, name: t.schemaEditor.unknownFields, changes, isConflict: false, preselected }];
}

/** Returns the draft with the chosen side of each row, based on the newer version. */
export function merged(
  { base, draft }: DraftState,
  newest: DraftState['base'],
  keyInNewest: (key: string) => string,
  choiceOf: (row: Pick<MergeRow, 'id' | 'preselected'>) => Side,
): DraftState {
  const items = itemsOf({ base, draft }, newest.schema, keyInNewest);
  const rows = new Map(mergeRows({ base, draft }, newest.schema, keyInNewest).map((row) => [row.id, row]));
  let lastId = nextId(draft);
  const fieldOf = (item: Item): DraftField[] => {
    const row = rows.get(item.id);
    const { mine, theirs } = item;
    const originalKey = theirs?.key;
    if (row && choiceOf(row) === 'mine') return mine ? [{ ...mine, originalKey }] : [];
    if (!theirs) return [];
    if (!mine) lastId += 1;
    return [{ id: mine?.id ?? lastId, originalKey, definition: { ...theirs } }];
  };
  const byTheirs = newest.schema.fields.flatMap((field) => items.find(({ theirs }) => theirs === field) ?? []);
  const fields = [...byTheirs, ...items.filter(({ theirs }) => !theirs)].flatMap(fieldOf);
  const unknown = rows.get(UNKNOWN);
  const rejectUnknown = (unknown && choiceOf(unknown) === 'mine' ? draft : newest.schema).rejectUnknown;
  const isTheirOrder = hasOtherOrder(base.schema, newest.schema, keyInNewest);
  return { base: newest, draft: { rejectUnknown, fields: isTheirOrder ? fields : inMyOrder(fields, draft) } };
}

function itemsOf({ base, draft }: DraftState, newest: Schema, keyInNewest: (key: string) => string): Item[] {
  const known = base.schema.fields.map((field): Item => {
    const mine = draft.fields.find(({ originalKey }) => originalKey === field.key);
    const theirs = newest.fields.find(({ key }) => key === keyInNewest(field.key));
    return { id: field.key, base: field, mine, theirs };
  });
  const theirNew = newest.fields.filter((field) => !known.some(({ theirs }) => theirs === field));
  const myNew = draft.fields.filter((field) => !known.some(({ mine }) => mine === field));
  const added = myNew.map((mine): Item => {
    const theirs = theirNew.find(({ key }) => key === mine.definition.key);
    return { id: `added ${mine.id}`, base: undefined, mine, theirs };
  });
  const others = theirNew.filter((field) => !added.some(({ theirs }) => theirs === field));
  return [
    ...known,
    ...added,
    ...others.map((theirs): Item => ({ id: `theirs ${theirs.key}`, base: undefined, mine: undefined, theirs })),
  ];
}

function rowOf({ id, base, mine, theirs }: Item): MergeRow[] {
  const [before, my, their] = [base, mine?.definition as Field | undefined, theirs].map(textOf);
  if (my === their) return [];
  const changes = {
    mine: changesOf(base, mine?.definition as Field | undefined, mine?.startsEmpty !== true),
    theirs: changesOf(base, theirs),
  };
  const isConflict = my !== before && their !== before;
  const changed = my === before ? theirs : (mine?.definition as Field | undefined);
  const { key, label } = (changed ?? base) as Field;
  const name = label && label !== key ? `${label} (${key})` : key;
  return [{ id, name, changes, isConflict, preselected: my === before ? 'theirs' : 'mine' }];
}

function textOf(field: Field | undefined): string {
  return field ? JSON.stringify(strictDefinition(field)) : '';
}

function changesOf(base: Field | undefined, field: Field | undefined, keepsData = true): string[] {
  const version = (one: Field | undefined) => ({ rejectUnknown: false, fields: one ? [one] : [] });
  const keys = base && field ? new Map([[field.key, base.key]]) : undefined;
  const moved = keepsData && field && field.kind === base?.kind ? new Set([field.key]) : undefined;
  return schemaChanges(version(base), version(field), keys, moved).map(({ text }) => text);
}

/** Whether the fields that both versions have are in another order. */
function hasOtherOrder(base: Schema, newest: Schema, keyInNewest: (key: string) => string): boolean {
  const keys = newest.fields.map(({ key }) => key);
  const before = base.fields.map(({ key }) => keyInNewest(key)).filter((key) => keys.includes(key));
  return keys.filter((key) => before.includes(key)).join() !== before.join();
}

/** The fields in the order of the draft; those that it does not have come last. */
function inMyOrder(fields: readonly DraftField[], draft: Draft): DraftField[] {
  const place = ({ id }: DraftField): number => {
    const at = draft.fields.findIndex((field) => field.id === id);
    return at === -1 ? draft.fields.length : at;
  };
  return fields.toSorted((one, other) => place(one) - place(other));
}
