import type { Field } from '../api/endpoints.ts';
import { isSameOption, shortValue } from './form-options.ts';
import { type FieldOption, getKind } from './rules.ts';

interface Version {
  rejectUnknown: boolean;
  fields: readonly Field[];
}

/** `breaking`: the service may refuse earlier valid submissions, or values lose their field. */
export interface Change {
  impact: 'breaking' | 'compatible';
  text: string;
}

/**
 * Describes the differences between two versions of a schema.
 *
 * @param originalKeys the old keys of renamed fields, by new key
 * @param moved the new keys of renamed fields whose stored values move
 */
export function schemaChanges(
  before: Version,
  after: Version,
  originalKeys: ReadonlyMap<string, string> = new Map(),
  moved: ReadonlySet<string> = new Set(),
): Change[] {
  const old = new Map(before.fields.map((field) => [field.key, field]));
  const renamed = new Set(originalKeys.values());
  // A field that reuses the old key of a renamed field is new.
  const oldKey = ({ key }: Field): string => originalKeys.get(key) ?? (renamed.has(key) ? '' : key);
  const kept = new Set(after.fields.map(oldKey));
  const pairs = after.fields.map((field) => ({ field, former: old.get(oldKey(field)) }));
  return [
    ...before.fields.filter(({ key }) => !kept.has(key)).map((field) => removal(field, after.rejectUnknown)),
    ...pairs.flatMap(({ field, former }) => (former ? fieldChanges(former, field, moved) : [addition(field)])),
    ...orderChange(pairs, before),
    ...unknownFieldsChange(before, after),
  ];
}

function removal(field: Field, rejectUnknown: boolean): Change {
  const effect = rejectUnknown
    ? 'submissions that still send it are rejected'
    : 'submissions can still send it, but it is not validated';
  return { impact: 'breaking', text: `${nameOf(field)} removed: ${effect}; stored values are kept` };
}

function addition(field: Field): Change {
  if (!field.required) return { impact: 'compatible', text: `${nameOf(field)} added (${field.kind})` };
  return {
    impact: 'breaking',
    text: `${nameOf(field)} added (${field.kind}, required): submissions without it are rejected`,
  };
}

function fieldChanges(before: Field, after: Field, moved: ReadonlySet<string>): Change[] {
  const changes: Change[] = [];
  const breaking = (text: string): void => void changes.push({ impact: 'breaking', text: `${nameOf(after)} ${text}` });
  const compatible = (text: string): void =>
    void changes.push({ impact: 'compatible', text: `${nameOf(after)} ${text}` });

  if (before.key !== after.key) {
    const values = moved.has(after.key) ? 'move to the new key' : 'stay under the old key';
    breaking(`key changed: ${before.key} → ${after.key}; stored values ${values}`);
  }
  if (before.label !== after.label && before.key === after.key)
    compatible(`label changed: “${before.label}” → “${after.label}”`);
  if (before.kind !== after.kind) breaking(`type changed: ${before.kind} → ${after.kind}`);
  if (!before.required && after.required) breaking('is now required');
  if (before.required && !after.required) compatible('is no longer required');
  if (before.kind === after.kind) optionChanges(before, after, breaking, compatible);
  return changes;
}

type Add = (text: string) => void;

function optionChanges(before: Field, after: Field, breaking: Add, compatible: Add): void {
  const old: Record<string, unknown> = { ...before };
  const now: Record<string, unknown> = { ...after };
  for (const [option, { label, stricter }] of Object.entries<FieldOption>(getKind(after.kind).options)) {
    if (!stricter) continue;
    const [from, to] = [old[option], now[option]] as [number | undefined, number | undefined];
    if (from === to) continue;
    const isStricter = to !== undefined && (from === undefined || (stricter === 'higher' ? to > from : to < from));
    (isStricter ? breaking : compatible)(`${label.toLowerCase()} changed: ${from ?? 'no limit'} → ${to ?? 'no limit'}`);
  }
  if (old.regex !== now.regex)
    (now.regex === undefined ? compatible : breaking)(
      `pattern changed: ${old.regex ?? 'none'} → ${now.regex ?? 'none'}`,
    );
  if ((old.indexed === true) !== (now.indexed === true))
    compatible(now.indexed === true ? 'is now indexed' : 'is no longer indexed');
  if ('enum' in before && 'enum' in after) {
    const removed = before.enum.filter((value) => !after.enum.includes(value));
    const added = after.enum.filter((value) => !before.enum.includes(value));
    if (removed.length > 0) breaking(`no longer allows ${listed(removed)}`);
    if (added.length > 0) compatible(`now also allows ${listed(added)}`);
  }
  for (const [name, option] of Object.entries<FieldOption>(getKind(after.kind).formOptions)) {
    if (!isSameOption(old[name], now[name], option)) compatible(formOptionChange(option, old[name], now[name]));
  }
}

function formOptionChange(option: FieldOption, before: unknown, after: unknown): string {
  const [from, to] = [shortValue(before, option), shortValue(after, option)];
  const values = from === undefined || to === undefined ? '' : `: ${from} → ${to}`;
  return `form option “${option.label}” changed${values}`;
}

function orderChange(pairs: { field: Field; former: Field | undefined }[], before: Version): Change[] {
  const newOrder = pairs.flatMap(({ former }) => former?.key ?? []);
  const oldOrder = before.fields.map(({ key }) => key).filter((key) => newOrder.includes(key));
  return newOrder.join() === oldOrder.join() ? [] : [{ impact: 'compatible', text: 'Field order changed' }];
}

function unknownFieldsChange(before: Version, after: Version): Change[] {
  if (before.rejectUnknown === after.rejectUnknown) return [];
  return after.rejectUnknown
    ? [{ impact: 'breaking', text: 'Unknown fields are now rejected' }]
    : [{ impact: 'compatible', text: 'Unknown fields are now accepted and stored' }];
}

function nameOf({ key, label }: Field): string {
  return label === '' || label === key ? key : `“${label}” (${key})`;
}

function listed(values: readonly string[]): string {
  return values.map((value) => `“${value}”`).join(', ');
}
