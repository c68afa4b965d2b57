import type { Field } from '../api/endpoints.ts';
import { type FieldOption, kindOf } from './rules.ts';

interface Version {
  rejectUnknown: boolean;
  fields: readonly Field[];
}

/** `refuses`: submissions that passed before may be refused, or stored values be left behind. */
export interface Change {
  weight: 'refuses' | 'allows';
  text: string;
}

/**
 * What differs between two versions of a schema, in words.
 *
 * @param was the former key of a field that was renamed, by its new key; without it a rename looks like a removal and an addition
 */
export function schemaChanges(before: Version, after: Version, was: ReadonlyMap<string, string> = new Map()): Change[] {
  const old = new Map(before.fields.map((field) => [field.key, field]));
  const renamed = new Set(was.values());
  // A key that another field had before it was renamed is a new field's now.
  const formerKey = ({ key }: Field): string => was.get(key) ?? (renamed.has(key) ? '' : key);
  const kept = new Set(after.fields.map(formerKey));
  const pairs = after.fields.map((field) => ({ field, former: old.get(formerKey(field)) }));
  return [
    ...before.fields.filter(({ key }) => !kept.has(key)).map((field) => removal(field, after.rejectUnknown)),
    ...pairs.flatMap(({ field, former }) => (former ? fieldChanges(former, field) : [addition(field)])),
    ...orderChange(pairs, before),
    ...strictness(before, after),
  ];
}

function removal(field: Field, rejectUnknown: boolean): Change {
  const then = rejectUnknown
    ? 'submissions that still send it are refused'
    : 'submissions may still send it, unchecked';
  return { weight: 'refuses', text: `${named(field)} is removed: ${then}; stored values stay` };
}

function addition(field: Field): Change {
  if (!field.required) return { weight: 'allows', text: `${named(field)} is new (${field.kind})` };
  return {
    weight: 'refuses',
    text: `${named(field)} is new (${field.kind}) and required: submissions without it are refused`,
  };
}

function fieldChanges(before: Field, after: Field): Change[] {
  const changes: Change[] = [];
  const refuses = (text: string): void => void changes.push({ weight: 'refuses', text: `${named(after)} ${text}` });
  const allows = (text: string): void => void changes.push({ weight: 'allows', text: `${named(after)} ${text}` });

  if (before.key !== after.key) refuses(`was called ${before.key}: stored values stay under the former name`);
  if (before.label !== after.label && before.key === after.key) allows(`was labelled “${before.label}”`);
  if (before.kind !== after.kind) refuses(`was of kind ${before.kind} and is now ${after.kind}`);
  if (!before.required && after.required) refuses('is now required');
  if (before.required && !after.required) allows('is no longer required');
  if (before.kind === after.kind) optionChanges(before, after, refuses, allows);
  return changes;
}

type Tell = (text: string) => void;

function optionChanges(before: Field, after: Field, refuses: Tell, allows: Tell): void {
  const old: Record<string, unknown> = { ...before };
  const now: Record<string, unknown> = { ...after };
  for (const [option, { label, stricter }] of Object.entries<FieldOption>(kindOf(after.kind).options)) {
    if (!stricter) continue;
    const name = label.toLowerCase();
    const [from, to] = [old[option], now[option]] as [number | undefined, number | undefined];
    if (from === to) continue;
    const isTighter = to !== undefined && (from === undefined || (stricter === 'higher' ? to > from : to < from));
    (isTighter ? refuses : allows)(`has ${name} ${to ?? 'without bound'} (was ${from ?? 'without bound'})`);
  }
  if (old.regex !== now.regex)
    (now.regex === undefined ? allows : refuses)(`has pattern ${now.regex ?? 'none'} (was ${old.regex ?? 'none'})`);
  if (before.kind === 'select' && after.kind === 'select') {
    const gone = before.enum.filter((value) => !after.enum.includes(value));
    const added = after.enum.filter((value) => !before.enum.includes(value));
    if (gone.length > 0) refuses(`no longer allows ${listed(gone)}`);
    if (added.length > 0) allows(`also allows ${listed(added)}`);
  }
}

function orderChange(pairs: { field: Field; former: Field | undefined }[], before: Version): Change[] {
  const now = pairs.flatMap(({ former }) => former?.key ?? []);
  const then = before.fields.map(({ key }) => key).filter((key) => now.includes(key));
  return now.join() === then.join() ? [] : [{ weight: 'allows', text: 'The fields are in another order' }];
}

function strictness(before: Version, after: Version): Change[] {
  if (before.rejectUnknown === after.rejectUnknown) return [];
  return after.rejectUnknown
    ? [{ weight: 'refuses', text: 'Data beside these fields is now refused' }]
    : [{ weight: 'allows', text: 'Data beside these fields is now kept' }];
}

function named({ key, label }: Field): string {
  return label === '' || label === key ? key : `“${label}” (${key})`;
}

function listed(values: readonly string[]): string {
  return values.map((value) => `“${value}”`).join(', ');
}
