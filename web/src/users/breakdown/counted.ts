import type { ResponseBody } from '../../api/endpoints.ts';

type Breakdown = ResponseBody<'GET /auth/users/breakdown'>;
type Group = NonNullable<Breakdown['values']>[number] | NonNullable<Breakdown['ranges']>[number];
type Conditions = { path: string; operator: string; value: string }[];

/** The conditions that select the users of a value or a range; none for a range without bounds. */
export function valueConditions(group: Group, path: string, operator: 'eq' | 'contains' = 'eq'): Conditions {
  if ('value' in group) return [{ path, operator, value: String(group.value) }];
  return [
    ...(group.from === undefined ? [] : [{ path, operator: 'gte', value: String(group.from) }]),
    ...(group.to === undefined ? [] : [{ path, operator: 'lt', value: String(group.to) }]),
  ];
}

/**
 * Completes a partial breakdown: counts the users of each value or range, one after the other.
 *
 * @param countOf resolves with the number of matching users; undefined when there was no time
 * @returns undefined without time for one of the counts, or when a range has no conditions
 */
export async function countedBreakdown(
  breakdown: Breakdown,
  path: string,
  countOf: (conditions: Conditions) => Promise<number | undefined>,
): Promise<Breakdown | undefined> {
  const { field, timeZone, values = [], ranges = [] } = breakdown;
  const groups = [...values, ...ranges].map((group) => valueConditions(group, path));
  if (groups.some((conditions) => conditions.length === 0)) return undefined;
  const counts: number[] = [];
  for (const conditions of [[], [{ path, operator: 'empty', value: 'true' }], ...groups]) {
    const count = await countOf(conditions);
    if (count === undefined) return undefined;
    counts.push(count);
  }
  const [records = 0, empty = 0, ...ofGroups] = counts;
  const known = ofGroups.reduce((sum, count) => sum + count, empty);
  return {
    // Users can come and go between two counts.
    field,
    records: Math.max(records, known),
    empty,
    other: Math.max(0, records - known),
    complete: true,
    ...(timeZone !== undefined && { timeZone }),
    ...(breakdown.values && { values: values.map((one, index) => ({ ...one, count: ofGroups[index] ?? 0 })) }),
    ...(breakdown.ranges && { ranges: ranges.map((one, index) => ({ ...one, count: ofGroups[index] ?? 0 })) }),
  };
}
