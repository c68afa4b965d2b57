import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../src/app.ts';
import { routesOf } from '../../src/core/feature.ts';
import type { SessionPart } from '../../src/core/sessions/session-part.ts';
import { createSessions } from '../../src/core/sessions/sessions.ts';
import { createEmbed } from '../../src/http/embed.ts';
import { type Listener, listen } from '../../src/http/listener.ts';
import { loadConfig } from '../../src/platform/core/config.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { createSharedLimits } from '../../src/platform/database/shared-limits.ts';
import { createPasswordHasher } from '../../src/platform/log-ins/passwords.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { PASSWORD_COST, sharedServer, type TestServer } from '../support/server/server.ts';

const sessionSecret = 'a secret of the tests';
const config = { ...loadConfig({ NODE_ENV: 'test', SESSION_SECRET: sessionSecret }), sessionSecret };

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

/** The sessions of the service, with other parts. */
const sessionsWith = (parts: readonly SessionPart[]) =>
  createSessions({
    connection: server.connection,
    apps: { service: server.services.apps, hasher: createPasswordHasher(PASSWORD_COST) },
    config,
    limits: createSharedLimits(server.connection, sessionSecret),
    parts: () => parts,
    onFailure: () => undefined,
  });

describe('without any part', () => {
  let listener: Listener;
  let url: string;
  beforeAll(async () => {
    const { service, store, feature } = sessionsWith([]);
    const services = {
      ...server.services,
      features: [feature],
      refusals: Object.entries(feature.refusals ?? {}),
      sessions: service,
      sessionStore: store,
    };
    const logger = createLogger({ logLevel: 'silent' });
    listener = await listen(createApp({ config, logger, services, embed: createEmbed() }), 0, '127.0.0.1');
    url = listener.url;
  });
  afterAll(() => listener.close());

  it('an app logs in, sees its session and logs out', async () => {
    const client = new Client(url);
    const { body: entered } = await client.post('/auth/login', app).expect(200);
    expect(entered).toEqual({ ok: true, sourceAppId: app.sourceAppId, role: 'user' });
    const { body: session } = await client.get('/auth/session').expect(200);
    expect(session).toEqual({ sourceAppId: app.sourceAppId, role: 'user' });
    const { body: left } = await client.post('/auth/logout').expect(200);
    expect(left).toEqual({ ok: true });
    await client.get('/auth/session').expect(401, { message: 'Not authenticated' });
  });

  it('a wrong password is 401, and an email in place of an app is 400', async () => {
    const client = new Client(url);
    await client.post('/auth/login', { ...app, password: 'wrong' }).expect(401);
    const { body } = await client.post('/auth/login', { email: 'ada@example.com', password: 'x' }).expect(400);
    expect(body.errors).toMatchObject([
      { path: 'email', code: 'unknownProperty' },
      { path: 'sourceAppId', code: 'notText' },
    ]);
  });

  it('a key of an Authorization header is none', async () => {
    await new Client(url)
      .post('/auth/login', app)
      .set('Authorization', `Bearer uck_${'x'.repeat(43)}`)
      .expect(200);
  });

  it('the session of an account is none', async () => {
    const client = await new Client(url).logIn(app.sourceAppId, app.password);
    const ofAccount = { 'session.accountId': '65f0c0ffee65f0c0ffee65f0' };
    const ofApp = { 'session.appId': 1, 'session.credentialId': 1 } as const;
    const { modifiedCount } = await server.db
      .collection('sessions')
      .updateMany({ 'session.sourceAppId': app.sourceAppId }, { $set: ofAccount, $unset: ofApp });
    expect(modifiedCount).toBeGreaterThan(0);
    await client.get('/auth/session').expect(401, { message: 'Not authenticated' });
  });
});

/** A kind of sessions, of which no test begins one. */
function partWith({ of, member, name }: { of: string; member: string; name: string }): SessionPart {
  const unused = () => Promise.reject(new Error('no session of this kind begins'));
  return {
    of,
    member,
    logIn: { member: name, schema: z.string(), response: z.strictObject({ [of]: z.string() }), begin: unused },
    logOut: { description: `Ends that of an ${of}.`, response: { [`${of}Url`]: z.string() }, end: unused },
    getSession: { response: z.strictObject({ [of]: z.string() }), show: unused },
    authenticate: unused,
  };
}

describe('parts', () => {
  const account = { of: 'account', member: 'accountId', name: 'email' };
  const operator = { of: 'operator', member: 'operatorId', name: 'operator' };
  const routesWith = (...parts: (typeof account)[]) => routesOf([sessionsWith(parts.map(partWith)).feature]).flat();

  it('add a member each to a log-in, of which a body has one', () => {
    const [logIn] = routesWith(account, operator);
    const accepts = (names: object) => logIn?.spec.body?.schema.safeParse({ password: 'x', ...names }).success;
    expect([{ sourceAppId: 'a' }, { email: 'a' }, { operator: 'a' }].map(accepts)).toEqual([true, true, true]);
    expect([{}, { email: 'a', operator: 'a' }, { other: 'a' }].map(accepts)).toEqual([false, false, false]);
    expect(logIn?.spec.description).toMatch(
      /^As an app \(`sourceAppId`\) or as an account \(`email`\) or as an operator \(`operator`\)\./,
    );
  });

  it.each([
    ['of a log-in', 'email', { ...operator, name: 'email' }],
    ['of the log-in of an app', 'sourceAppId', { ...operator, name: 'sourceAppId' }],
    ['of a session', 'accountId', { ...operator, member: 'accountId' }],
    ['of the answer to a log-out', 'accountUrl', { ...operator, of: 'account' }],
  ])('cannot have one member %s', (_where, member, other) => {
    expect(() => routesWith(account, other)).toThrow(`two kinds of sessions have the member ${member}`);
  });
});
