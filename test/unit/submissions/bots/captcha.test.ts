import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProviderQuestions } from '../../../../src/features/bots/captcha.ts';
import { createLogger } from '../../../../src/platform/core/logger.ts';
import { NO_METRICS } from '../../../../src/platform/metrics/metrics.ts';
import { CaptchaProviders } from '../../../support/peers/captcha.ts';
import { endSharedServer } from '../../../support/server/shared.ts';

beforeAll(endSharedServer);

let providers: CaptchaProviders;
beforeAll(async () => {
  providers = await CaptchaProviders.start();
});
afterAll(() => providers.close());
afterEach(() => {
  vi.useRealTimers();
});

/** Asks as the service does, with the lines of its log and the counted verdicts. */
function questions() {
  const lines: string[] = [];
  const counted: unknown[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) });
  const metrics = { ...NO_METRICS, counter: () => (labels: unknown) => void counted.push(labels) };
  const ask = createProviderQuestions(JSON.parse(providers.env.CAPTCHA_URLS), { logger, metrics });
  return { ask, counted, logged: () => lines.splice(0).map((line) => JSON.parse(line)) };
}

describe('five failures of a provider in a row (spec 4.5.4)', () => {
  it('stop the questions for 10 s; then one more failure stops them again, and an answer ends the row', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { ask } = questions();
    const question = () => ask('turnstile', { secret: 'wrong', token: 'token' });
    const asked = async (): Promise<number> => {
      const before = providers.asked.length;
      expect((await question()).verdict).toBe('away');
      return providers.asked.length - before;
    };
    const failing = () => ({ status: 500, body: {} });
    const answering = () => undefined;
    providers.answer = failing;
    for (let index = 0; index < 4; index += 1) expect(await asked()).toBe(1);
    // An answer, though it blames the secret, ends the row.
    providers.answer = answering;
    expect(await asked()).toBe(1);
    providers.answer = failing;
    for (let index = 0; index < 5; index += 1) expect(await asked()).toBe(1);
    expect(await asked()).toBe(0);
    vi.advanceTimersByTime(9_999);
    expect(await asked()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await asked()).toBe(1);
    expect(await asked()).toBe(0);
    vi.advanceTimersByTime(10_000);
    providers.answer = answering;
    expect(await asked()).toBe(1);
    providers.answer = failing;
    expect(await asked()).toBe(1);
    expect(await asked()).toBe(1);
  });
});

describe('a provider that is away', () => {
  it('is named in the log once a minute, without token and secret, and counted', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { ask, logged, counted } = questions();
    const question = (provider: 'turnstile' | 'hcaptcha' | 'friendly') =>
      ask(provider, { secret: 'the secret', token: 'the token' });
    providers.answer = () => ({ status: 502, body: {} });
    for (let index = 0; index < 6; index += 1) await question('turnstile');
    const [first, ...others] = logged();
    expect(first).toEqual({
      level: 40,
      time: expect.any(String),
      provider: 'turnstile',
      reason: 'status 502',
      msg: 'a provider of challenges is away, or does not know the keys of an app',
    });
    expect(others).toEqual([]);
    providers.answer = () => (res) => void res.destroy();
    await question('hcaptcha');
    // The app has a wrong secret.
    providers.answer = () => undefined;
    await question('friendly');
    expect(logged()).toMatchObject([
      { provider: 'hcaptcha', reason: 'UND_ERR_SOCKET' },
      { provider: 'friendly', reason: 'auth-invalid' },
    ]);
    expect(counted).toEqual([
      ...Array(6).fill({ provider: 'turnstile', verdict: 'away' }),
      { provider: 'hcaptcha', verdict: 'away' },
      { provider: 'friendly', verdict: 'away' },
    ]);
    vi.advanceTimersByTime(60_000);
    providers.answer = () => ({ body: '<html>' });
    await question('turnstile');
    expect(logged()).toMatchObject([{ provider: 'turnstile', reason: 'ZodError' }]);
    vi.advanceTimersByTime(10_000);
    providers.answer = () => ({ body: { success: false, 'error-codes': ['invalid-input-response'] } });
    expect((await question('turnstile')).verdict).toBe('refused');
    expect(logged()).toEqual([]);
    expect(counted.at(-1)).toEqual({ provider: 'turnstile', verdict: 'refused' });
  });
});
