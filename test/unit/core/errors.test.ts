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

describe('an error class', () => {
  it.each([
    [new InvalidInput('m'), 400, 'InvalidInput'],
    [new Unauthenticated('m'), 401, 'Unauthenticated'],
    [new Forbidden('m'), 403, 'Forbidden'],
    [new NotFound('m'), 404, 'NotFound'],
    [new Conflict('m'), 409, 'Conflict'],
    [new TooLarge('m'), 413, 'TooLarge'],
    [new TooManyRequests('m', 7), 429, 'TooManyRequests'],
    [new Unavailable('m'), 503, 'Unavailable'],
    [new AppError(405, 'm'), 405, 'AppError'],
  ])('of %o sets its status, name and message', (error, status, name) => {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ status, name, message: 'm' });
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
    const issues = Array.from({ length: 25 }, (_, index) => ({ path: `data.f${index}`, message: 'is required' }));
    expect(new InvalidInput('m', issues).issues).toEqual(issues.slice(0, 20));
    expect(new InvalidInput('m').issues).toBeUndefined();
  });

  it('contain the seconds after which to retry', () => {
    expect(new TooManyRequests('m', 7).retryAfter).toBe(7);
    expect(new Unavailable().retryAfter).toBe(2);
    expect(new NotFound('m').retryAfter).toBeUndefined();
  });
});
