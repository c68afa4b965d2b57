import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProviderQuestions } from '../../../../src/intake/bots/captcha.ts';
import { CaptchaProviders } from '../../../support/captcha.ts';

let providers: CaptchaProviders;
beforeAll(async () => {
  providers = await CaptchaProviders.start();
});
afterAll(() => providers.close());
afterEach(() => {
  vi.useRealTimers();
});

describe('five failures of a provider in a row (spec 4.5.4)', () => {
  it('stop the questions for 10 s; then one more failure stops them again, and an answer ends the row', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const ask = createProviderQuestions(JSON.parse(providers.env.CAPTCHA_URLS));
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
