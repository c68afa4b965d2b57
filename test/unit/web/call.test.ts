import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// The language is read when its module is loaded, which another file of the worker may have done.
beforeAll(() => {
  vi.resetModules();
  vi.stubGlobal('localStorage', { getItem: () => 'de' });
});
afterAll(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('the refusal of a session, which has no code, is in the language of the reader', async () => {
  const { ApiError } = await import('../../../web/src/api/call.ts');
  await (await import('../../../web/src/texts/reasons.ts')).loadReasons();
  const refused = (name: 'GET /auth/session' | 'GET /auth/users', body: object) => {
    const { message, code } = new ApiError(name, new Response(null, { status: 401 }), body);
    return { message, code };
  };
  const sent = { message: 'Not authenticated' };
  const shown = { message: 'Nicht angemeldet', code: 'notAuthenticated' };
  expect(refused('GET /auth/session', sent)).toEqual(shown);
  expect(refused('GET /auth/users', { ...sent, code: 'notAuthenticated' })).toEqual(shown);
  expect(refused('GET /auth/users', sent)).toEqual({ ...sent, code: undefined });
});
