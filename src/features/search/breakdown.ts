import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import type { Endpoints } from '../../core/api/endpoint.ts';
import { decode } from '../../platform/database/collections.ts';
import { component } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { createBudget, type Position, type RecordRanges, type Segment } from '../record-reads/ranges.ts';
import { type ReadMembers, readValue, type Target, valueExpression, valueMembers } from './condition-filters.ts';
import { findTarget, invalidQuery, type QuerySchema } from './conditions.ts';
import { queryParameters, TimeZoneParameter } from './parameters.ts';
import { countSegments, type Query } from './plan.ts';
import type { SlotOf } from './queried-app.ts';
import {
  createRangeTally,
  createValueTally,
  dateScaleIn,
  MAX_TEXT,
  numberScale,
  type ValueTally,
  withinDates,
} from './tallies.ts';
import { type TimeZone, timeZoneOf, UTC } from './time-zone.ts';

const Count = z.int().nonnegative().meta({ example: 42 });
const Bound = z.union([z.number(), z.string()]).optional();

export const breakdownEndpoints = {
  breakDownUsers: {
    method: 'get',
    path: '/auth/users/breakdown',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    tool: true,
    tag: 'Users',
    summary: "How the session's users divide by a field",
    description:
      'Of the users that match `where` and `q`: how many have each of the most frequent values, or a number or a date in each of some ranges. Reads for a limited time; `complete` is false when that was not enough, and `records` is the number of users that were read.',
    query: z.strictObject({
      field: z.string(code('notOneText')).max(100, code('tooLongText')).meta({
        description: '`data.<key>` of a field that is no `array`, `createdAt`, `updatedAt` or `schemaVersion`',
        example: 'data.plan',
      }),
      timeZone: TimeZoneParameter,
      ...queryParameters,
    }),
    response: component('Breakdown', {
      field: z.string().meta({ example: 'data.plan' }),
      records: Count.meta({ description: 'The users that were read' }),
      empty: Count.meta({ description: 'Those without a value' }),
      values: z
        .array(z.strictObject({ value: z.union([z.string(), z.boolean()]), count: Count }))
        .optional()
        .meta({
          description:
            'For texts, choices and checkboxes: the most frequent values. A user with several choices is counted for each',
          example: [{ value: 'pro', count: 42 }],
        }),
      ranges: z
        .array(z.strictObject({ from: Bound, to: Bound, count: Count }))
        .optional()
        .meta({
          description: 'For numbers and dates: `from` belongs to the range, `to` does not',
          example: [{ from: 20, to: 25, count: 42 }],
        }),
      timeZone: z.string().optional().meta({
        description: 'The time zone of the ranges of times. The dates of a field are counted in UTC',
        example: 'UTC',
      }),
      other: Count.meta({ description: 'Those with a value that is in no entry' }),
      limited: z.literal(true).optional().meta({
        description: 'There are too many different values to find the most frequent ones with certainty',
      }),
      complete: z.boolean().meta({ description: 'Whether all matching users were read' }),
    }),
  },
} as const satisfies Endpoints;

/** How the records that match a query are distributed over the values of a field (spec 4.3). */
export type Breakdown = z.infer<typeof breakdownEndpoints.breakDownUsers.response>;

/** Below the deadline of a request. */
const BUDGET_MS = 1_500;
const STEP_LIMIT = 5_000;
/** With fewer groups, counting in the database costs little. */
const MIN_GROUPS = 500;
/** A character of `MAX_TEXT` takes at most 4 bytes. */
const MAX_TEXT_BYTES = 4 * MAX_TEXT;
/** Represents values that are counted in `other`. */
const LARGE = { $literal: {} };
/** MongoDB does not group by larger lists of choices, so that an answer of it has at most 20 MB. */
const MAX_GROUPED_CHOICES = 20;
const MAX_GROUPED_BYTES = 100;

export type UserBreakdown = ReturnType<typeof createUserBreakdown>;

/** Reads matches within a time budget, newest first unless an index narrows the query. */
export function createUserBreakdown(ranges: RecordRanges, budgetMs = BUDGET_MS) {
  /** @throws {InvalidInput} when the app has no such field, or the field is a list */
  return async (
    appId: ObjectId,
    field: string,
    query: Query,
    { schema, slotOf, timeZone = 'UTC' }: { schema: QuerySchema; slotOf: SlotOf; timeZone?: string },
  ): Promise<Breakdown> => {
    const target = findTarget(field, schema);
    if (!target || target.values.chart === 'none') throw invalidQuery('field', 'notFieldPath');
    const { chart } = target.values;
    const zone = chart === 'times' ? timeZoneOf(timeZone) : UTC;
    const tally = createTally(target, zone);
    let [records, empty] = [0, 0];
    const hasChoices = chart === 'choices';
    const count = (value: unknown, times: number): void => {
      records += times;
      if (isEmpty(value)) empty += times;
      else if (hasChoices && Array.isArray(value)) for (const choice of new Set(value)) tally.add(choice, times);
      else tally.add(value, times);
    };
    const segments = countSegments(query, slotOf);
    const budget = createBudget(budgetMs);
    let position: Position | undefined = segments.length > 0 ? { segment: 0 } : undefined;
    if (segments.every(({ index, search }) => index === 'id' && !search)) await countGroups(segments);
    await countRecords(segments);
    const hasDates = chart === 'times' || chart === 'dates';
    return {
      field,
      records,
      empty,
      ...(hasDates && { timeZone: zone.name }),
      ...tally.result(),
      complete: position === undefined,
    };

    /** Counts in the database until values rarely repeat; then reading the records is faster. */
    async function countGroups(list: readonly Segment[]): Promise<void> {
      for await (const { groups, next } of ranges.groups(appId, list, groupKey(target as Target), budget)) {
        if (hasChoices && groups.some(({ _id }) => isLarge(_id))) return;
        const before = records;
        for (const { _id, count: times } of groups) count(_id, times);
        position = next;
        if (groups.length > MIN_GROUPS && groups.length * 2 > records - before) return;
      }
    }

    async function countRecords(list: readonly Segment[]): Promise<void> {
      if (position === undefined || (records > 0 && budget.leftMs() <= 0)) return;
      const reading = () => ({ members: valueMembers(target as Target), limit: STEP_LIMIT });
      for await (const { documents, next } of ranges.walk(appId, list, position, reading, { budget })) {
        await ranges.each(documents, (document) =>
          count(readValue(target as Target, decode<ReadMembers>(document)), 1),
        );
        position = next;
      }
    }
  };
}

/** The expression by which MongoDB counts. All values that are too large for an answer are one. */
function groupKey(target: Target): Record<string, unknown> {
  const value = valueExpression(target);
  const isType = (type: string) => ({ $eq: [{ $type: value }, type] });
  const text = { $cond: [{ $lte: [{ $strLenBytes: value }, MAX_TEXT_BYTES] }, value, LARGE] };
  const ofChoices = { $cond: [isSmallList(value), value, LARGE] };
  const list = { $cond: [{ $eq: [{ $size: value }, 0] }, null, target.values.chart === 'choices' ? ofChoices : LARGE] };
  const others = { $cond: [isType('object'), LARGE, value] };
  return { $cond: [isType('string'), text, { $cond: [isType('array'), list, others] }] };
}

function isSmallList(list: string | object): Record<string, unknown> {
  const bytes = {
    $cond: [{ $eq: [{ $type: '$$this' }, 'string'] }, { $strLenBytes: '$$this' }, MAX_GROUPED_BYTES + 1],
  };
  const isSmall = { $map: { input: list, in: { $lte: [bytes, MAX_GROUPED_BYTES] } } };
  return { $and: [{ $lte: [{ $size: list }, MAX_GROUPED_CHOICES] }, { $allElementsTrue: [isSmall] }] };
}

const isLarge = (key: unknown): boolean => typeof key === 'object' && key !== null && !Array.isArray(key);

function createTally({ values: { chart, sortValue } }: Target, zone: TimeZone): ValueTally {
  const toNumber = (value: unknown): number | undefined => {
    const number = sortValue?.(value);
    return Number.isFinite(number) ? (number as number) : undefined;
  };
  if (chart === 'numbers') return createRangeTally(numberScale, toNumber);
  if (chart === 'dates' || chart === 'times') {
    return createRangeTally(dateScaleIn(zone), (value) => {
      const instant = withinDates(toNumber(value));
      return instant === undefined ? undefined : zone.localTime(instant);
    });
  }
  return createValueTally(chart === 'booleans' ? 'boolean' : 'string');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
