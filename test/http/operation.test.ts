import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const UUID = /^[0-9a-f-]{36}$/;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

/**
 * Returns the log line of a request. The service may write it after the client has the response.
 */
async function logLine(requestId: string, { log } = server) {
  const read = () =>
    log()
      .split('\n')
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line));
  await expect.poll(read).toHaveLength(1);
  return read()[0];
}

describe('GET /health (spec 4.1)', () => {
  it('spec 4.1: returns 200 { status: "ok" } without authentication', async () => {
    const { body } = await new Client(server.client.url).get('/health').expect(200);
    expect(body).toEqual({ status: 'ok' });
  });
});

describe('GET /ready (spec 7, database away)', () => {
  it('returns 200 while the database responds', async () => {
    expect((await server.client.get('/ready').expect(200)).body).toEqual({ status: 'ready' });
  });
});

describe('X-Request-Id', () => {
  it('is in every response, including refusals, and is unique', async () => {
    const answers = [
      await server.client.get('/health'),
      await server.client.get('/no-such-path'),
      await server.client.post('/v1/users', '{'),
      await server.client.get('/health').set('Origin', 'https://evil.example.com'),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is the client's value if it is valid", async () => {
    const { headers } = await server.client.get('/health').set('X-Request-Id', 'trace_1.a-B').expect(200);
    expect(headers['x-request-id']).toBe('trace_1.a-B');
  });

  it.each(['a b', '{"level":60}', '<script>', 'x'.repeat(65)])("is not the client's value %j", async (given) => {
    const { headers } = await server.client.get('/health').set('X-Request-Id', given).expect(200);
    expect(headers['x-request-id']).toMatch(UUID);
  });
});

describe('The request log', () => {
  it('has no line of level info for a check of the server that succeeds', async () => {
    const check = async ({ client }: TestServer, path: string, id: string, headers = {}) =>
      (await client.get(path).set({ 'X-Request-Id': id, ...headers })).status;
    expect(await check(server, '/health', 'check-1')).toBe(200);
    expect(await check(server, '/ready?from=proxy', 'check-2')).toBe(200);
    expect(await check(server, '/health', 'check-3', { Origin: 'https://evil.example.com' })).toBe(403);
    expect(await logLine('check-3')).toMatchObject({ path: '/health', status: 403, level: 30 });
    expect(server.log()).not.toMatch(/check-[12]/);

    const other = await startServer({ LOG_LEVEL: 'debug' });
    expect(await check(other, '/ready', 'check-4')).toBe(200);
    expect(await logLine('check-4', other)).toMatchObject({ path: '/ready', status: 200, level: 20 });
    await other.close();
  });

  it('has one line per request with id, app, method, path, status and duration', async () => {
    await server.client.submit(app.sourceAppId, { email: 'log@x.org' }).set('X-Request-Id', 'log-line-1').expect(200);
    const line = await logLine('log-line-1');
    expect(line).toMatchObject({
      requestId: 'log-line-1',
      app: app.sourceAppId,
      method: 'POST',
      path: '/v1/users',
      status: 200,
    });
    expect(line.durationMs).toBeGreaterThanOrEqual(0);
    const names = ['app', 'durationMs', 'level', 'method', 'msg', 'path', 'requestId', 'status', 'time'];
    expect(Object.keys(line).sort()).toEqual(names);
  });

  it('contains the app of the session and the status of a refusal', async () => {
    await server.admin.delete('/auth/apps/no-such-app').set('X-Request-Id', 'log-line-2').expect(404);
    expect(await logLine('log-line-2')).toMatchObject({ app: 'admin', status: 404, path: '/auth/apps/no-such-app' });
  });

  it('contains no password, cookie, header, query string or body content', async () => {
    const client = new Client(server.client.url);
    const login = await client
      .post('/auth/login', { sourceAppId: app.sourceAppId, password: app.password })
      .expect(200);
    await client.get('/auth/users').expect(200);
    await client.post('/auth/login', { sourceAppId: app.sourceAppId, password: 'wrong-password-to-find' }).expect(401);
    const data = { name: 'name-to-find' };
    await client.submit(app.sourceAppId, { email: 'to-find@x.org', data }).set('Idempotency-Key', 'key-to-find');
    await client.submit(app.sourceAppId, { email: 'to-find', data }).expect(400);
    await client.submit(app.sourceAppId, '{"to-find').set('Content-Type', 'application/json').expect(400);
    await client.get('/auth/users?token=query-to-find').set('Authorization', 'Bearer header-to-find');
    await client.get('/last').set('X-Request-Id', 'log-line-3').expect(404);
    await logLine('log-line-3');

    const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const log = server.log();
    expect(cookie.length).toBeGreaterThan(40);
    expect(log).not.toContain(app.password);
    expect(log).not.toContain(cookie.slice('sid='.length));
    expect(log).not.toContain(decodeURIComponent(cookie.slice('sid='.length)));
    expect(log).not.toContain('to-find');
  });

  it('contains no line injected through a path', async () => {
    await server.client.get('/a%0A%7B%22level%22:60%7D').set('X-Request-Id', 'log-line-4').expect(404);
    expect(await logLine('log-line-4')).toMatchObject({ level: 30, status: 404 });
  });
});

describe('Security headers of every response', () => {
  it('forbid loading, scripts, framing and MIME sniffing, and do not name the server software', async () => {
    for (const path of ['/health', '/no-such-path', '/openapi.json']) {
      const { headers } = await server.client.get(path);
      expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
  });
});

describe('GET /docs', () => {
  it('is a page without external URLs, with a CSP that allows its own script and style only', async () => {
    const { text, headers } = await server.client
      .get('/docs')
      .expect(200)
      .expect('Content-Type', /text\/html/);
    const policy = new Map(
      headers['content-security-policy']?.split(';').map((part) => {
        const [name = '', ...values] = part.trim().split(' ');
        return [name, values.join(' ')];
      }),
    );
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('connect-src')).toBe("'none'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
    for (const tag of ['style', 'script']) {
      const [one, ...others] = [...text.matchAll(new RegExp(`<${tag}\\b([^>]*)>(.*?)</${tag}>`, 'gs'))];
      const [, attributes, content = ''] = one ?? [];
      expect([attributes, others]).toEqual(['', []]);
      expect(policy.get(`${tag}-src`)).toBe(`'sha256-${createHash('sha256').update(content).digest('base64')}'`);
    }

    const [page = ''] = text.split('<script>');
    expect(page).not.toMatch(/<[^>]+\s(?:on\w+|style)=|javascript:/i);
    const references = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, reference = '']) => reference);
    const ids = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`));
    const others = references.filter((reference) => !ids.has(reference));
    expect(others.toSorted()).toEqual(['/dashboard/', '/openapi.json']);
  });

  it('shows each operation of /openapi.json once', async () => {
    const { body } = await server.client
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', /application\/json/);
    expect(body.openapi).toMatch(/^3\.1\./);
    const { text } = await server.client.get('/docs').expect(200);
    const shown = [...text.matchAll(/<summary><b class="\w+">(\w+)<\/b> <code>([^<]+)<\/code>/g)];
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(shown.map(([, method, path]) => `${method} ${path}`).sort()).toEqual(operations.sort());
    expect(operations).toContain('POST /v1/users');
  });
});

describe('GET /llms.txt', () => {
  const documents = new URL('../../docs/', import.meta.url);
  const names = readdirSync(documents, { recursive: true }).map(String);
  const pages = names.filter((name) => name.endsWith('.md')).map((name) => name.replaceAll(sep, '/'));

  it('lists each page of docs/, and each is Markdown, cached like other files', async () => {
    const list = await server.client
      .get('/llms.txt')
      .expect(200)
      .expect('Content-Type', 'text/plain; charset=utf-8')
      .expect('Cache-Control', 'public, max-age=3600');
    const listed = [...list.text.matchAll(/^- \[[^\]]+\]\((\S+)\)$/gm)].map(([, path = '']) => path);
    expect(listed.toSorted()).toEqual(pages.map((name) => `/docs/${name}`).toSorted());
    for (const path of listed) {
      const page = await server.client
        .get(path)
        .expect(200)
        .expect('Content-Type', 'text/markdown; charset=utf-8')
        .expect('Cache-Control', 'public, max-age=3600');
      const written = readFileSync(new URL(path.slice('/docs/'.length), documents), 'utf8');
      expect(page.text.replace(/\[|\]\([^)]*\)|!/g, '')).toBe(written.replace(/\[|\]\([^)]*\)|!/g, ''));
      const targets = [...page.text.matchAll(/\]\(([^)\s#]+)/g)].map(([, target = '']) => target);
      const links = targets.filter((target) => !/^https?:/.test(target));
      expect(links.filter((link) => !listed.includes(new URL(link, `http://host${path}`).pathname))).toEqual([]);
    }
  });

  it('leads to no other file', async () => {
    const others = [
      'capacity.json',
      'images/users-light.png',
      '.built-for',
      'specification',
      'specification/',
      'none.md',
    ];
    const outside = ['../llms.txt', '..%2fserver.js', '%2e%2e/server.js', '%2e%2e%2fpackage.json', '..%5cserver.js'];
    for (const path of [...others, ...outside, 'operations.md/', 'OPERATIONS.md', 'operations.md%00']) {
      const { text, status } = await server.client.get(`/docs/${path}`);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toMatch(/^import/m);
    }
    await server.client.post('/docs/operations.md', {}).expect(404);
    await server.client.get('/docs/').expect(404);
  });
});
