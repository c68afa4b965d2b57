import type { LooseDefinition } from './draft.ts';
import { BROWSER_KINDS, type Condition, type ConditionOperator, type Conditions } from './rules.ts';

/** The properties of a definition that say when a field counts. They are of every kind. */
export const WHEN = ['showIf', 'requiredIf', 'keepHidden', 'page'] as const;

/** The two of them that are conditions. */
export const CONDITIONS = ['showIf', 'requiredIf'] as const;

/** A comparison as one choice of the editor: `exists` has two. */
export type Comparison = ConditionOperator | 'notExists';

/** Returns the comparisons of a field, in the order in which the editor offers them. */
export function comparisonsOf({ kind }: Pick<LooseDefinition, 'kind'>): Comparison[] {
  return [...BROWSER_KINDS[kind].operators, 'notExists'];
}

export function comparisonOf({ op, value }: Condition): Comparison {
  return op === 'exists' && value === false ? 'notExists' : op;
}

/** Returns a condition with another comparison; its value stays where it fits. */
export function withComparison(condition: Condition, comparison: Comparison, named: LooseDefinition): Condition {
  const { field } = condition;
  if (comparison === 'exists') return { field, op: 'exists' };
  if (comparison === 'notExists') return { field, op: 'exists', value: false };
  const [value] = condition.op === 'exists' ? [] : [condition.value].flat();
  const kept = value ?? initialValue(named);
  if (comparison === 'in') return { field, op: 'in', ...(kept !== undefined && { value: [kept] }) };
  return { field, op: comparison, ...(kept !== undefined && { value: kept }) };
}

/** Returns a condition on a field, with the comparison and the value that it begins with. */
export function conditionOn(named: LooseDefinition): Condition {
  const [first = 'exists'] = comparisonsOf(named);
  return withComparison({ field: named.key, op: 'exists' }, first, named);
}

/** Undefined: a person enters it. */
function initialValue({ kind, enum: choices }: LooseDefinition): string | boolean | undefined {
  if (kind === 'checkbox') return true;
  return kind !== 'text' && Array.isArray(choices) ? String(choices[0] ?? '') : undefined;
}

export const listOf = ({ all, any }: Conditions): readonly Condition[] => all ?? any ?? [];

/** Returns the conditions with another list; undefined for an empty one. */
export function withList(before: Conditions | undefined, list: readonly Condition[]): Conditions | undefined {
  if (list.length === 0) return undefined;
  return before?.any ? { any: list } : { all: list };
}

/** Returns the properties of a definition that say when it counts, as the service takes them. */
export function whenOf(definition: LooseDefinition): Record<string, unknown> {
  const given = WHEN.filter((name) => definition[name] !== undefined && definition[name] !== false);
  return Object.fromEntries(given.map((name) => [name, definition[name]]));
}

/** Returns the part of a definition that changes if a field that its conditions name is renamed. */
export function withRenamed(definition: LooseDefinition, from: string, to: string): LooseDefinition {
  const renamed = CONDITIONS.flatMap((name) => {
    const conditions = definition[name] as Conditions | undefined;
    if (!conditions || !listOf(conditions).some(({ field }) => field === from)) return [];
    const list = listOf(conditions).map((one) => (one.field === from ? { ...one, field: to } : one));
    return [[name, withList(conditions, list)] as const];
  });
  return renamed.length === 0 ? definition : { ...definition, ...Object.fromEntries(renamed) };
}
