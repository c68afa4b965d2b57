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
    const { _id } = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId }).then(required);
    const events = Array.from({ length: 230 }, (_, at) => ({
      _id: `01924c9e-5f3a-7c11-9b0e-${String(at).padStart(12, '0')}` as never,
      at: new Date(),
      action: 'user.erased',
      count: 1,
      actor: { kind: 'operator', id: app.sourceAppId, address: null, method: 'shared' },
      appId: _id,
      sourceAppId: app.sourceAppId,
      target: '=1+1',
      expiresAt: new Date(Date.now() + 60_000),
    }));
    await server.db.collection('audit_events').insertMany(events);
    const { text } = await operator.get(`${PATH}?action=user.erased`).expect(200);
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).toBe(
      'id,at,sourceAppId,action,actorKind,actorId,actorName,actorEmail,actorMethod,actorAddress,target,targetKind,targetName,detail',
    );
    expect(new Set(rows.slice(1)).size).toBe(230);
    for (const row of rows.slice(1)) expect(row).toContain(",'=1+1,");
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

function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('nothing was found');
  return value;
}
