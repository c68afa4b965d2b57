import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { Forbidden, Unavailable } from '../../platform/core/errors.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { CaptchaSettings } from '../form-settings/admission.ts';
import type { FormSettings } from '../form-settings/form-settings.ts';
import { identifyHolder, KEPT_SECONDS, type SpentChallengeDocument } from './challenges.ts';

/** Within the deadline of a request (deadline.ts), with the wait for a free question. */
const ANSWER_MS = 1_500;
const MAX_QUESTIONS = 20;
const MAX_ANSWER_BYTES = 64 * 1024;

/** After so many failures in a row a provider is not asked for a while. */
const MAX_FAILURES = 5;
const AWAY_MS = 10_000;

const WARN_EVERY_MS = 60_000;

/** A longer token, in characters, is none of a provider. */
const MAX_TOKEN_LENGTH = 8_000;

/** A token counts once within this time. */
const TOKEN_MS = 24 * 60 * 60 * 1_000;
/** A claim of this age without a verdict is of a process that stopped. */
const ABANDONED_MS = 3_000;
const POLL_MS = 100;

/** `away`: the provider cannot say whether the token is valid. */
type Verdict = 'passed' | 'refused' | 'away';

interface Question {
  secret: string;
  token: string;
}

interface Answer {
  isPassed: boolean;
  /** The host on which the challenge was solved, if the provider says it. */
  host: string | undefined;
  errors: readonly string[];
}

const SiteVerifyAnswer = z
  .looseObject({
    success: z.boolean(),
    hostname: z.string().nullish(),
    'error-codes': z.array(z.string()).nullish(),
  })
  .transform(({ success, hostname, 'error-codes': errors }) => ({
    isPassed: success,
    host: hostname || undefined,
    errors: errors ?? [],
  }));

const FriendlyAnswer = z
  .looseObject({
    success: z.boolean(),
    data: z.looseObject({ challenge: z.looseObject({ origin: z.string().nullish() }).nullish() }).nullish(),
    error: z.looseObject({ error_code: z.string() }).nullish(),
  })
  .transform(({ success, data, error }) => {
    const origin = data?.challenge?.origin || undefined;
    return {
      isPassed: success,
      host: origin !== undefined && URL.canParse(origin) ? new URL(origin).hostname : origin,
      errors: error ? [error.error_code] : [],
    };
  });

interface Protocol {
  request(question: Question): { headers: Record<string, string>; body: string };
  answer: z.ZodType<Answer>;
}

const SITE_VERIFY: Protocol = {
  request: ({ secret, token }) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ secret, response: token }).toString(),
  }),
  answer: SiteVerifyAnswer,
};

const PROTOCOLS: Readonly<Record<CaptchaProvider, Protocol>> = {
  turnstile: SITE_VERIFY,
  hcaptcha: SITE_VERIFY,
  recaptcha: SITE_VERIFY,
  friendly: {
    request: ({ secret, token }) => ({
      headers: { 'content-type': 'application/json', 'x-api-key': secret },
      body: JSON.stringify({ response: token }),
    }),
    answer: FriendlyAnswer,
  },
};

/** Errors of the provider itself. Providers separate words by `-` or `_`. */
const OWN_ERRORS = ['internal-error', 'internal-server-error'];
/** Errors of the settings of the app. They say nothing of the token, nor of the provider. */
const SETTINGS_ERRORS = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'auth-required',
  'auth-invalid',
  'sitekey-invalid',
];

/** A result of a question. `isFailure`: the provider is to blame for `away`. */
interface Result {
  verdict: Verdict;
  host?: string | undefined;
  isFailure?: boolean;
  /** Why the provider is away. */
  reason?: string | undefined;
}

const AWAY: Result = { verdict: 'away' };

type AskProvider = ReturnType<typeof createProviderQuestions>;

/**
 * Creates the function that asks a provider for the verdict on a token (spec 4.5.4): once, within
 * 1.5 s, with at most 20 questions at the same time. It never rejects. After five failures in a
 * row it does not ask the provider for 10 s. The log names a provider that is away once a minute.
 */
export function createProviderQuestions(
  urls: Readonly<Record<CaptchaProvider, string>>,
  { logger, metrics }: { logger: Logger; metrics: Metrics },
) {
  const inTurn = pLimit(MAX_QUESTIONS);
  const failures = new Map<CaptchaProvider, { count: number; until: number }>();
  const warnedAt = new Map<CaptchaProvider, number>();
  const countVerdict = metrics.counter('challenge_verdicts_total', {
    help: 'Verdicts of providers of challenges',
    labels: ['provider', 'verdict'],
  });

  function warn(provider: CaptchaProvider, reason: string): void {
    const now = performance.now();
    if (now - (warnedAt.get(provider) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    warnedAt.set(provider, now);
    logger.warn({ provider, reason }, 'a provider of challenges is away, or does not know the keys of an app');
  }

  const isAway = (provider: CaptchaProvider): boolean => (failures.get(provider)?.until ?? 0) > performance.now();

  function note(provider: CaptchaProvider, isFailure: boolean): void {
    if (!isFailure) return void failures.delete(provider);
    const count = (failures.get(provider)?.count ?? 0) + 1;
    failures.set(provider, { count, until: count >= MAX_FAILURES ? performance.now() + AWAY_MS : 0 });
  }

  return async (provider: CaptchaProvider, question: Question): Promise<Result> => {
    const until = performance.now() + ANSWER_MS;
    const work = inTurn(async (): Promise<Result> => {
      const leftMs = until - performance.now();
      if (leftMs <= 0 || isAway(provider)) return AWAY;
      const result = await send(urls[provider], PROTOCOLS[provider], question, AbortSignal.timeout(Math.ceil(leftMs)));
      note(provider, result.isFailure === true);
      if (result.reason !== undefined) warn(provider, result.reason);
      return result;
    });
    const found = await withTimeout(work, ANSWER_MS, () => new Error('no answer')).catch(() => AWAY);
    countVerdict({ provider, verdict: found.verdict });
    return found;
  };
}

async function send(url: string, protocol: Protocol, question: Question, signal: AbortSignal): Promise<Result> {
  try {
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal, ...protocol.request(question) });
    const text = await readBounded(response);
    const { status, ok } = response;
    const isAnswer = ok || (status >= 400 && status < 500 && status !== 429);
    if (!isAnswer) return { ...AWAY, isFailure: true, reason: `status ${status}` };
    const answer = protocol.answer.parse(JSON.parse(text));
    const errors = answer.errors.map((one) => one.replaceAll('_', '-'));
    const among = (known: readonly string[]) => errors.find((one) => known.includes(one));
    if (answer.isPassed) return { verdict: 'passed', host: answer.host };
    const failure = among(OWN_ERRORS);
    if (failure !== undefined) return { ...AWAY, isFailure: true, reason: failure };
    const fault = among(SETTINGS_ERRORS);
    return fault === undefined ? { verdict: 'refused' } : { ...AWAY, reason: fault };
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    return { ...AWAY, isFailure: true, reason: cause?.code ?? reasonOf(error) };
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface SentToken {
  appId: ObjectId;
  token: string;
  /** The host of the request. */
  host: string | undefined;
  email: string;
  idempotencyKey: string | undefined;
}

export type CheckCaptcha = ReturnType<typeof createCaptchaCheck>;

/**
 * Checks tokens of providers (spec 4.5.4). A claim in the collection of spent challenges makes a
 * token count once over all servers and apps; it keeps the verdict for repeats of the submission.
 * A claim that a process left without a verdict passes nobody.
 *
 * @param deps.publicHost the host of PUBLIC_URL
 */
export function createCaptchaCheck(deps: {
  spent: Collection<SpentChallengeDocument>;
  ask: AskProvider;
  clock: Pick<DatabaseClock, 'earlier' | 'later'>;
  publicHost: string | undefined;
}) {
  const { spent, ask, clock, publicHost } = deps;

  /** MongoDB removes an entry `KEPT_SECONDS` after this time. */
  const keptAt = () => new Date(clock.later().getTime() + TOKEN_MS - KEPT_SECONDS * 1_000);
  const isAbandoned = ({ at }: SpentChallengeDocument): boolean =>
    clock.earlier().getTime() + TOKEN_MS - KEPT_SECONDS * 1_000 - at.getTime() > ABANDONED_MS;

  /**
   * Resolves with the verdict on an earlier question for the same submission, or with the time of
   * the claim that this call holds: it must ask, and its writes name that time, so that they change
   * nothing after another one took the claim over. @throws {Forbidden} when another submission used
   * the token
   */
  async function claim(_id: string, holder: string): Promise<Verdict | Date> {
    const until = performance.now() + ANSWER_MS;
    for (;;) {
      const at = keptAt();
      try {
        await spent.insertOne({ _id, holder, at });
        return at;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const first = await spent.findOne({ _id }, { readConcern: 'majority' });
      if (!first) continue;
      if (first.holder !== holder) throw new Forbidden('captchaUsed');
      if (first.verdict) return first.verdict;
      if (isAbandoned(first)) {
        const abandoned = { _id, holder, at: first.at, verdict: { $exists: false } };
        const taken = await spent.updateOne(abandoned, { $set: { at } });
        if (taken.modifiedCount === 1) return at;
      }
      if (performance.now() >= until) return 'away';
      await sleep(POLL_MS);
    }
  }

  /** Whether a form of the app may be on the host on which the challenge was solved. */
  function isOwnHost(solvedOn: string, { origins }: FormSettings, requested: string | undefined): boolean {
    if (origins.includes('*')) return true;
    const hosts = [publicHost ?? requested, ...origins.map((origin) => new URL(origin).hostname)];
    return hosts.includes(solvedOn.toLowerCase());
  }

  return async (
    provider: CaptchaProvider,
    settings: FormSettings & { captcha: CaptchaSettings },
    { appId, token, host, email, idempotencyKey }: SentToken,
  ): Promise<'captcha-away' | undefined> => {
    if (token.length > MAX_TOKEN_LENGTH) throw new Forbidden('captchaInvalid');
    const { secret, outage } = settings.captcha;
    const _id = `captcha ${createHash('sha256').update(`${provider} ${token}`).digest('base64url')}`;
    // The verdict depends on the secret and the hosts of the app.
    const holder = identifyHolder(`${appId.toHexString()} ${email}`, idempotencyKey);
    const claimed = await claim(_id, holder);
    const verdict = claimed instanceof Date ? await decide({ _id, holder, at: claimed }) : claimed;
    if (verdict === 'refused') throw new Forbidden('captchaInvalid');
    if (verdict === 'passed') return undefined;
    if (outage === 'refuse') throw new Unavailable('captchaAway', AWAY_MS / 1_000);
    return 'captcha-away';

    /** Asks the provider, and stores the verdict under the claim. */
    async function decide(own: Pick<SpentChallengeDocument, '_id' | 'holder' | 'at'>): Promise<Verdict> {
      const result = await ask(provider, { secret, token });
      const isOther = result.host !== undefined && !isOwnHost(result.host, settings, host);
      const found = isOther ? 'refused' : result.verdict;
      // A repeat of a submission that was answered with 503 asks again.
      if (found === 'away' && outage === 'refuse') await spent.deleteOne(own);
      else {
        // A refused token stays refused: it has expired at its provider long before its entry.
        const at = found === 'refused' ? clock.later() : own.at;
        await spent.updateOne(own, { $set: { verdict: found, at } });
      }
      return found;
    }
  };
}
