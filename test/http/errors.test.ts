import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const SECRET = 'a-text-that-no-answer-may-repeat';

let server: TestServer;
let app: TestApp;
let user: Client;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  user = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
});
afterAll(() => server.close());

describe('spec 7, error body', () => {
  it('is { message, code, errors: [{ path, message, code }] } with at most 20 entries for validation failures', async () => {
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`$${index}`, 1]));
    const { body } = await server.client.submit(app.sourceAppId, { email: SECRET, data }).expect(400);
    expect(Object.keys(body).sort()).toEqual(['code', 'errors', 'message']);
    expect(body.errors).toHaveLength(20);
    for (const error of body.errors) expect(Object.keys(error).sort()).toEqual(['code', 'message', 'path']);
  });

  it('has at most 20 entries and truncates long names for unknown body properties', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${'k'.repeat(1000)}${index}`, 1]));
    const { body, text } = await server.client.submit(app.sourceAppId, { email: 'a@x.org', ...unknown }).expect(400);
    expect(body.errors).toHaveLength(20);
    expect(text.length).toBeLessThan(3000);
  });

  it('has at most 20 entries for a schema', async () => {
    const fields = Array.from({ length: 50 }, () => ({ key: '1', kind: 'text' as const }));
    const { body } = await server.admin.putSchema(app.sourceAppId, { fields }).expect(400);
    expect(body.errors).toHaveLength(20);
  });

  it('never contains the request body, a stack trace or a driver message', async () => {
    const answers = [
      await server.client.submit(app.sourceAppId, { email: SECRET, data: { name: { [SECRET]: SECRET } } }),
      await server.client.submit(app.sourceAppId, { email: 'a@x.org', data: { name: [SECRET] } }),
      await server.client.submit(app.sourceAppId, `{"email": ${SECRET}`).set('Content-Type', 'application/json'),
      await server.client.submit(SECRET, { email: 'a@x.org' }),
      await server.client.post('/auth/login', { sourceAppId: SECRET, password: SECRET }),
      await server.client.post('/auth/login', { sourceAppId: 'a b', password: `${SECRET}\0` }),
      await server.client.get(`/${SECRET}`),
      await server.admin.get(`/auth/apps/${SECRET}/schema`),
      await server.admin.get(`/auth/admin/users?limit=${SECRET}`),
      await server.admin.post('/auth/apps', { sourceAppId: `${SECRET} ` }),
      await server.admin.putSchema(app.sourceAppId, {
        fields: [{ key: 'a', kind: 'text', minLength: -1, label: SECRET }],
      }),
    ];
    for (const { status, text, headers } of answers) {
      expect.soft(status).toBeGreaterThanOrEqual(400);
      expect.soft(status).toBeLessThan(500);
      expect.soft(headers['content-type']).toBe('application/json; charset=utf-8');
      expect.soft(text).not.toContain(SECRET);
      expect.soft(text).not.toMatch(/node_modules|\bat \w+ \(|\.ts:|Mongo|E11000|Unexpected token|SyntaxError/);
    }
  });

  it('has only a generic message for an unexpected error (500), whose cause is in the log', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    // A stored schema that no PUT accepts: the service must not guess its meaning.
    await server.db
      .collection('schema_versions')
      .updateMany(
        { version: 1 },
        { $set: { fields: [{ key: 'a', label: SECRET, kind: 'of no kind', required: false }] } },
      );
    const { body, text } = await server.client.submit(sourceAppId, { email: 'a@x.org', data: { a: 1 } }).expect(500);
    expect(body).toEqual({ message: 'Internal error', code: 'internal' });
    expect(text).not.toContain(SECRET);
    expect(server.log()).toContain('"unexpected error"');
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(0);
  });
});

describe('spec 7, error body: JSON for 404 and 405', () => {
  it.each(['/no-such-path', '/v1', '/v1/users/', '/V1/users', '/auth', '/auth/apps/', '/v2/users', '/.env', '//'])(
    'responds to GET %s with 404 { message, code }',
    async (path) => {
      const { body, headers } = await server.admin.get(path).expect(404);
      expect(body).toEqual({ message: 'Not found', code: 'notFound' });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );

  it.each([
    ['GET', '/v1/users', 'POST'],
    ['PUT', '/v1/users', 'POST'],
    ['POST', '/v1/schema', 'GET, HEAD'],
    ['DELETE', '/health', 'GET, HEAD'],
    ['PUT', '/auth/login', 'POST, GET, HEAD'],
    ['GET', '/auth/logout', 'POST'],
    ['PATCH', '/auth/apps/x/schema', 'GET, HEAD, PUT'],
    ['POST', '/auth/users', 'GET, HEAD, DELETE, PATCH'],
  ])('responds to %s %s with 405 { message, code } and Allow: %s', async (method, path, allow) => {
    const response = await fetch(`${server.client.url}${path}`, { method });
    expect(response.status).toBe(405);
    expect(await response.json()).toEqual({ message: 'Method not allowed', code: 'methodNotAllowed' });
    expect(response.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['/v1/users', 'POST'],
    ['/auth/users', 'GET, HEAD, DELETE, PATCH'],
  ])('responds to OPTIONS %s with 204 and Allow: %s, also of several features', async (path, allow) => {
    const response = await fetch(`${server.client.url}${path}`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe(allow);
  });

  it('responds to HEAD like GET, without a body', async () => {
    const response = await fetch(`${server.client.url}/health`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('responds with 400 to unknown query parameters of each endpoint of operators that has any', {
    tags: 'long',
  }, async () => {
    const declared = listEndpoints().filter(
      ({ name, spec }) => spec.path.startsWith('/auth/') && spec.query && name !== 'startSignOn',
    );
    expect(declared.length).toBeGreaterThan(60);
    for (const { name, spec } of declared) {
      const path = `${spec.path.replace(/:\w+/g, 'admin')}?sourceAppID=admin`;
      const { body } = await server.admin[spec.method](path, spec.body && {}).expect(400);
      expect(body.errors, name).toContainEqual(expect.objectContaining({ path: 'sourceAppID' }));
    }
  });

  it('responds to an invalid percent-encoding in the path with 400 { message, code }', async () => {
    const { body } = await server.admin.get('/auth/apps/%E0%A4%A/schema').expect(400);
    expect(Object.keys(body)).toEqual(['message', 'code']);
  });
});

describe('spec 7, order of refusals', () => {
  it('checks authentication (401) before 400, 404 and 409', async () => {
    const anonymous = new Client(server.client.url);
    await anonymous.post('/auth/apps', { sourceAppId: 'a b' }).expect(401);
    await anonymous.post('/auth/apps', '{').set('Content-Type', 'application/json').expect(401);
    await anonymous.post('/auth/apps', { sourceAppId: 'admin' }).expect(401);
    await anonymous.delete('/auth/apps/no-such-app').expect(401);
    await anonymous.get('/auth/apps/no-such-app/schema').expect(401);
    await anonymous.put('/auth/apps/no-such-app/schema', {}).expect(401);
    await anonymous.get('/auth/admin/users?limit=0').expect(401);
  });

  it('checks authorization (403) before 400, 404 and 409', async () => {
    await user.post('/auth/apps', { sourceAppId: 'a b' }).expect(403);
    await user.post('/auth/apps', '{').set('Content-Type', 'application/json').expect(403);
    await user.post('/auth/apps', { sourceAppId: 'admin' }).expect(403);
    await user.delete('/auth/apps/no-such-app').expect(403);
    await user.delete('/auth/apps/admin').expect(403);
    await user.get('/auth/apps/no-such-app/schema').expect(403);
    await user.put('/auth/apps/no-such-app/schema', {}).expect(403);
    await user.get('/auth/admin/users?limit=0').expect(403);
  });

  it('checks whose app a request names (403) before 400', async () => {
    await user.put('/auth/apps/admin/form', '{').set('Content-Type', 'application/json').expect(403);
    await user.post('/auth/imports?sourceAppId=admin', { format: 'none' }).expect(403);
    await user.post('/auth/people/export?sourceAppId=admin', { email: 'none' }).expect(403);
    await user.get('/auth/users?sourceAppId=admin&limit=0').expect(403);
    await user.get('/auth/users?sourceAppId=a%20b').expect(403);
    await server.admin.get('/auth/users?sourceAppId=a%20b').expect(400);
    await user.get(`/auth/users?sourceAppId=${app.sourceAppId}&limit=0`).expect(400);
  });

  it('checks x-app-id (400) before the body', async () => {
    const { body } = await server.client.post('/v1/users', '{').set('Content-Type', 'application/json').expect(400);
    expect(body).toEqual({ message: 'Missing x-app-id header', code: 'noAppId' });
  });
});

it('does not parse the unread body of a refused request as the next request (attack: request smuggling)', async () => {
  const { port, hostname } = new URL(server.client.url);
  const hidden = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(
    `POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${hidden.length + 10}\r\n\r\n${hidden}`,
  );
  await closed;
  const answers = Buffer.concat(received).toString();
  expect(answers).toMatch(/^HTTP\/1\.1 400 /);
  expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answers).not.toContain('"ok"');
});
