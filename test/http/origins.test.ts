import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const LISTED = 'https://forms.example.com';
const ALSO_LISTED = 'http://localhost:5173';
const REFUSED = { message: 'This origin is not allowed', code: 'originRefused' };

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({ CORS_ORIGINS: `${LISTED}, ${ALSO_LISTED}` });
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

const submit = (email: string) => server.client.submit(app.sourceAppId, { email });

describe('CORS (spec 5.3)', () => {
  it.each([LISTED, ALSO_LISTED])('spec 5.3: allows requests from the listed origin %s', async (origin) => {
    const { headers } = await submit('listed@x.org').set('Origin', origin).expect(200);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-allow-credentials']).toBe('true');
    expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
    expect(headers.vary).toContain('Origin');
  });

  it('spec 5.3: sends CORS headers with refusals to a listed origin', async () => {
    const { headers } = await submit('no email').set('Origin', LISTED).expect(400);
    expect(headers['access-control-allow-origin']).toBe(LISTED);
  });

  it('spec 5.3: allows requests without an Origin header', async () => {
    const { headers } = await submit('none@x.org').expect(200);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it("spec 5.3, CORS: allows the service's own origin", async () => {
    await submit('own@x.org').set('Origin', server.client.url).expect(200);
  });

  it("spec 5.3, CORS: allows the service's own https origin behind a proxy that terminates TLS", async () => {
    const { host } = new URL(server.client.url);
    const production = await startServer({ NODE_ENV: 'production' }, server.database);
    try {
      const own = `https://${new URL(production.client.url).host}`;
      const logIn = (origin: string) =>
        production.client.post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD }).set('Origin', origin);
      await logIn(own).expect(200);
      await logIn(`https://${host}`).expect(403);
    } finally {
      await production.close();
    }
  });

  const OWN = 'https://example.com';
  it.each([
    ['example.com:443', OWN],
    ['example.com:80', OWN],
    ['example.com:80', 'http://example.com'],
    ['EXAMPLE.com', OWN],
    ['example.com.', OWN],
    ['example.com', 'https://example.com.'],
    ['example.com:8443', 'https://example.com:8443'],
    ['[::1]:443', 'https://[::1]'],
  ])('spec 5.3: is sent to Host %s by a page of %s, which is the same origin', async (host, origin) => {
    const logIn = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    await server.client.post('/auth/login', logIn).set('Host', host).set('Origin', origin).expect(200);
  });

  it.each([
    ['example.com:443', 'https://example.com:444'],
    ['example.com:443', 'https://example.org'],
    ['example.com:8443', OWN],
    ['example.com', 'https://sub.example.com'],
    ['example.com', 'https://example.com/'],
    ['example.com', 'https://user@example.com'],
    ['example.com', 'capacitor://example.com'],
    ['example.com#', OWN],
    ['example.com', 'https://example.com..'],
  ])('spec 5.3: is refused when Host is %s and the page is of %s', async (host, origin) => {
    const logIn = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    await server.client.post('/auth/login', logIn).set('Host', host).set('Origin', origin).expect(403);
  });

  it('spec 5.3: takes PUBLIC_URL for its own origin behind a proxy that replaces Host', async () => {
    const PUBLIC_URL = 'https://forms.example.org';
    const proxied = await startServer({ PUBLIC_URL, TRUST_PROXY: '1' }, server.database);
    const direct = await startServer({ PUBLIC_URL }, server.database);
    try {
      const logIn = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
      await proxied.client.post('/auth/login', logIn).set('Origin', PUBLIC_URL).expect(200);
      await proxied.client.post('/auth/login', logIn).set('Origin', 'https://example.org').expect(403);
      await direct.client.post('/auth/login', logIn).set('Origin', PUBLIC_URL).expect(403);
    } finally {
      await direct.close();
      await proxied.close();
    }
  });

  it.each([
    'https://evil.example.com',
    'https://forms.example.com.evil.com',
    'http://forms.example.com',
    'https://forms.example.com:8443',
    'https://FORMS.example.com',
    'null',
    'https://forms.example.com/',
    'http://localhost',
  ])('spec 5.3: rejects %s with 403 JSON and does not process the request', async (origin) => {
    const email = 'from-elsewhere@x.org';
    const { body, headers } = await submit(email).set('Origin', origin).expect(403);
    expect(body).toEqual(REFUSED);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers.vary).toContain('Origin');
    expect(await server.db.collection('users').countDocuments({ email })).toBe(0);
  });

  it('spec 5.3, CORS: refuses cross-origin requests to /auth that carry a valid session cookie (CSRF)', async () => {
    const client = await new Client(server.client.url).logIn('admin', ADMIN_PASSWORD);
    const evil = 'https://evil.example.com';
    await client.post('/auth/apps', { sourceAppId: 'forged' }).set('Origin', evil).expect(403);
    await client.delete(`/auth/apps/${app.sourceAppId}`).set('Origin', evil).expect(403);
    await client.post('/auth/logout').set('Origin', evil).expect(403);
    await client.get('/auth/users').set('Origin', evil).expect(403);
    const { headers } = await client
      .post('/auth/login', { sourceAppId: app.sourceAppId, password: app.password })
      .set('Origin', evil)
      .expect(403);
    expect(headers).not.toHaveProperty('set-cookie');
    const { body } = await client.get('/auth/session').expect(200);
    expect(body.sourceAppId).toBe('admin');
    expect(await server.db.collection('apps').distinct('sourceAppId')).not.toContain('forged');
  });

  it('spec 5.3, CORS: refuses other origins on public and unknown paths too', async () => {
    for (const path of ['/health', '/no-such-path', '/docs', '/openapi.json']) {
      const { body } = await server.client.get(path).set('Origin', 'https://evil.example.com').expect(403);
      expect(body).toEqual(REFUSED);
    }
  });
});

describe('spec 5.3, CORS: preflights', () => {
  const preflight = async (url: string, origin: string, path = '/v1/users', method = 'POST') =>
    fetch(`${url}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,x-app-id,idempotency-key',
      },
    });

  it('receive the accepted methods and headers for listed origins', async () => {
    const response = await preflight(server.client.url, LISTED);
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(LISTED);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET,POST,PUT,PATCH,DELETE');
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const header of ['content-type', 'x-app-id', 'idempotency-key']) expect(allowed).toContain(header);
  });

  it('receive 403 for other origins, and for every origin if none is listed', { tags: 'long' }, async () => {
    const unlisted = await startServer();
    try {
      for (const response of [
        await preflight(server.client.url, 'https://evil.example.com'),
        await preflight(server.client.url, 'null', '/auth/apps', 'DELETE'),
        await preflight(unlisted.client.url, LISTED),
      ]) {
        expect(response.status).toBe(403);
        expect(await response.json()).toEqual(REFUSED);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    } finally {
      await unlisted.close();
    }
  });
});
