import { isIP } from 'node:net';
import { z } from 'zod';
import { connectionStringProblem } from './connection-string.ts';
import { passwordProblem } from './secrets/password.ts';
import { isWebOrigin, WEB_ORIGIN_FORMAT } from './web-origin.ts';

// The kinds of values that environment variables have. Each turns a text into a value.

export const MEGABYTE = 1024 * 1024;
const MIN_PASSWORD_LENGTH = 12;
const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1024, mb: MEGABYTE };

/** A whole number of a range. */
export const whole = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((n) => n >= low && n <= high, `must be a whole number from ${low} to ${high}`);

/**
 * A number of bytes, like `100kb`.
 * @param range the range in the message of a refusal
 */
export const bytes = (low: number, range: string, high = 15 * MEGABYTE) =>
  z.string().transform((text, context) => {
    const match = /^(\d{1,9})\s*(b|kb|mb)?$/i.exec(text);
    const size = match ? Number(match[1]) * (UNITS[(match[2] ?? '').toLowerCase()] ?? 1) : 0;
    if (size >= low && size <= high) return size;
    context.addIssue({ code: 'custom', message: `must be a size ${range}` });
    return z.NEVER;
  });

/** Origins of websites, separated by commas. */
export const origins = z.string().transform((text, context) => {
  const list = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const origin of list) {
    if (isWebOrigin(origin)) continue;
    context.addIssue({
      code: 'custom',
      message: `has "${origin}": each origin is ${WEB_ORIGIN_FORMAT}`,
    });
    return z.NEVER;
  }
  return list;
});

/** A connection string of MongoDB. */
export const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s]+$/, {
    message: 'must begin with mongodb:// or mongodb+srv:// and name a host',
    abort: true,
  })
  .superRefine((uri, context) => {
    const problem = connectionStringProblem(uri);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/**
 * What a parser returns for the text.
 * @param format what the message of a refusal says that the value must be
 */
export const parsed = <Value>(parse: (text: string) => Value | undefined, format: string) =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be ${format}` });
    return z.NEVER;
  });

/** The origin of this service. The final slash that browsers add does not count. */
export const publicUrl = parsed((text) => {
  const origin = text.replace(/\/$/, '');
  return isWebOrigin(origin) ? origin : undefined;
}, `the origin of this service: ${WEB_ORIGIN_FORMAT}`);

/**
 * The value of the setting `trust proxy` of Express, which accepts `true`, a hop count or
 * addresses. `true` trusts any client's headers, so it is not offered.
 */
export const trustProxy = z.string().transform((text, context) => {
  if (text === 'off' || text === 'false' || text === '0') return false as const;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const list = text.split(',').map((part) => part.trim());
  if (list.every(isAddressOrRange)) return list;
  context.addIssue({
    code: 'custom',
    message: 'must be off, a number of proxies like 1, or addresses like 10.0.0.0/8,loopback',
  });
  return z.NEVER;
});

/** Checks at start-up what Express rejects only on the first request. */
function isAddressOrRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** A password that a log-in accepts, with the least length for an administrator. */
export const password = z.string().superRefine((text, context) => {
  const tooShort =
    text.length < MIN_PASSWORD_LENGTH ? `must have at least ${MIN_PASSWORD_LENGTH} characters` : undefined;
  const problem = passwordProblem(text) ?? tooShort;
  if (problem) context.addIssue({ code: 'custom', message: problem });
});
