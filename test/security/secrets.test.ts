import { createHmac } from 'node:crypto';
import type { Test } from 'supertest';
import { describe, expect, it } from 'vitest';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { Client } from '../support/server/client.ts';
import { ADMIN_PASSWORD, sharedServer, startServer, type TestServer } from '../support/server/server.ts';
import { request, send } from './raw.ts';

const SESSION_SECRET = 'the-session-secret-of-this-test';
const PERSON = 'somebody.private@example.com';

/** The responses to a series of requests. */
class Transcript {
  readonly responses: string[] = [];

  async call(test: Test): Promise<Transcript> {
    const { headers, text } = await test.ok(() => true);
    this.responses.push(`${JSON.stringify({ ...headers, 'set-cookie': undefined })}\n${text}`);
    return this;
  }
}

/**
 * Calls every endpoint as an admin, as an operator and without a session, with valid and invalid
 * bodies. Returns the names of the called endpoints.
 */
async function callAll(server: TestServer, transcript: Transcript, app: { sourceAppId: string; password: string }) {
  const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
  const anonymous = new Client(server.listener.url);
  const bodies = [
    undefined,
    { sourceAppId: app.sourceAppId, password: app.password },
    { email: PERSON, data: { name: app.password } },
  ];
  const called = new Set<string>();
  for (const { name, spec } of listEndpoints()) {
    const { method, path, auth } = spec;
    // These two end the app or session that the others need; the test calls them last.
    if (name === 'deleteApp' || name === 'logOut') continue;
    const target = path.replace(/:(\w+)/g, (_, parameter) => (parameter === 'sourceAppId' ? app.sourceAppId : 'none'));
    for (const client of [server.admin, operator, anonymous]) {
      if (name === 'rotatePassword' && auth === 'session' && client === server.admin) continue;
      for (const body of method === 'get' || method === 'delete' ? [undefined] : bodies) {
        const test =
          method === 'get' || method === 'delete'
            ? client[method](target)
            : client[method === 'put' ? 'put' : 'post'](target, body);
        await transcript.call(test.set('x-app-id', app.sourceAppId));
        called.add(name);
      }
    }
  }
  return called;
}

describe('secrets', () => {
  it('are in no response and no log line of a run over all endpoints', { tags: 'long' }, async () => {
    const server = await startServer({ SESSION_SECRET, LOG_LEVEL: 'trace', RATE_LIMIT_LOGIN: '0' });
    const { url } = server.listener;
    const transcript = new Transcript();
    try {
      const app = await server.admin.buildApp();
      const logIn = await server.client
        .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
        .expect(200);
      const cookie = String(logIn.headers['set-cookie']).split(';')[0]?.slice('sid='.length) ?? '';
      const called = await callAll(server, transcript, app);
      expect(called.size).toBe(listEndpoints().length - 2);

      // Refusals: malformed bodies, forbidden origins, unknown paths, secrets in the wrong place.
      for (const bytes of [
        request('POST', '/auth/login', ['Content-Type: application/json'], `{"password":"${ADMIN_PASSWORD}"`),
        request('POST', '/auth/login', ['Content-Type: text/plain'], ADMIN_PASSWORD),
        request(
          'POST',
          '/auth/login',
          ['Content-Type: application/json'],
          `{"sourceAppId":"${cookie}","x":"${ADMIN_PASSWORD}"}`,
        ),
        request('GET', `/auth/session?password=${ADMIN_PASSWORD}`, [`Cookie: sid=${cookie}`]),
        request('GET', '/auth/session', [`Cookie: sid=${cookie}x`, `Authorization: Basic ${ADMIN_PASSWORD}`]),
        request('GET', '/nowhere', [`Cookie: sid=${cookie}`, `Origin: https://${ADMIN_PASSWORD}.example`]),
      ]) {
        transcript.responses.push((await send(url, bytes)).text);
      }
      await transcript.call(server.admin.delete(`/auth/apps/${app.sourceAppId}`));
      await transcript.call(server.client.post('/auth/logout'));

      const hashes = await server.db.collection('apps').find().toArray();
      const session = decodeURIComponent(cookie).slice(2).split('.')[0] ?? '';
      const secrets = [
        ADMIN_PASSWORD,
        app.password,
        SESSION_SECRET,
        cookie,
        session,
        createHmac('sha256', SESSION_SECRET).update(session).digest('base64').replace(/=+$/, ''),
        ...hashes.flatMap(({ passwordHash, credentialId }) => [passwordHash, credentialId]),
      ];
      expect(secrets.every((secret) => typeof secret === 'string' && secret.length >= 16)).toBe(true);

      // Operators may read submitted data, and this run submitted the app's password as data.
      const responses = transcript.responses.filter((response) => !response.includes(PERSON));
      const log = server.log().split('\n');
      for (const secret of secrets) {
        expect([...responses, ...log].filter((text) => text.includes(secret))).toEqual([]);
      }
      expect([...responses, ...log].filter((text) => /\$2[aby]\$/.test(text))).toEqual([]);
      expect(log.filter((line) => line.includes(PERSON) || line.includes('unexpected error'))).toEqual([]);
      // The scan must not pass for lack of data.
      expect(transcript.responses.length).toBeGreaterThan(100);
      expect(log.length).toBeGreaterThan(100);
    } finally {
      await server.close();
    }
  });

  it('are not disclosed by refusals, which contain neither the request nor implementation details', {
    tags: 'long',
  }, async () => {
    const server = await sharedServer();
    const { sourceAppId } = await server.admin.buildApp({
      rejectUnknown: true,
      fields: [{ key: 'age', kind: 'number' }],
    });
    const marker = 'echo-me-if-you-can';
    for (const [path, body] of [
      ['/v1/users', { email: marker, data: { age: marker } }],
      ['/v1/users', { email: 'a@example.com', data: marker }],
      ['/auth/login', { sourceAppId: `${marker}!`, password: marker }],
      ['/auth/apps', { sourceAppId: `${marker}!` }],
    ] as const) {
      const { text } = await server.admin.post(path, body).set('x-app-id', sourceAppId).expect(400);
      expect(text).not.toContain(marker);
      expect(text).not.toMatch(/node_modules|\.ts:|\.js:|Mongo|Zod|Error:|at \w+ \(/);
    }
  });
});
