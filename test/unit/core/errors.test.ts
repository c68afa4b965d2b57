import { describe, expect, it } from 'vitest';
import {
  AppError,
  Conflict,
  Forbidden,
  InvalidInput,
  KeyReused,
  NotFound,
  TooLarge,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
} from '../../../src/platform/core/errors.ts';
import { say } from '../../../src/platform/languages/reasons.ts';

describe('an error class', () => {
  it.each([
    [new InvalidInput('notFound'), 400, 'InvalidInput'],
    [new Unauthenticated('notFound'), 401, 'Unauthenticated'],
    [new Forbidden('notFound'), 403, 'Forbidden'],
    [new NotFound('notFound'), 404, 'NotFound'],
    [new Conflict('notFound'), 409, 'Conflict'],
    [new TooLarge('notFound'), 413, 'TooLarge'],
    [new TooManyRequests('notFound', 7), 429, 'TooManyRequests'],
    [new Unavailable('notFound'), 503, 'Unavailable'],
    [new AppError(405, 'notFound'), 405, 'AppError'],
  ])('of %o sets its status, name, code and message', (error, status, name) => {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ status, name, code: 'notFound', message: 'Not found' });
  });

  it('has the values of its text', () => {
    const error = new Conflict(say('memberLimit', { max: 50 }));
    expect(error).toMatchObject({ code: 'memberLimit', params: { max: 50 }, message: 'An app has at most 50 members' });
    // @ts-expect-error The text needs a value.
    new Conflict('memberLimit');
    // @ts-expect-error A text is no code.
    expect(() => new Conflict('An app has at most 50 members')).toThrow();
  });

  it('for a reused Idempotency-Key has status 422', () => {
    expect(new KeyReused().status).toBe(422);
  });

  it('for a missing session has the message of spec 4.2', () => {
    expect(new Unauthenticated().message).toBe('Not authenticated');
  });
});

describe('the details of an error', () => {
  it('contain at most 20 issues', () => {
    const issues = Array.from({ length: 25 }, (_, index) => ({ path: `data.f${index}`, ...say('required') }));
    expect(new InvalidInput('notFound', issues).issues).toEqual(issues.slice(0, 20));
    expect(new InvalidInput('notFound').issues).toBeUndefined();
  });

  it('contain the seconds after which to retry', () => {
    expect(new TooManyRequests('notFound', 7).retryAfter).toBe(7);
    expect(new Unavailable().retryAfter).toBe(2);
    expect(new NotFound('notFound').retryAfter).toBeUndefined();
  });
});
