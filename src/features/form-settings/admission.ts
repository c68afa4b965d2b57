import { z } from 'zod';
import { isOrigin, parseRedirectUrl } from '../../platform/core/web-origin.ts';
import { SentTime } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { count, oneOf, orAbsent, orDefault, orNull, text, unset, withDefault } from './app-setting.ts';

const MAX_ORIGINS = 50;

/** What happens to submissions while a provider of challenges is away: held, or 503. */
const CAPTCHA_OUTAGES = ['hold', 'refuse'] as const;

/** The keys of an app at the provider of its challenges. No response has `secret`. */
const StoredCaptcha = z.strictObject({ siteKey: z.string(), secret: z.string(), outage: z.enum(CAPTCHA_OUTAGES) });
export type CaptchaSettings = z.output<typeof StoredCaptcha>;

/** Which submissions a form accepts (spec 4.5). */
export const admissionSettings = {
  /** Web origins whose pages may submit; `['*']`: every origin. */
  origins: orDefault(
    z
      .array(z.string(code('notText')).refine((origin) => origin === '*' || isOrigin(origin), code('notOrigin')))
      .max(MAX_ORIGINS, code('tooManyItems', { max: MAX_ORIGINS }))
      .refine((origins) => origins.length === 1 || !origins.includes('*'), code('otherOrigins'))
      .transform((origins) => [...new Set(origins)])
      .meta({ override: { type: 'array', items: { type: 'string' } }, example: ['https://www.example.com'] }),
    [],
  ),
  /** Whether requests with `Origin: null` pass, such as those of a local file. */
  nullOrigin: orDefault(z.boolean(), false),
  /** The page after a submission. */
  next: orNull(
    z
      .string(code('notText'))
      .refine((url) => parseRedirectUrl(url), code('notWebUrl'))
      .meta({ example: 'https://www.example.com/thanks' }),
  ),
  /** The protection against programs. */
  botProtection: orDefault(
    oneOf(['off', 'honeypot', 'proof-of-work', 'turnstile', 'hcaptcha', 'recaptcha', 'friendly']),
    'honeypot',
  ),
  /**
   * Set with a provider as `botProtection`. Without `secret` the stored one stays. `hasSecret` of a
   * response is ignored.
   */
  captcha: orAbsent(
    z
      .strictObject({
        siteKey: unset(text(200)),
        secret: unset(text(500)),
        outage: withDefault(oneOf(CAPTCHA_OUTAGES), 'hold' as const),
        hasSecret: z.unknown().optional(),
      })
      .transform(({ siteKey, secret, outage }) => ({ siteKey, secret, outage })),
    {
      description: 'The site key at the provider of challenges; absent without a provider',
      response: z.strictObject({ siteKey: z.string(), outage: z.enum(CAPTCHA_OUTAGES), hasSecret: z.literal(true) }),
      show: ({ siteKey, outage }) => ({ siteKey, outage, hasSecret: true }),
      stored: StoredCaptcha,
    },
  ),
  /** From one client network. Unset: RATE_LIMIT_SUBMIT applies. */
  submitPerMinute: orNull(count(1_000_000)),
  closesAt: orNull(SentTime),
  /** The number of records from which the app accepts no new person. */
  maxRecords: orNull(count(1_000_000)),
};

/** What public submissions of known emails do (spec 4.5.5). */
export const knownPeopleSettings = {
  /** Unset: they update the record. */
  existing: orAbsent(
    oneOf(['update', 'keep', 'confirm']).transform((rule) => (rule === 'update' ? undefined : rule)),
    {
      description: 'What a public submission of a known email does; absent if it updates the record',
      response: z.enum(['keep', 'confirm']),
      needs: (rule) => (rule === 'confirm' ? 'links' : undefined),
    },
  ),
  /** Whether public answers have the id and the times of the record. Unset: unless `existing`. */
  receipt: orAbsent(z.boolean(code('notBoolean')), {
    description: 'Whether public answers have the id and the times of the record; absent: unless `existing` is set',
  }),
};
