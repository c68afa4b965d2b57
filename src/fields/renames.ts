import type { Issue } from '../core/errors.ts';
import type { FieldDefinition } from './definition.ts';

/** A field whose key changes from one version of a schema to the next (spec 4.4). */
export interface Rename {
  from: string;
  to: string;
}

/**
 * Renames whose stored values are being moved. A record is unmoved while its `schemaVersion` is
 * below `version` and it has one of the old keys (decision 22).
 */
export interface PendingRenames {
  /** The version of the schema that named them. */
  version: number;
  pairs: readonly Rename[];
}

type Field = Pick<FieldDefinition, 'key' | 'kind'>;

const MAX_KEY_LENGTH = 51;

/** Reports renames that do not lead from the fields of one version to those of the next. */
export function renameIssues(
  renames: readonly Rename[],
  before: readonly Field[],
  after: readonly Pick<FieldDefinition, 'key' | 'kind'>[],
): Issue[] {
  const [old, next] = [byKey(before), byKey(after)];
  const [sources, targets] = [new Set<string>(), new Set<string>()];
  return renames.flatMap(({ from, to }, index) => {
    const problem = (name: 'from' | 'to', message: string): Issue => ({ path: `renames.${index}.${name}`, message });
    const former = old.get(from);
    const field = next.get(to);
    const issues = [
      ...(former ? [] : [problem('from', 'is not a field of the schema that is replaced')]),
      ...(next.has(from) ? [problem('from', 'is still a field')] : []),
      ...(sources.has(from) ? [problem('from', 'is renamed twice')] : []),
      ...(field ? [] : [problem('to', 'is not a field of the new schema')]),
      ...(old.has(to) ? [problem('to', 'is a field of the schema that is replaced')] : []),
      ...(targets.has(to) ? [problem('to', 'is the new key of two fields')] : []),
      ...(former && field && former.kind !== field.kind ? [problem('to', `must be of the kind ${former.kind}`)] : []),
    ];
    sources.add(from);
    targets.add(to);
    return issues;
  });
}

function byKey(fields: readonly Field[]): Map<string, Field> {
  return new Map(fields.map((field) => [field.key, field]));
}

/**
 * The key that takes a value which was stored under the new key before the rename. It can exist
 * only as an extra key, because the new key was not a field.
 */
export function displacedKey(to: string, version: number): string {
  const suffix = `_before_v${version}`;
  return to.slice(0, MAX_KEY_LENGTH - suffix.length) + suffix;
}

/** Returns the new key of each key that the renames change in an object with these keys. */
export function changedKeys(keys: ReadonlySet<string>, { version, pairs }: PendingRenames): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { from, to } of pairs) {
    if (!keys.has(from)) continue;
    changed.set(from, to);
    if (keys.has(to)) changed.set(to, displacedKey(to, version));
  }
  return changed;
}

/**
 * Returns submitted data under the new keys. While values are being moved, a client that does not
 * know the new schema yet means the field by its old key. Data with both keys is returned as it is.
 */
export function underNewKeys(data: Record<string, unknown>, { pairs }: PendingRenames): Record<string, unknown> {
  const old = pairs.filter(({ from, to }) => Object.hasOwn(data, from) && !Object.hasOwn(data, to));
  if (old.length === 0) return data;
  const changed = new Map(old.map(({ from, to }) => [from, to]));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [changed.get(key) ?? key, value]));
}

/** Reports the old keys of fields in data that is to be stored while values are being moved. */
export function oldKeyIssues(data: Record<string, unknown>, { pairs }: PendingRenames): Issue[] {
  const sent = pairs.filter(({ from }) => Object.hasOwn(data, from));
  return sent.map(({ from, to }) => ({ path: `data.${from}`, message: `was renamed to ${to}` }));
}

/** Returns an object with the keys after the renames, in the same order. Equals the stored move. */
export function withRenamedKeys<Value>(object: Record<string, Value>, renames: PendingRenames): Record<string, Value> {
  const changed = changedKeys(new Set(Object.keys(object)), renames);
  if (changed.size === 0) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [changed.get(key) ?? key, value]));
}
