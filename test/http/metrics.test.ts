import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MALWARE, startClamd } from '../support/peers/clamd.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdf, pdfOf, upload } from '../support/server/uploads.ts';

const METRICS_TOKEN = 'the-token-of-the-metrics-test';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({ METRICS_TOKEN });
  app = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
});
afterAll(() => server.close());

const ask = (authorization?: string, { listener } = server, path = '/metrics') =>
  fetch(`${listener.url}${path}`, { headers: authorization === undefined ? {} : { Authorization: authorization } });

/** Reads the metrics: the value of each series, such as `a_total{b="c"}`. */
async function read(from = server): Promise<Map<string, number>> {
  const text = await (await ask(`Bearer ${METRICS_TOKEN}`, from)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Submits one person; the status is asserted by the caller. */
const submit = (email: string, data: object = {}) => server.client.submit(app.sourceAppId, { email, data });

describe('GET /metrics (spec 4.10)', () => {
  it('needs the token: as Bearer, or as the password of Basic', async () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const right of [`Bearer ${METRICS_TOKEN}`, `bearer ${METRICS_TOKEN}`, basic(`prometheus:${METRICS_TOKEN}`)]) {
      const answer = await ask(right);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    for (const wrong of [
      undefined,
      'Bearer',
      `Bearer ${METRICS_TOKEN}x`,
      METRICS_TOKEN,
      basic(METRICS_TOKEN.slice(1)),
    ]) {
      const answer = await ask(wrong);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(await answer.json()).toEqual({ message: 'A valid metrics token is required', code: 'metricsToken' });
    }
    const foreign = await fetch(`${server.listener.url}/metrics`, {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}`, Origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(server.log()).not.toContain(METRICS_TOKEN);
  });

  it('is 404 without the setting, and nothing is measured', { tags: 'long' }, async () => {
    const silent = await startServer();
    try {
      expect((await ask(`Bearer ${METRICS_TOKEN}`, silent)).status).toBe(404);
      expect(silent.services.metrics).toBeUndefined();
    } finally {
      await silent.close();
    }
  });

  it('counts requests by their declared route, and unknown paths as one', async () => {
    const before = await read();
    const added = (after: Map<string, number>, series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    await server.admin.get(`/auth/apps/${app.sourceAppId}/schema`).expect(200);
    await server.admin.get('/auth/apps/no-such-app/schema').expect(404);
    await server.admin.put('/auth/apps', {}).expect(405);
    for (const path of ['/none-1', '/none-2', '/auth/users/1/2/3']) await ask(undefined, server, path);
    await ask(undefined, server, '/docs');
    const route = 'method="GET",route="/auth/apps/:sourceAppId/schema"';
    // The response may be closed after the client has read it.
    await expect
      .poll(async () => added(await read(), 'http_requests_total{method="GET",route="other",status="404"}'))
      .toBe(3);
    const after = await read();
    expect(added(after, `http_requests_total{${route},status="200"}`)).toBe(1);
    expect(added(after, `http_requests_total{${route},status="404"}`)).toBe(1);
    expect(added(after, 'http_requests_total{method="PUT",route="/auth/apps",status="405"}')).toBe(1);
    expect(added(after, 'http_request_duration_seconds_count{route="/auth/apps/:sourceAppId/schema"}')).toBe(2);
    const names = [...after.keys()].join('\n');
    for (const value of [app.sourceAppId, 'none-1', 'no-such-app', 'admin"']) expect(names).not.toContain(value);
  });

  it('counts submissions by result, and the sizes of their batches', async () => {
    const before = await read();
    await Promise.all(Array.from({ length: 20 }, (_, n) => submit(`p${n}@example.com`, { age: n }).expect(200)));
    await submit('bad@example.com', { age: 'old' }).expect(400);
    await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, { closesAt: '2020-01-01T00:00:00Z' }).expect(200);
    await submit('late@example.com').expect(403);
    await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, {}).expect(200);
    await fetch(`${server.listener.url}/v1/forms/${app.sourceAppId}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: 'bot@example.com', _gotcha: 'x' }),
    });
    const after = await read();
    const added = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    expect(added('submissions_total{result="stored"}')).toBe(20);
    for (const result of ['invalid', 'forbidden', 'held'])
      expect(added(`submissions_total{result="${result}"}`)).toBe(1);
    expect(added('submission_batch_size_sum')).toBe(20);
    expect(added('submission_batch_size_count')).toBeGreaterThan(0);
    expect(after.get('submission_queue_length')).toBe(0);
  });

  it('counts files by what becomes of them, and what the scanner says', { tags: 'long' }, async () => {
    const clamd = await startClamd();
    const own = await startServer({ METRICS_TOKEN, CLAMD: clamd.address });
    try {
      const { sourceAppId } = await own.admin.buildApp({ fields: [CV] });
      const before = await read(own);
      for (const name of ['files_total', 'file_scans_total']) {
        expect([...before.keys()].filter((series) => series.startsWith(name))).toEqual([]);
      }
      expect([before.get('file_bytes_total'), before.get('files_removed_total')]).toEqual([0, 0]);
      const send = async (body: Buffer) => (await upload(own.client.url, sourceAppId, body)).status;
      expect(await send(pdfOf(2_000))).toBe(201);
      expect(await send(pdf(String(MALWARE)))).toBe(400);
      expect(await send(Buffer.from('text'))).toBe(400);
      await clamd.stop();
      expect(await send(pdfOf(3_000))).toBe(201);
      await own.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      const after = await read(own);
      expect(after.get('files_total{result="stored"}')).toBe(2);
      expect(after.get('files_total{result="refused"}')).toBe(2);
      expect(after.get('file_bytes_total')).toBe(5_000);
      expect(after.get('files_removed_total')).toBe(4);
      for (const result of ['clean', 'infected', 'failed']) {
        expect(after.get(`file_scans_total{result="${result}"}`)).toBe(1);
      }
    } finally {
      await own.close();
      await clamd.stop().catch(() => undefined);
    }
  });

  it('shows the process, the pool of the database and the jobs', async () => {
    const metrics = await read();
    for (const name of ['nodejs_heap_size_used_bytes', 'process_resident_memory_bytes', 'process_cpu_seconds_total']) {
      expect(metrics.get(name), name).toBeGreaterThan(0);
    }
    for (const quantile of ['0.5', '0.9', '0.99', '1']) {
      expect(metrics.get(`nodejs_eventloop_delay_seconds{quantile="${quantile}"}`)).toBeGreaterThanOrEqual(0);
    }
    expect(metrics.get('mongodb_connections{state="open"}')).toBeGreaterThan(0);
    expect(metrics.get('mongodb_connections{state="in_use"}')).toBeGreaterThanOrEqual(0);
    expect(metrics.get('mongodb_connections{state="waiting"}')).toBe(0);
    expect(metrics.get('password_queue_length')).toBe(0);
    for (const { name } of server.services.jobs.states()) {
      expect(metrics.has(`job_running{job="${name}"}`)).toBe(true);
      expect(metrics.get(`job_failures_total{job="${name}"}`)).toBe(0);
    }
  });

  it('counts for each of two servers in one process by itself', { tags: 'long' }, async () => {
    const second = await startServer({ METRICS_TOKEN }, server.database);
    try {
      await submit('own@example.com').expect(200);
      const series = 'submissions_total{result="stored"}';
      expect((await read()).get(series)).toBeGreaterThan(0);
      expect((await read(second)).get(series)).toBeUndefined();
    } finally {
      await second.close();
    }
  });
});

describe('the documents', () => {
  const root = new URL('../../', import.meta.url);
  /** The declared metrics; those with labels have no series before their first event. */
  const names = async () => {
    const text = await (await ask(`Bearer ${METRICS_TOKEN}`)).text();
    return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  };
  const withoutSuffix = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

  it('the dashboard for Grafana asks for metrics that exist', async () => {
    const dashboard = JSON.parse(readFileSync(new URL('docs/grafana-dashboard.json', root), 'utf8'));
    const expressions: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
      (panel.targets ?? []).map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(8);
    const known = new Set(await names());
    const asked = expressions.flatMap((expr) => expr.match(/\b(?:[a-z]+_)+(?:[a-z]+)(?=[{[]|$|\))/g) ?? []);
    expect([...new Set(asked)].filter((name) => !known.has(name) && !known.has(withoutSuffix(name)))).toEqual([]);
    expect(asked.length).toBeGreaterThanOrEqual(expressions.length);
  });

  it('the operations guide lists every metric', async () => {
    const guide = readFileSync(new URL('docs/operations.md', root), 'utf8');
    const missing = (await names()).filter((name) => !guide.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });
});
