import type { FieldDefinition } from '../../core/fields/definition.ts';
import { type Given, type Issue, say, toReason } from '../../platform/languages/reasons.ts';

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
  /** Fields of that version whose keys could be those of displaced values. */
  reserved?: readonly string[];
}

type Field = Pick<FieldDefinition, 'key' | 'kind'>;

const MAX_KEY_LENGTH = 51;

/** Reports renames that do not lead from the fields of one version to those of the next. */
export function renameIssues(renames: readonly Rename[], before: readonly Field[], after: readonly Field[]): Issue[] {
  const [old, next] = [byKey(before), byKey(after)];
  const [sources, targets] = [new Set<string>(), new Set<string>()];
  return renames.flatMap(({ from, to }, index) => {
    const former = old.get(from);
    const field = next.get(to);
    const problems: [isFound: boolean | undefined, name: 'from' | 'to', problem: Given][] = [
      [!former, 'from', 'notReplacedField'],
      [next.has(from), 'from', 'stillField'],
      [sources.has(from), 'from', 'renamedTwice'],
      [!field, 'to', 'notNewField'],
      [old.has(to), 'to', 'replacedField'],
      [targets.has(to), 'to', 'targetTwice'],
      [former && field && former.kind !== field.kind, 'to', say('notKind', { kind: former?.kind ?? '' })],
    ];
    sources.add(from);
    targets.add(to);
    const found = problems.filter(([isFound]) => isFound);
    return found.map(([, name, problem]) => ({ path: `renames.${index}.${name}`, ...toReason(problem) }));
  });
}

function byKey(fields: readonly Field[]): Map<string, Field> {
  return new Map(fields.map((field) => [field.key, field]));
}

/** The renames of a version with these fields. */
export function resolveRenames(
  version: number,
  pairs: readonly Rename[],
  fields: readonly Pick<Field, 'key'>[],
): PendingRenames {
  const reserved = fields.map(({ key }) => key).filter((key) => key.includes(displacedSuffix(version)));
  return { version, pairs, ...(reserved.length > 0 && { reserved }) };
}

const displacedSuffix = (version: number): string => `_before_v${version}`;

/** The most characters of `_<number>` after a name that is taken. */
const NUMBER_LENGTH = 6;

/**
 * The keys for a value that was stored under a new key before the rename. It can exist only as an
 * extra key, because the new key was not a field. The value gets the first of these names that
 * neither the record nor a field has: `first`, then `numbered` with `start`, `start + step` and so
 * on. Two renames have no name in common.
 */
export interface DisplacedNames {
  /** Undefined when it is that of another rename, because both keys are long. */
  first: string | undefined;
  numbered: string;
  start: number;
  step: number;
}

/** The names for displaced values, by the new key of each rename. */
export function displacedNames({ version, pairs }: PendingRenames): Map<string, DisplacedNames> {
  const suffix = displacedSuffix(version);
  const cut = ({ to }: Rename, room: number) => to.slice(0, MAX_KEY_LENGTH - suffix.length - room);
  const names = new Map<string, DisplacedNames>();
  const firsts = new Set<string>();
  for (const pair of pairs) {
    const first = cut(pair, 0) + suffix;
    const alike = pairs.filter((other) => cut(other, NUMBER_LENGTH) === cut(pair, NUMBER_LENGTH));
    names.set(pair.to, {
      first: firsts.has(first) ? undefined : first,
      numbered: `${cut(pair, NUMBER_LENGTH)}${suffix}_`,
      start: 2 + alike.indexOf(pair),
      step: alike.length,
    });
    firsts.add(first);
  }
  return names;
}

function freeName({ first, numbered, start, step }: DisplacedNames, isTaken: (name: string) => boolean): string {
  if (first !== undefined && !isTaken(first)) return first;
  let number = start;
  while (isTaken(numbered + number)) number += step;
  return numbered + number;
}

/** Returns the new key of each key that the renames change in an object with these keys. */
function changedKeys(keys: ReadonlySet<string>, renames: PendingRenames): Map<string, string> {
  const changed = new Map<string, string>();
  const { pairs, reserved = [] } = renames;
  const present = pairs.filter(({ from }) => keys.has(from));
  for (const { from, to } of present) changed.set(from, to);
  const displaced = present.filter(({ to }) => keys.has(to));
  if (displaced.length === 0) return changed;
  const names = displacedNames(renames);
  const isTaken = (name: string) => keys.has(name) || reserved.includes(name);
  for (const { to } of displaced) changed.set(to, freeName(names.get(to) as DisplacedNames, isTaken));
  return changed;
}

/**
 * Returns submitted data under the new keys. While values are being moved, a client that does not
 * know the new schema yet means the field by its old key. Data with both keys is returned as it is.
 */
export function underNewKeys(data: Record<string, unknown>, { pairs }: PendingRenames): Record<string, unknown> {
  const old = pairs.filter(({ from, to }) => Object.hasOwn(data, from) && !Object.hasOwn(data, to));
  if (old.length === 0) return data;
  return renameKeys(data, new Map(old.map(({ from, to }) => [from, to])));
}

/** Reports the old keys of fields in data that is to be stored while values are being moved. */
export function oldKeyIssues(data: Record<string, unknown>, { pairs }: PendingRenames): Issue[] {
  const sent = pairs.filter(({ from }) => Object.hasOwn(data, from));
  return sent.map(({ from, to }) => ({ path: `data.${from}`, ...say('renamed', { key: to }) }));
}

/** Returns an object with the keys after the renames, in the same order. Equals the stored move. */
export function withRenamedKeys<Value>(object: Record<string, Value>, renames: PendingRenames): Record<string, Value> {
  const changed = changedKeys(new Set(Object.keys(object)), renames);
  return changed.size === 0 ? object : renameKeys(object, changed);
}

function renameKeys<Value>(object: Record<string, Value>, changed: ReadonlyMap<string, string>): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [changed.get(key) ?? key, value]));
}

/** The key that a field has after these renames. @param renames oldest first */
export function presentKey(key: string, renames: readonly Pick<PendingRenames, 'pairs'>[]): string {
  return renames.reduce((from, { pairs }) => pairs.find((pair) => pair.from === from)?.to ?? from, key);
}
