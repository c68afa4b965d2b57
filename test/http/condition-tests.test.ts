import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { rename } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const PATH = '/auth/conditions/test';
const newId = createOrderedIds();

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp({
    fields: [
      { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'status', kind: 'select', enum: ['new', 'urgent'], writers: 'staff' },
    ],
  });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  // The oldest 100 are beyond the newest 1,000.
  await store(app, 1_100, (n) =>
    n < 100 ? { plan: 'pro' } : { plan: n % 10 === 0 ? 'pro' : 'free', status: 'urgent' },
  );
});
afterAll(() => server.close());

async function store({ sourceAppId }: TestApp, count: number, dataOf: (n: number) => object): Promise<void> {
  const { _id: appId } = await appDocument(server, sourceAppId);
  const records = Array.from({ length: count }, (_, n) => {
    const at = new Date(Date.now() - (count - n) * 1_000);
    const common = { appId, sourceAppId, schemaVersion: 2, createdAt: at, updatedAt: at };
    return { _id: newId(at), ...common, email: `person${n}@example.com`, data: dataOf(n) };
  });
  await server.db.collection('users').insertMany(records as never[]);
}

const eq = (field: string, value: string) => ({ if: { all: [{ field, op: 'eq', value }] } });

describe('a trial of conditions (spec 2.13)', () => {
  it('counts the matches among the newest 1,000 records', async () => {
    const { body } = await operator.post(PATH, eq('plan', 'pro')).expect(200);
    expect(body).toEqual({ matches: 100, of: 1_000, complete: true });
    const { body: ofStaff } = await operator.post(PATH, eq('status', 'urgent')).expect(200);
    expect(ofStaff).toEqual({ matches: 1_000, of: 1_000, complete: true });
    const { body: ofEmail } = await operator.post(PATH, eq('email', 'Person1099@example.com')).expect(200);
    expect(ofEmail).toEqual({ matches: 1, of: 1_000, complete: true });
  });

  it('ends when its time is over', async () => {
    const late = await startServer({}, server.database, { queryBudgetMs: 0 });
    const session = await new Client(late.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await session.post(PATH, eq('plan', 'pro')).expect(200);
    expect(body).toEqual({ matches: 10, of: 100, complete: false });
    await late.close();
  });

  it('reads values under the new key of a field before they are moved', async () => {
    const other = await server.admin.buildApp({ fields: [{ key: 'plan', kind: 'text' }] });
    await server.client.submit(other.sourceAppId, { email: 'a@x.org', data: { plan: 'pro' } }).expect(200);
    const fields = [{ key: 'tariff', kind: 'text' as const }];
    await rename(server.admin, other.sourceAppId, { fields, renames: [{ from: 'plan', to: 'tariff' }] }).expect(200);
    const query = `?sourceAppId=${other.sourceAppId}`;
    const { body } = await server.admin.post(PATH + query, eq('tariff', 'pro')).expect(200);
    expect(body).toEqual({ matches: 1, of: 1, complete: true });
  });

  it('refuses conditions that no setting takes', async () => {
    const { body } = await operator.post(PATH, eq('gone', 'x')).expect(400);
    expect(body.errors).toMatchObject([{ path: 'if.all.0.field', code: 'unknownField' }]);
    const { body: ofValue } = await operator.post(PATH, eq('plan', 'gold')).expect(400);
    expect(ofValue.errors).toMatchObject([{ path: 'if.all.0.value' }]);
    await operator.post(PATH, { if: { all: [], any: [] } }).expect(400);
    await operator.post(PATH, {}).expect(400);
  });

  it('is of the app that the query or the body names, and of no other', async () => {
    const other = await server.admin.buildApp();
    await server.client.submit(other.sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    const named = { if: { all: [{ field: 'name', op: 'exists' }] }, sourceAppId: other.sourceAppId };
    const found = { matches: 1, of: 1, complete: true };
    expect((await server.admin.post(PATH, named).expect(200)).body).toEqual(found);
    const { sourceAppId, ...conditions } = named;
    expect((await server.admin.post(`${PATH}?sourceAppId=${sourceAppId}`, conditions).expect(200)).body).toEqual(found);
    await operator.post(PATH, named).expect(403);
    await operator.post(`${PATH}?sourceAppId=${sourceAppId}`, conditions).expect(403);
    await operator.post(PATH, { ...named, sourceAppId: app.sourceAppId, if: eq('plan', 'pro').if }).expect(200);
    await server.admin.post(PATH, { ...named, sourceAppId: 'none' }).expect(404);
  });

  it('is for keys that may read records, and in no audit log', async () => {
    const settings = { sourceAppId: app.sourceAppId };
    const { key } = await createKey(server, server.admin, ['users:read'], settings);
    const asked = (bearer: string) =>
      fetch(server.listener.url + PATH, {
        method: 'POST',
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(eq('plan', 'pro')),
      });
    const before = await server.db.collection('audit_events').countDocuments();
    expect((await asked(key)).status).toBe(200);
    expect(await server.db.collection('audit_events').countDocuments()).toBe(before);
    const { key: submitting } = await createKey(server, server.admin, ['submit'], settings);
    expect((await asked(submitting)).status).toBe(403);
    await new Client(server.client.url).post(PATH, eq('plan', 'pro')).expect(401);
  });
});
