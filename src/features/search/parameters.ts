import { z } from 'zod';
import { ScopeParameter } from '../../core/api/parameters.ts';
import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import { code } from '../../platform/languages/problems.ts';
import type { PlainCode } from '../../platform/languages/reasons.ts';
import { MAX_WHERE } from './conditions.ts';
import { MAX_SEARCH_LENGTH } from './text-search.ts';

export const SINGLE_TEXT = code('notOneText');
const SORT = new RegExp(`^(?:createdAt|updatedAt|email|data\\.${FIELD_KEY_PATTERN.source.slice(1, -1)})$`);

export const sortParameter = z
  .string(SINGLE_TEXT)
  .regex(SORT, code('notSortPath'))
  .optional()
  .meta({ description: '`createdAt`, `updatedAt`, `email` or `data.<key>`. Default: `createdAt`', example: 'email' });
export const orderParameter = z
  .enum(['asc', 'desc'], code('notOrder'))
  .optional()
  .meta({ description: 'Default: `desc` for times, `asc` for all others', example: 'asc' });

export function checkSelection(
  { where, q }: { where?: readonly string[] | undefined; q?: string | undefined },
  context: z.RefinementCtx,
) {
  if (where === undefined && q === undefined)
    context.addIssue({ code: 'custom', path: ['where'], message: code('requiredWithoutQ') });
}

/** Whether a query has one of these parameters. */
export function hasAny<Name extends string>(query: { [Each in Name]?: unknown }, names: readonly Name[]): boolean {
  return names.some((name) => query[name] !== undefined);
}

/** Refuses `skip` beside one of these parameters. @param problem names them */
export const noSkipWith =
  <Name extends string>(names: readonly Name[], problem: PlainCode) =>
  (query: { [Each in Name]?: unknown } & { skip?: number | undefined }, context: z.RefinementCtx) => {
    if (query.skip !== undefined && hasAny(query, names))
      context.addIssue({ code: 'custom', path: ['skip'], message: code(problem) });
  };

export const MAX_CURSOR_LENGTH = 8_000;

/** Conditions, each `<path>:<operator>:<value>`. One is a text, several are an array. */
export const Where = z
  .union([z.string().transform((text) => [text]), z.array(z.string())], SINGLE_TEXT)
  .refine((list) => list.length <= MAX_WHERE, code('tooManyTimes', { max: MAX_WHERE }))
  .optional()
  .meta({
    override: { type: 'array', items: { type: 'string' }, maxItems: MAX_WHERE },
    description:
      'A condition `<path>:<operator>:<value>`; repeated, all must hold. Paths: `email`, `createdAt`, `updatedAt`, `schemaVersion`, `data.<key>`',
    example: ['data.age:gte:18'],
  });

export const SearchText = z
  .string(SINGLE_TEXT)
  .min(1, code('empty'))
  .max(MAX_SEARCH_LENGTH, code('tooLong', { max: MAX_SEARCH_LENGTH }))
  .optional()
  .meta({ description: 'A part of the email or of any text in `data`, in any case', example: 'lovelace' });

export const Cursor = z
  .string(SINGLE_TEXT)
  .max(MAX_CURSOR_LENGTH, code('tooLongText'))
  .optional()
  .meta({ description: 'The `next` of the previous page of the same query', example: 'AbC123' });

/** The zone of the days that a response counts (spec 4.3.2). */
export const TimeZoneParameter = z
  .string(SINGLE_TEXT)
  .max(100, code('tooLongText'))
  .refine((name) => canonicalTimeZone(name) !== undefined, code('notTimeZone'))
  .default('UTC')
  .meta({ description: 'The IANA time zone of the days', example: 'Europe/Berlin' });

/** The parameters that select and order records (spec 4.3). */
export const queryParameters = { where: Where, q: SearchText, sourceAppId: ScopeParameter };

export const pageParameters = {
  ...queryParameters,
  cursor: Cursor,
  total: z.enum(['exact', 'capped', 'none'], code('notTotalKind')).optional().meta({
    description: 'How to count the matches. Default: `capped`, and `none` with a cursor',
    example: 'capped',
  }),
};

export const pageMembers = {
  next: z.string().optional().meta({ description: 'The cursor of the next page', example: 'AbC123' }),
  complete: z.boolean().meta({ description: 'False when the time ended before the page was full' }),
};

export const totalMembers = {
  total: z.int().nonnegative().optional().meta({ example: 42 }),
  totalIs: z.enum(['exact', 'capped', 'partial']).optional().meta({ example: 'exact' }),
};
