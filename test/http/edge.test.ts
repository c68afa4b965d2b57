import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server/server.ts';

const METRICS_TOKEN = 'the-token-of-the-edge-test';
const ORIGIN = 'https://forms.example.com';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ CORS_ORIGINS: ORIGIN, METRICS_TOKEN });
});
afterAll(() => server.close());

/** Sends bytes; resolves with what the server answers until it closes the connection. */
function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.client.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (bytes) => {
      answer += bytes;
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.once('close', () => resolve(answer)).once('error', reject);
  });
}

it('refuses under /auth the origin of an app, also of an app that the request names', async () => {
  const { sourceAppId } = await server.admin.buildApp();
  const origin = 'https://site.example.com';
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [origin] }).expect(200);
  const send = (path: string) => server.client.get(path).set('Origin', origin).set('x-app-id', sourceAppId);
  await send('/v1/schema').expect(200).expect('Access-Control-Allow-Origin', origin);
  const { headers } = await send('/auth/session').expect(403);
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  await send('/health').expect(403);
});

it('lets browsers keep a preflight for ten minutes and read these headers', async () => {
  const preflight = await fetch(`${server.client.url}/v1/users`, {
    method: 'OPTIONS',
    headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' },
  });
  expect(preflight.headers.get('access-control-max-age')).toBe('600');
  const { headers } = await server.client.get('/health').set('Origin', ORIGIN).expect(200);
  expect(headers['access-control-expose-headers']).toBe('X-Request-Id,Retry-After,ETag,Content-Disposition');
});

it('closes the connection of a request with two hosts, and of one whose body was not read', async () => {
  const hosts = await sendRaw('GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  expect(hosts).toMatch(/^HTTP\/1\.1 400 /);
  expect(hosts).toMatch(/\r\nConnection: close\r\n/i);
  const body = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
  const unread = await sendRaw(`POST /v1/users HTTP/1.1\r\nHost: a\r\nx-app-id: no-such-app\r\n${body}`);
  expect(unread).toMatch(/^HTTP\/1\.1 400 /);
  expect(unread).toMatch(/\r\nConnection: close\r\n/i);
});

it('names both ways to send the token of metrics', async () => {
  await server.client
    .get('/metrics')
    .expect(401)
    .expect('WWW-Authenticate', 'Bearer realm="metrics", Basic realm="metrics"');
});

it('refuses the first integer that JavaScript alters, and takes the one before', async () => {
  const { sourceAppId } = await server.admin.buildApp();
  const submit = (n: string) =>
    server.client
      .submit(sourceAppId, `{"email":"a@example.com","data":{"n":${n}}}`)
      .set('Content-Type', 'application/json');
  await submit('9007199254740993').expect(400);
  await submit('9007199254740992').expect(200);
});
