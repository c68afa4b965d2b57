import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { UsedModel } from '../../../src/features/accounts/accounts.model.ts';
import { createLoginChallenges } from '../../../src/features/accounts/challenges.ts';
import { endSharedServer } from '../../support/server/shared.ts';

beforeAll(endSharedServer);

afterEach(() => vi.useRealTimers());

it('a challenge is genuine for five minutes, for its purpose', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { issue, isGenuine } = createLoginChallenges('secret', {} as UsedModel);
  const challenge = Buffer.from(issue('log-in')).toString('base64url');
  expect(isGenuine(challenge, 'log-in')).toBe(true);
  expect(isGenuine(challenge, 'registration')).toBe(false);
  vi.advanceTimersByTime(5 * 60_000 - 1);
  expect(isGenuine(challenge, 'log-in')).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isGenuine(challenge, 'log-in')).toBe(false);
});
