import type { Request } from 'express';
import { z } from 'zod';
import { safeParse } from '../fields/base/safe-parse.ts';
import { InvalidInput, MAX_ISSUES } from '../platform/core/errors.ts';
import { code, toIssues } from '../platform/languages/problems.ts';
import { readMediaType } from './body/request-bytes.ts';

/** Parses a part of a request. @throws {InvalidInput} with an issue for each invalid place */
export function parsePart<Part extends z.ZodType>(part: Part, value: unknown, message: string): z.output<Part> {
  const parsed = safeParse(part, value);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(message, toIssues(parsed.error.issues, '', pathName));
}

/** Returns a sent name for the path of a problem: quoted and cut if it is not a plain word. */
export function pathName(key: string): string {
  return /^[\w.-]{1,51}$/.test(key) ? key : JSON.stringify(key.slice(0, 40));
}

/** Any JSON object. Zod's `record` would silently drop `__proto__`. */
export const JsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    code('notObject'),
  )
  .meta({ override: { type: 'object', additionalProperties: true } });

/** The id of a document in responses. */
export const Id = z.string().meta({ example: '65f0c0ffee65f0c0ffee65f0' });

/** The answer to a request that returns nothing else. */
export const Ok = z.strictObject({ ok: z.literal(true) });

/** An ISO 8601 time in responses. */
export const Timestamp = z.iso.datetime().meta({ example: '2026-01-31T08:30:00.000Z' });

/** The largest number of 15 digits. */
const MAX_WHOLE_NUMBER = 999_999_999_999_999;

/** A whole number in a query, digits only. Repeated parameters are arrays, which are refused. */
export const WholeNumber = (low: number, high = MAX_WHOLE_NUMBER) => {
  const refusal = `must be a whole number from ${low}${high < MAX_WHOLE_NUMBER ? ` to ${high}` : ''}`;
  return z
    .string(`must be one whole number from ${low}`)
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= low && Number(text) <= high, refusal)
    .meta({ override: { type: 'integer', minimum: low, maximum: high } })
    .transform(Number);
};

/** A number of days in a body. */
export function daysUpTo(most: number) {
  const problem = `must be a whole number from 1 to ${most}`;
  return z.int(problem).min(1, problem).max(most, problem);
}

/** The items of a page (spec 8). */
export const MAX_LIMIT = 200;
export const DEFAULT_LIMIT = 50;

const Limit = WholeNumber(1).transform((limit) => Math.min(limit, MAX_LIMIT));
const limitMeta = {
  description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}`,
  example: 50,
};

/** The `limit` of a page in a query. */
export const PageLimit = Limit.default(DEFAULT_LIMIT).meta(limitMeta);

/** The same where a query without parameters is answered with the whole list. */
export const OptionalPageLimit = Limit.optional().meta(limitMeta);

/** The body of every error response (spec 7). */
export const ErrorBody = z
  .strictObject({
    message: z.string(),
    errors: z
      .array(
        z.strictObject({
          path: z.string(),
          message: z.string(),
          code: z.string().optional().meta({ description: 'In answers of `/v1/forms`: what is wrong, for programs' }),
          params: z
            .record(z.string(), z.union([z.string(), z.number()]))
            .optional()
            .meta({ description: 'With `code`: the values in the message' }),
        }),
      )
      .max(MAX_ISSUES)
      .optional(),
    reauthenticate: z.literal(true).optional().meta({ description: 'A 403 that another log-in resolves' }),
  })
  .meta({
    id: 'Error',
    example: { message: 'Invalid submission', errors: [{ path: 'data.age', message: 'must be a number' }] },
  });

/** Whether a browser shows the answer: it accepts HTML, and its body is not JSON (spec 4.5). */
export function prefersPage(req: Request): boolean {
  return readMediaType(req) !== 'application/json' && req.accepts(['html', 'json']) !== 'json';
}

/** Returns whether an `Origin` is the service's own, also behind a proxy that terminates TLS. */
export function isOwnOrigin(origin: string, { protocol, headers: { host } }: Request): boolean {
  return origin === `https://${host}` || origin === `${protocol}://${host}`;
}

/** Longer tags are none of the service's. */
const TAG = /"[^"]{0,100}"/g;

/**
 * Returns the tags of an `If-Match` header with their quotes; undefined when it sets no condition.
 * Weak tags count, which HTTP does not allow: proxies that compress weaken the service's tags.
 */
export function parseTags(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return ifMatch.match(TAG) ?? [];
}
