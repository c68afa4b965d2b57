import type { Request } from 'express';
import { z } from 'zod';
import { type AppError, InvalidInput } from '../core/errors.ts';
import { code, toIssues } from '../languages/problems.ts';
import { MAX_ISSUES, type PlainCode, say } from '../languages/reasons.ts';
import { readMediaType } from './request-bytes.ts';
import { safeParse } from './safe-parse.ts';

/** Parses a part of a request. @throws {InvalidInput} with an issue for each invalid place */
export function parsePart<Part extends z.ZodType>(part: Part, value: unknown, refusal: PlainCode): z.output<Part> {
  const parsed = safeParse(part, value);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(refusal, toIssues(parsed.error.issues, '', pathName));
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

/** Declares an object that OpenAPI describes once, under a name. */
export const component = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.strictObject(shape).meta({ id });

/** The id of a document in responses. */
export const Id = z.string().meta({ example: '65f0c0ffee65f0c0ffee65f0' });

/** The answer to a request that returns nothing else. */
export const Ok = z.strictObject({ ok: z.literal(true) });

/** An ISO 8601 time in responses. */
export const Timestamp = z.iso.datetime().meta({ example: '2026-01-31T08:30:00.000Z' });

/** A time in a body, with its zone. In UTC, as in responses, its year has four digits too. */
export const SentTime = z.iso
  .datetime({ offset: true, error: code('notDateTime') })
  .transform((at) => new Date(at))
  .refine((at) => /^\d{4}-/.test(at.toISOString()), code('notDateTime'));

/** The largest number of 15 digits. */
const MAX_WHOLE_NUMBER = 999_999_999_999_999;

/** A whole number in a query, digits only. Repeated parameters are arrays, which are refused. */
export const WholeNumber = (low: number, high = MAX_WHOLE_NUMBER) => {
  const refusal =
    high < MAX_WHOLE_NUMBER ? code('notWholeBetween', { min: low, max: high }) : code('notWholeFrom', { min: low });
  return z
    .string(code('notOneWholeFrom', { min: low }))
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= low && Number(text) <= high, refusal)
    .meta({ override: { type: 'integer', minimum: low, maximum: high } })
    .transform(Number);
};

/** A number of days in a body. */
export function daysUpTo(most: number) {
  const problem = code('notWholeBetween', { min: 1, max: most });
  return z.int(problem).min(1, problem).max(most, problem);
}

/** The items of a page (spec 8). */
export const MAX_LIMIT = 200;
export const DEFAULT_LIMIT = 50;

const Limit = z
  .string(code('notOneWholeFrom', { min: 1 }))
  .refine((text) => /^0*[1-9]\d*$/.test(text), code('notWholeFrom', { min: 1 }))
  .meta({ override: { type: 'integer', minimum: 1 } })
  .transform((limit) => Math.min(Number(limit), MAX_LIMIT));
const limitMeta = {
  description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}`,
  example: 50,
};

export const PageLimit = Limit.default(DEFAULT_LIMIT).meta(limitMeta);

/** The same where a query without parameters is answered with the whole list. */
export const OptionalPageLimit = Limit.optional().meta(limitMeta);

const Params = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .meta({ description: 'The values in the text' });

/** The body of every error response (spec 7). */
export const ErrorBody = z
  .strictObject({
    message: z.string(),
    code: z.string().meta({ description: 'What is wrong, for programs; it does not change' }),
    params: Params,
    errors: z
      .array(z.strictObject({ path: z.string(), message: z.string(), code: z.string(), params: Params }))
      .max(MAX_ISSUES)
      .optional(),
    received: z.int().nonnegative().optional().meta({ description: 'Of a 416: where a file goes on' }),
    reauthenticate: z.literal(true).optional().meta({ description: 'A 403 that another log-in resolves' }),
  })
  .meta({
    id: 'Error',
    example: { ...say('invalidSubmission'), errors: [{ path: 'data.age', ...say('notNumber') }] },
  });

/** Returns the body of the answer after an error. */
export function errorBody({ message, code, params, issues, facts }: AppError) {
  return { message, code, params, errors: issues, ...facts };
}

/**
 * Whether a browser shows the answer: it accepts HTML, and its body is not JSON (spec 4.5). A
 * script that sends a form by `fetch` accepts everything, but cannot follow a redirect to a page.
 */
export function prefersPage(req: Request): boolean {
  if (req.headers['sec-fetch-mode'] === 'cors') return false;
  return readMediaType(req) !== 'application/json' && req.accepts(['html', 'json']) !== 'json';
}

/** Whether a browser goes to an address that has data for scripts: only a browser asks for HTML. */
export const isVisit = (req: Request): boolean => req.accepts(['json', 'html']) === 'html';

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
