import { get, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeEach(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
});

const PATH = '/auth/audit/export';
/** Of one session at a time. */
const MOST_EXPORTS = 8;

describe('GET /auth/audit/export (spec 4.9)', () => {
  it('sends the events of the list, each in one line, by the filters of the list', async () => {
    const path = `/auth/apps/${app.sourceAppId}/retention`;
    for (const days of [30, 60]) await operator.put(path, { days, basis: 'createdAt' }).expect(200);
    const filter = 'action=retention.replaced';
    const listed = (await operator.get(`/auth/audit?${filter}`).expect(200)).body.events;
    expect(listed).toHaveLength(2);
    const response = await operator.get(`${PATH}?format=ndjson&${filter}`).buffer().expect(200);
    const date = new Date().toISOString().slice(0, 10);
    expect(response.headers['content-disposition']).toContain(`"${app.sourceAppId}-audit-${date}.ndjson"`);
    const lines: string[] = response.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(listed);
    const [event] = (await operator.get('/auth/audit?action=audit.exported').expect(200)).body.events;
    expect(event).toMatchObject({ sourceAppId: app.sourceAppId, detail: { format: 'ndjson' } });
    await operator.get(`${PATH}?format=json`).expect(400);
  });

  it('sends every page, and cells in which no formula begins', async () => {
    await storeEvents(230, '=1+1');
    const { text } = await operator.get(`${PATH}?action=user.erased`).expect(200);
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).toBe(
      'id,at,sourceAppId,action,actorKind,actorId,actorName,actorEmail,actorMethod,actorAddress,target,targetKind,targetName,detail',
    );
    expect(new Set(rows.slice(1)).size).toBe(230);
    for (const row of rows.slice(1)) expect(row).toContain(",'=1+1,");
  });

  it('ends when its client leaves: no query, cursor or request stays open', { tags: 'long' }, async () => {
    await storeEvents(5_000, 'x'.repeat(2_000));
    const { sourceAppId, password } = app;
    const { headers } = await new Client(server.listener.url)
      .post('/auth/login', { sourceAppId, password })
      .expect(200);
    const cookie = String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const status = async () =>
      (await fetch(`${server.listener.url}${PATH}?action=login`, { headers: { cookie } })).status;
    const exports = await Promise.all(Array.from({ length: MOST_EXPORTS }, () => begin(cookie)));
    expect(exports.map(({ statusCode }) => statusCode)).toEqual(exports.map(() => 200));
    await expect.poll(queries).toBe(0);
    expect(await status()).toBe(429);
    for (const one of exports) one.destroy();
    await expect.poll(status).toBe(200);
    await expect.poll(queries).toBe(0);
  });

  it('is refused for another app, and for those who may not read the log', async () => {
    const other = await server.admin.buildApp();
    await operator.get(`${PATH}?sourceAppId=${other.sourceAppId}`).expect(403);
    await server.client.get(PATH).expect(401);
    const all = await server.admin.get(`${PATH}?sourceAppId=${other.sourceAppId}`).expect(200);
    expect(all.text).toContain('app.created');
    expect(all.text).not.toContain(`,${app.sourceAppId},`);
  });
});

/** Asks for an export, and reads nothing of it. */
function begin(cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${server.listener.url}${PATH}`, { headers: { cookie }, agent: false }, resolve).on('error', reject);
  });
}

/** How many queries and open cursors of the audit log there are. */
async function queries(): Promise<number> {
  const { inprog } = await server.db.admin().command({
    currentOp: true,
    $all: true,
    ns: `${server.db.databaseName}.audit_events`,
    $or: [{ op: { $in: ['query', 'getmore', 'command'] }, active: true }, { type: 'idleCursor' }],
  });
  return inprog.length;
}

let stored = 0;

/** Stores events of the app without a request for each. */
async function storeEvents(count: number, target: string): Promise<void> {
  const { sourceAppId } = app;
  const { _id } = await server.db.collection('apps').findOne({ sourceAppId }).then(required);
  const events = Array.from({ length: count }, (_, at) => ({
    _id: `01924c9e-5f3a-7c11-9b0e-${String(stored + at).padStart(12, '0')}` as never,
    at: new Date(),
    action: 'user.erased',
    count: 1,
    actor: { kind: 'operator', id: sourceAppId, address: null, method: 'shared' },
    appId: _id,
    sourceAppId,
    target,
    expiresAt: new Date(Date.now() + 60_000),
  }));
  stored += count;
  await server.db.collection('audit_events').insertMany(events);
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('nothing was found');
  return value;
}
