import express from 'express';
import { ObjectId } from 'mongodb';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Endpoints, jsonBody, routes } from '../../../src/core/api/endpoint.ts';
import type { Principal, Scope } from '../../../src/core/api/principal.ts';
import { routesOf } from '../../../src/core/feature.ts';
import { createCors } from '../../../src/core/http/cors.ts';
import { createMethodCheck, createRouter } from '../../../src/core/http/router.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { createBodyReaders } from '../../../src/platform/http/body-readers.ts';
import { answerError, createErrorConversion } from '../../../src/platform/http/error-handlers.ts';
import { createOperatorLoad } from '../../../src/platform/http/operator-load.ts';
import { Empty, Html, Redirect } from '../../../src/platform/http/reply.ts';

const common = { tag: 'Test', summary: 'Test', response: z.unknown(), errors: [] };

const endpoints = {
  page: { ...common, method: 'get', path: '/v1/page', auth: 'none' },
  leave: { ...common, method: 'get', path: '/leave', auth: 'none' },
  change: { ...common, method: 'patch', path: '/change', auth: 'none', body: jsonBody(z.object({ a: z.number() })) },
  write: { ...common, method: 'post', path: '/write', auth: 'session', scope: 'users:write' },
  administer: { ...common, method: 'post', path: '/administer', auth: 'session', role: 'admin' },
  work: {
    ...common,
    method: 'get',
    path: '/work',
    auth: 'session',
    scoped: true,
    query: z.object({ sourceAppId: z.string().optional() }),
  },
} as const satisfies Endpoints;

/**
 * Returns a client of an app with these endpoints; the session's principal has the given scopes.
 */
function serve(scopes: Scope[] = []) {
  const app = express();
  const own = { sourceAppId: 'shop', role: 'user' };
  const principal = { kind: 'session', sourceAppId: 'shop', app: own, own, scopes: new Set(scopes) };
  const authenticate = () => principal as unknown as Principal;
  const routesOfTest = routes(endpoints, {
    page: () => new Html('<!doctype html><title>Thanks</title>', 202, {}, 'en'),
    leave: () => new Redirect('/v1/page'),
    change: ({ body }) => body,
    write: () => new Empty(),
    administer: () => ({}),
    work: ({ app: { sourceAppId } }) => ({ sourceAppId }),
  });
  app.use(
    createCors(
      { corsOrigins: ['https://listed.example'], trustProxy: false, publicUrl: undefined },
      async (_req, origin) => origin === 'https://of-the-app.example',
      [],
    ),
  );
  app.use(
    createRouter(routesOfTest, {
      auth: {
        none: () => undefined,
        visitor: () => undefined,
        'app id': authenticate,
        form: authenticate,
        session: authenticate,
        'session or key': authenticate,
      },
      readers: createBodyReaders(1_000),
      load: createOperatorLoad(),
      limitSubmit: () => undefined,
      findApp: async () => ({}),
      scope: async (_principal, sourceAppId = 'own') => ({ id: new ObjectId(), sourceAppId }),
      isAuditedRead: () => false,
      recordAudit: async () => undefined,
      until: () => async () => new Date(),
    }),
  );
  app.use(createMethodCheck(routesOfTest));
  app.use(createErrorConversion(createLogger({ logLevel: 'silent' })));
  app.use(answerError);
  return supertest(app);
}

describe('a declared endpoint', () => {
  it('replies with a page, a redirect and an empty response', async () => {
    const page = await serve()
      .get('/v1/page')
      .expect(202)
      .expect('Content-Type', /^text\/html/);
    expect(page.text).toContain('Thanks');
    await serve().get('/leave').expect(303).expect('Location', '/v1/page');
    const empty = await serve(['users:write']).post('/write').expect(204);
    expect(empty.text).toBe('');
  });

  it('under /v1 also accepts the origins of the app', async () => {
    const sent = (path: string) =>
      serve().get(path).set('Origin', 'https://of-the-app.example').set('x-app-id', 'shop');
    const { headers } = await sent('/v1/page').expect(202);
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://of-the-app.example' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    await sent('/leave').expect(403);
    await serve().get('/v1/page').set('Origin', 'https://other.example').set('x-app-id', 'shop').expect(403);
    const listed = await serve().get('/leave').set('Origin', 'https://listed.example').expect(303);
    expect(listed.headers).toMatchObject({
      'access-control-allow-origin': 'https://listed.example',
      'access-control-allow-credentials': 'true',
    });
  });

  it('answers preflight requests by the policy of its path', async () => {
    const preflight = (path: string, origin: string) =>
      serve().options(path).set('Origin', origin).set('Access-Control-Request-Method', 'GET');
    expect((await preflight('/v1/page', 'https://of-the-app.example').expect(204)).headers).toHaveProperty(
      'access-control-allow-origin',
      'https://of-the-app.example',
    );
    await preflight('/leave', 'https://of-the-app.example').expect(403);
    await preflight('/leave', 'https://listed.example').expect(204);
  });

  it('refuses a principal without its scope or role, and names the scope', async () => {
    const { body } = await serve(['users:read']).post('/write').expect(403);
    expect(body).toEqual({
      message: 'The scope users:write is required',
      code: 'scopeRequired',
      params: { scope: 'users:write' },
    });
    expect((await serve().post('/administer').expect(403)).body).toEqual({
      message: 'Admin role required',
      code: 'adminRequired',
    });
  });

  it('works on the app that the request names', async () => {
    expect((await serve().get('/work').expect(200)).body).toEqual({ sourceAppId: 'own' });
    expect((await serve().get('/work?sourceAppId=shop').expect(200)).body).toEqual({ sourceAppId: 'shop' });
    await serve().get('/work?sourceAppId=other').expect(403);
  });

  it('reads its body, and refuses other media types and methods', async () => {
    expect((await serve().patch('/change').send({ a: 1 }).expect(200)).body).toEqual({ a: 1 });
    await serve().patch('/change').send('a=1').expect(400);
    await serve().put('/change').expect(405).expect('Allow', 'PATCH');
  });
});

it('an endpoint is extended by one of its name, and hidden by no other', () => {
  const [page] = routes({ page: endpoints.page }, { page: () => ({}) });
  const [other] = routes({ other: endpoints.page }, { other: () => ({}) });
  if (!page || !other) throw new Error('no route');
  const extended = { ...page };
  expect(routesOf([{ routes: [extended] }, { routes: [page] }])).toEqual([[extended], []]);
  expect(() => routesOf([{ routes: [other] }, { routes: [page] }])).toThrow('other and page are both get /v1/page');
});
