import { z } from 'zod';
import { FIELD_KEY_PATTERN } from '../fields/kind.ts';

export const SINGLE_TEXT = 'must be one text';
const SORT = new RegExp(`^(?:createdAt|updatedAt|email|data\\.${FIELD_KEY_PATTERN.source.slice(1, -1)})$`);

/** The query parameters that select records of an app. */
export const filterParameters = {
  search: z
    .string(SINGLE_TEXT)
    .max(100, 'must have at most 100 characters')
    .optional()
    .meta({ description: 'A part of the email, case-insensitive', example: 'ada@' }),
  field: z
    .string(SINGLE_TEXT)
    .regex(FIELD_KEY_PATTERN, 'must be a field key')
    .optional()
    .meta({ description: 'Only records whose `data` has `value` in this field; requires `value`', example: 'plan' }),
  value: z.string(SINGLE_TEXT).optional().meta({
    description: 'The value of `field`: the text, or the number, `true` or `false` that it spells',
    example: 'pro',
  }),
};

export const sortParameter = z
  .string(SINGLE_TEXT)
  .regex(SORT, 'must be createdAt, updatedAt, email or data.<key>')
  .optional()
  .meta({ description: '`createdAt`, `updatedAt`, `email` or `data.<key>`. Default: `createdAt`', example: 'email' });
export const orderParameter = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .optional()
  .meta({ description: 'Default: `desc` for times, `asc` for all others', example: 'asc' });

export function checkFieldAndValue(
  { field, value }: { field?: string | undefined; value?: string | undefined },
  context: z.RefinementCtx,
) {
  if (field !== undefined && value === undefined)
    context.addIssue({ code: 'custom', path: ['value'], message: 'is required with field' });
  if (field === undefined && value !== undefined)
    context.addIssue({ code: 'custom', path: ['field'], message: 'is required with value' });
}

export function checkSelection(
  { where, q }: { where?: readonly string[] | undefined; q?: string | undefined },
  context: z.RefinementCtx,
) {
  if (where === undefined && q === undefined)
    context.addIssue({ code: 'custom', path: ['where'], message: 'is required, or q' });
}

export function checkSkip(
  { where, q, cursor, skip }: { where?: unknown; q?: unknown; cursor?: unknown; skip?: number | undefined },
  context: z.RefinementCtx,
) {
  if (skip !== undefined && [where, q, cursor].some((value) => value !== undefined))
    context.addIssue({ code: 'custom', path: ['skip'], message: 'is not used with where, q or cursor' });
}

export function checkCursor(
  { cursor, skip }: { cursor?: string | undefined; skip?: number | undefined },
  context: z.RefinementCtx,
) {
  if (cursor !== undefined && skip !== undefined)
    context.addIssue({ code: 'custom', path: ['skip'], message: 'is not used with cursor' });
}
