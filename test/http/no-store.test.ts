import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_SUBMIT: '1' });
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

const cacheControl = async (path: string, options: RequestInit = {}) => {
  const { status, headers } = await fetch(`${server.client.url}${path}`, options);
  return [status, headers.get('cache-control')];
};

describe('answers under /auth are kept by no cache', () => {
  it.each([
    ['a refusal without a session', '/auth/users', {}, 401],
    ['an unknown path', '/auth/nothing', {}, 404],
    ['an unknown method', '/auth/users', { method: 'POST' }, 405],
    ['a broken log-in', '/auth/login', { method: 'POST' }, 400],
    ['another origin', '/auth/users', { headers: { Origin: 'https://evil.example' } }, 403],
    ['a log-out', '/auth/logout', { method: 'POST' }, 200],
  ])('%s', async (_name, path, options, status) => {
    expect(await cacheControl(path, options)).toEqual([status, 'no-store']);
  });

  it.each([
    '/auth/users',
    '/auth/users/export',
    '/auth/session',
    '/auth/apps',
    '/auth/apps/admin/schema',
    '/auth/schema',
  ])('%s of an admin', async (path) => {
    const { headers } = await server.admin.get(path).expect(200);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('the public schema is kept, and asked for by its ETag, as before', async () => {
    const options = { headers: { 'x-app-id': app.sourceAppId } };
    const answer = await fetch(`${server.client.url}/v1/schema`, options);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    const again = { headers: { ...options.headers, 'If-None-Match': etag } };
    expect(await cacheControl('/v1/schema', again)).toEqual([304, 'no-cache']);
  });
});

describe('the order of refusals of a submission', () => {
  it('is x-app-id, unknown app, rate limit, body: an unknown app is never limited', async () => {
    const submit = (appId: string) => server.client.submit(appId, '{').set('Content-Type', 'application/json');
    for (let time = 0; time < 3; time += 1) {
      const { body } = await submit('made-up').expect(400);
      expect(body.message).toBe('Invalid x-app-id header');
    }
    expect((await submit(app.sourceAppId).expect(400)).body.message).toBe('The request body is not valid JSON');
    await submit(app.sourceAppId).expect(429);
  });

  it.each([
    ['9007199254740993', /integer beyond 2\^53/],
    ['1e-400', /too small/],
    ['1e400', /too large/],
  ])('%s is refused, and nothing is stored', async (number, message) => {
    const open = await server.admin.buildApp();
    const { body } = await server.client
      .submit(open.sourceAppId, `{"email":"n@example.com","data":{"n":${number}}}`)
      .set('Content-Type', 'application/json')
      .expect(400);
    expect(body.message).toMatch(message);
    expect(await server.db.collection('users').countDocuments({ email: 'n@example.com' })).toBe(0);
  });
});
