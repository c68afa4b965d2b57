import { randomUUID } from 'node:crypto';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepeatedEvents } from '../../src/features/audit/audit-log.ts';
import { listEndpoints } from '../../src/http/endpoints.ts';
import { logIn, totp } from '../support/server/accounts.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

interface Event {
  id: string;
  at: string;
  action: string;
  sourceAppId: string | null;
  actor: { kind: string; id: string | null; address: string | null; name?: string; email?: string };
  target: string | null;
  targetAccount?: { name: string; email: string };
  targetKind?: string;
  targetName?: string;
  targetChange?: { users: number; createdAt: string };
  detail: Record<string, unknown>;
}

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: 'loopback', AUDIT_DAYS: '7', RATE_LIMIT_LOGIN: '0' });
});
afterAll(() => server.close());

async function buildApp(): Promise<void> {
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
}

const eventsOf = async (client: Client, query = ''): Promise<Event[]> =>
  (await client.get(`/auth/audit${query}`).expect(200)).body.events;
const newest = async (client = operator): Promise<Event | undefined> => (await eventsOf(client, '?limit=1'))[0];
const submit = async (email: string): Promise<string> =>
  (await server.client.submit(app.sourceAppId, { email, data: { name: 'Ada' } }).expect(200)).body.id;

describe('an event (spec 4.9)', () => {
  beforeAll(buildApp);

  it('is declared by every change and every bulk look of operators, admins and keys', () => {
    const proven = listEndpoints().filter(({ spec: { auth } }) => auth === 'session' || auth === 'session or key');
    const changes = proven.filter(({ spec }) => spec.method !== 'get').map(({ name }) => name);
    const silent = changes.filter((name) => !proven.find((other) => other.name === name)?.spec.audit);
    // One counts, and changes nothing. One changes only what the dashboard marks for the caller.
    expect(silent).toEqual(['testConditions', 'noteLook']);
    const looks = proven.filter(({ spec: { method, audit } }) => method === 'get' && audit).map(({ name }) => name);
    expect(looks.sort()).toEqual([
      'exportAuditEvents',
      'exportSubmissions',
      'exportUsers',
      'getFile',
      'getImportOmissions',
      'getImportRejects',
      'listAllUsers',
      'listHeld',
      'listSubmissions',
      'listUsers',
    ]);
  });

  it('tells who changed what, from where', async () => {
    const id = await submit('ada@example.com');
    const from = { 'X-Forwarded-For': '203.0.113.7:40001' };
    await operator
      .patch(`/auth/users/${id}`, { set: { name: 'Grace' } })
      .set(from)
      .expect(200);
    expect(await newest()).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      sourceAppId: app.sourceAppId,
      actor: { kind: 'operator', id: app.sourceAppId, address: '203.0.113.7', method: 'shared' },
      action: 'user.changed',
      target: id,
      detail: {},
    });
    await operator.delete(`/auth/users/${id}`).expect(200);
    expect(await newest()).toMatchObject({ action: 'user.erased', target: id });
    await submit('b@example.com');
    await operator.delete('/auth/users?q=b@example&confirm=1').expect(200);
    expect(await newest()).toMatchObject({ action: 'users.erased', target: null, detail: { deletedUsers: 1 } });
    const { body } = await operator.post('/auth/people/erase', { email: 'c@example.com', suppress: true }).expect(200);
    const detail = { records: 0, held: 0, suppress: true };
    expect(await newest()).toMatchObject({ action: 'person.erased', target: body.id, detail });
  });

  it('is written for settings, schemas and passwords, with the admin who changed them', async () => {
    const admin = { kind: 'admin', id: 'admin', address: expect.any(String) };
    const path = `/auth/apps/${app.sourceAppId}`;
    const target = app.sourceAppId;
    await operator.put(`${path}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    expect(await newest()).toMatchObject({ action: 'retention.replaced', target, actor: { kind: 'operator' } });
    await server.admin.put(`${path}/form`, {}).expect(200);
    expect(await newest()).toMatchObject({ action: 'form.replaced', target, actor: admin });
    const { body } = await server.admin.putSchema(target, { fields: [] }).expect(200);
    const detail = { version: body.version };
    expect(await newest()).toMatchObject({ action: 'schema.replaced', target, actor: admin, detail });
    const key = await createKey(server, server.admin, ['schema:write', 'users:read'], { sourceAppId: target });
    const scopes = { scopes: 'schema:write users:read' };
    expect(await newest()).toMatchObject({ action: 'key.created', target: key.id, detail: scopes });
    await key.send('put', `${path}/schema`, { rejectUnknown: false, fields: [] }).expect(200);
    expect(await newest()).toMatchObject({ action: 'schema.replaced', actor: { kind: 'key', id: key.id } });
    await operator.delete(`/auth/keys/${key.id}`).expect(200);
    expect(await newest()).toMatchObject({ action: 'key.deleted', target: key.id, actor: { kind: 'operator' } });
    const { password } = (await server.admin.post(`${path}/password`).expect(200)).body;
    operator = await new Client(server.listener.url).logIn(target, password);
    const [login, replaced] = await eventsOf(operator);
    expect(replaced).toMatchObject({ action: 'password.replaced', target, actor: admin });
    expect(login).toMatchObject({ action: 'login', actor: { kind: 'operator', id: target } });
  });

  it('is written for the check of a schema, and for the parts of a file together', async () => {
    await buildApp();
    await submit('a@example.com');
    const path = `/auth/apps/${app.sourceAppId}/schema/check`;
    const schema = { rejectUnknown: false, fields: [{ key: 'name', kind: 'number' }] };
    await server.admin.post(path, schema).expect(200);
    const checked = { action: 'schema.checked', target: app.sourceAppId, actor: { kind: 'admin' } };
    expect(await newest()).toMatchObject({ ...checked, detail: { examples: 1 } });
    const key = await createKey(server, operator, ['import']);
    const { body } = await key.send('post', '/auth/imports', {}).expect(200);
    const part = (range: string, text: string) =>
      key.send('put', `/auth/imports/${body.id}/content`, text).type('text/csv').set('Content-Range', range);
    await part('bytes 0-5/*', 'email\n').expect(200);
    await part('bytes 6-12/*', 'a@x.org').expect(200);
    await part('bytes 6-12/*', 'a@x.org').expect(416);
    await server.services.audit.flush();
    const [uploaded, created] = await eventsOf(operator);
    const actor = { kind: 'key', id: key.id, address: expect.any(String) };
    expect(uploaded).toMatchObject({ action: 'import.uploaded', target: body.id, actor, detail: { count: 2 } });
    expect(created).toMatchObject({ action: 'import.created' });
  });

  it('is written for held submissions', async () => {
    await buildApp();
    const trapped = (email: string) =>
      fetch(`${server.listener.url}/v1/forms/${app.sourceAppId}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ email, _gotcha: 'x' }),
      });
    for (const email of ['a@example.com', 'b@example.com']) await trapped(email);
    const [first, second] = (await operator.get('/auth/held').expect(200)).body.held;
    expect(await newest()).toMatchObject({ action: 'held.listed', target: null });
    await operator.post(`/auth/held/${first.id}/release`).expect(200);
    expect(await newest()).toMatchObject({ action: 'held.released', target: first.id });
    await operator.delete(`/auth/held/${second.id}`).expect(200);
    expect(await newest()).toMatchObject({ action: 'held.deleted', target: second.id });
  });

  it('is written for nothing that was refused', async () => {
    await buildApp();
    const before = await eventsOf(operator);
    await operator.delete('/auth/users/none').expect(404);
    await operator.get('/auth/users?where=data.none:gte:1').expect(400);
    await operator.delete('/auth/users?q=a&confirm=9').expect(409);
    await operator.get('/auth/users?sourceAppId=admin').expect(403);
    expect(await eventsOf(operator)).toEqual(before);
  });

  it('has no personal data and expires', async () => {
    await buildApp();
    const secret = 'very.private@example.com';
    await submit(secret);
    await operator.get(`/auth/users?q=${secret}&where=email:eq:${secret}`).expect(200);
    await operator.get(`/auth/users/export?q=${secret}&format=ndjson`).expect(200);
    await operator.post('/auth/people/export', { email: secret }).expect(200);
    await operator.post('/auth/people/erase', { email: secret }).expect(200);
    await server.client.post('/auth/login', { sourceAppId: 'very.private', password: secret }).expect(401);
    await server.client.post('/auth/login', { sourceAppId: app.sourceAppId, password: secret }).expect(401);
    await expect.poll(async () => (await newest())?.action).toBe('login.failed');
    const stored = await server.db.collection('audit_events').find().toArray();
    expect(JSON.stringify(stored)).not.toContain('very.private');
    expect(stored.map(({ action }) => action)).toEqual(expect.arrayContaining(['users.exported', 'person.exported']));
    // Counted from the later one of the clocks of the server and of the database.
    for (const { at, expiresAt } of stored) {
      expect(Math.round((expiresAt.getTime() - at.getTime()) / 60_000)).toBe(7 * 24 * 60);
    }
    const indexes = await server.db.collection('audit_events').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});

describe('equal looks', () => {
  beforeAll(buildApp);

  it('are one event with a count, also when they come at the same time', { tags: 'long' }, async () => {
    await Promise.all(Array.from({ length: 100 }, () => operator.get('/auth/users?limit=1').expect(200)));
    await server.services.audit.flush();
    const [event, ...others] = await eventsOf(operator, '?action=users.listed');
    expect(others).toEqual([]);
    expect(event?.detail).toEqual({ count: 100, lastAt: expect.any(String) });
    await operator.get('/auth/users?limit=1').set('X-Forwarded-For', '203.0.113.9').expect(200);
    expect(await eventsOf(operator, '?action=users.listed')).toHaveLength(2);
  });

  it('begin a new event after a time', async () => {
    const events = server.db.collection('equal_looks');
    let now = 0;
    const repeated = createRepeatedEvents(events as never, () => now);
    let id = 0;
    const look = (action: string) => {
      id += 1;
      const actor = { kind: 'operator', id: 'shop', address: null };
      return repeated.record({ _id: String(id), action, actor, at: new Date(), count: 1 } as never);
    };
    for (const at of [0, 59_999, 60_001, 3_599_999, 3_600_001]) {
      now = at;
      for (const action of ['users.listed', 'users.exported']) await look(action);
    }
    await repeated.flush();
    const counts = async (action: string) => (await events.find({ action }).toArray()).map(({ count }) => count);
    expect(await counts('users.listed')).toEqual([4, 1]);
    expect(await counts('users.exported')).toEqual([2, 1, 2]);
  });
});

describe('failed log-ins', () => {
  it('are events of the app, of a bounded number for any number of addresses', { tags: 'long' }, async () => {
    await buildApp();
    for (let address = 1; address <= 30; address += 1) {
      for (const _ of [1, 2]) {
        await server.client
          .post('/auth/login', { sourceAppId: app.sourceAppId, password: 'wrong' })
          .set('X-Forwarded-For', `203.0.113.${address}`)
          .expect(401);
      }
    }
    const count = async () => {
      await server.services.audit.flush();
      const events = await eventsOf(operator, '?action=login.failed');
      return events.reduce((sum, { detail }) => sum + Number(detail.count ?? 1), 0);
    };
    await expect.poll(count).toBe(60);
    const events = await eventsOf(operator, '?action=login.failed');
    expect(events).toHaveLength(11);
    expect(events.filter(({ actor }) => actor.address === null)).toHaveLength(1);
    expect(events.every(({ actor }) => actor.kind === 'anonymous' && actor.id === null)).toBe(true);
  });
});

describe('GET /auth/audit', () => {
  beforeAll(buildApp);

  it('shows operators the events of their app, and admins all or those of one', async () => {
    const other = await server.admin.buildApp();
    await server.admin.get(`/auth/users?sourceAppId=${app.sourceAppId}`).expect(200);
    await server.admin.get('/auth/admin/users').expect(200);
    expect(new Set((await eventsOf(operator)).map(({ sourceAppId }) => sourceAppId))).toEqual(
      new Set([app.sourceAppId]),
    );
    expect((await eventsOf(operator)).map(({ actor }) => actor.kind)).toContain('admin');
    const all = await eventsOf(server.admin, '?limit=200');
    expect(all.map(({ sourceAppId }) => sourceAppId)).toEqual(expect.arrayContaining([app.sourceAppId, null]));
    const ofOne = await eventsOf(server.admin, `?sourceAppId=${other.sourceAppId}`);
    expect(ofOne.map(({ action }) => action)).toEqual(['app.created']);
    await operator.get(`/auth/audit?sourceAppId=${other.sourceAppId}`).expect(403);
    await new Client(server.listener.url).get('/auth/audit').expect(401);
    const { send } = await createKey(server, operator, ['users:read']);
    await send('get', '/auth/audit').expect(403);
  });

  it('filters by action and time, in pages without gaps', async () => {
    await buildApp();
    const ids = [];
    for (let number = 0; number < 5; number += 1) ids.unshift(await submit(`p${number}@example.com`));
    for (const id of [...ids].reverse()) await operator.delete(`/auth/users/${id}`).expect(200);
    const seen: (string | null)[] = [];
    let cursor = '';
    do {
      const { body } = await operator.get(`/auth/audit?action=user.erased&limit=2${cursor}`).expect(200);
      seen.push(...body.events.map(({ target }: Event) => target));
      cursor = body.next ? `&cursor=${body.next}` : '';
      if (body.next) await operator.get(`/auth/audit?limit=2&cursor=${body.next}`).expect(400);
    } while (cursor !== '');
    expect(seen).toEqual(ids);
    const [, , third] = await eventsOf(operator, '?action=user.erased');
    const since = await eventsOf(operator, `?action=user.erased&since=${third?.at}`);
    expect(since.map(({ target }) => target)).toEqual(expect.arrayContaining(ids.slice(0, 3)));
    expect(since.every(({ at }) => at >= String(third?.at))).toBe(true);
    expect(await eventsOf(operator, '?since=2090-01-01')).toEqual([]);
    for (const query of ['since=yesterday', 'action=none', 'limit=0', 'cursor=x', 'other=1', 'since=a&since=b']) {
      await operator.get(`/auth/audit?${query}`).expect(400);
    }
  });

  it('keeps the events of a deleted app for admins; a later app of its name has none of them', async () => {
    await buildApp();
    await submit('ada@example.com');
    await operator.get('/auth/users').expect(200);
    await server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    const actions = async () =>
      (await eventsOf(server.admin, `?sourceAppId=${app.sourceAppId}`)).map(({ action }) => action);
    expect(await actions()).toEqual(['app.deleted', 'users.listed', 'login', 'schema.replaced', 'app.created']);
    const [deleted] = await eventsOf(server.admin, `?sourceAppId=${app.sourceAppId}`);
    expect(deleted).toMatchObject({ target: app.sourceAppId, detail: { deletedUsers: 1 } });
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: app.sourceAppId }).expect(200);
    const again = await new Client(server.listener.url).logIn(app.sourceAppId, body.password);
    expect((await eventsOf(again)).map(({ action }) => action)).toEqual(['login', 'app.created']);
  });
});

const STAFF_PASSWORD = 'a password of twelve';

/** Creates an account with a role in the app, by an invitation. */
async function join(email: string, name: string, role = 'manager') {
  const path = `/auth/apps/${app.sourceAppId}/invitations`;
  const { body } = await server.admin.post(path, { email, role }).expect(200);
  const given = { token: new URL(body.link).hash.slice(1), name, password: STAFF_PASSWORD };
  const client = new Client(server.listener.url);
  const accepted = await client.post('/auth/invitations/accept', given).expect(200);
  return { client, email, id: accepted.body.account.id as string };
}

describe('the accounts of a page', () => {
  beforeAll(buildApp);

  it('are named as they are now, until they are erased, by one statement', async () => {
    const ada = await join('ada@staff.example.com', 'Ada');
    const bob = await join('bob@staff.example.com', 'Bob', 'viewer');
    const path = `/auth/apps/${app.sourceAppId}`;
    await ada.client.patch(`${path}/members/${bob.id}`, { role: 'editor' }).expect(200);
    await ada.client.put(`${path}/form`, {}).expect(200);
    await ada.client.patch('/auth/account', { name: 'Ada Lovelace' }).expect(200);
    const named = { name: 'Ada Lovelace', email: ada.email };
    const actor = { kind: 'operator', id: ada.id, address: expect.any(String), method: 'invitation', ...named };
    const read = async () => {
      const [replaced, changed] = await eventsOf(operator, '?limit=2');
      return { replaced, changed };
    };
    const { replaced, changed } = await read();
    expect(replaced).toMatchObject({ action: 'form.replaced', actor, target: app.sourceAppId });
    expect(replaced).not.toHaveProperty('targetAccount');
    const targetAccount = { name: 'Bob', email: bob.email };
    expect(changed).toMatchObject({ action: 'member.changed', actor, target: bob.id, targetAccount });
    const stored = JSON.stringify(await server.db.collection('audit_events').find().toArray());
    for (const text of ['staff.example.com', 'Lovelace', 'Bob']) expect(stored).not.toContain(text);

    await server.db.command({ profile: 2 });
    await eventsOf(ada.client, '?limit=50');
    await server.db.command({ profile: 0 });
    const several = { ns: `${server.database}.accounts`, 'command.filter._id.$in': { $exists: true } };
    expect(await server.db.collection('system.profile').countDocuments(several)).toBe(1);

    for (const { id } of [ada, bob]) await server.admin.delete(`/auth/accounts/${id}`).expect(200);
    const after = await read();
    expect(after.replaced?.actor).toEqual({
      kind: 'operator',
      id: ada.id,
      method: 'invitation',
      address: expect.any(String),
    });
    expect(after.changed).toMatchObject({ target: bob.id, actor: { id: ada.id } });
    expect(after.changed).not.toHaveProperty('targetAccount');
    const { body } = await server.admin.get('/auth/audit?action=account.erased').expect(200);
    expect(body.events.map(({ target }: Event) => target)).toEqual([bob.id, ada.id]);
    expect(JSON.stringify(body)).not.toContain('staff.example.com');
  });

  it('are not confused with an app whose id looks like theirs', async () => {
    const { id, client: eve } = await join('eve@staff.example.com', 'Eve');
    await eve.put(`/auth/apps/${app.sourceAppId}/form`, {}).expect(200);
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: id }).expect(200);
    const client = await new Client(server.listener.url).logIn(id, body.password);
    await client.put(`/auth/apps/${id}/form`, {}).expect(200);
    const [event] = await eventsOf(client);
    expect(event).toMatchObject({ action: 'form.replaced', actor: { id, method: 'shared' }, target: id });
    expect(JSON.stringify(event)).not.toContain('Eve');
    expect(await eventsOf(client, `?actor=${id}`)).toEqual([]);
    const own = await eventsOf(server.admin, `?actor=${id}`);
    expect(own.map(({ action, sourceAppId }) => [action, sourceAppId])).toContainEqual([
      'form.replaced',
      app.sourceAppId,
    ]);
    expect(own.map(({ sourceAppId }) => sourceAppId)).not.toContain(id);
  });
});

describe('the keys and webhooks of a page', () => {
  const url = 'https://hooks.example.com/secret-path';
  const webhook = async (format: string) => {
    const { body } = await operator.post('/auth/webhooks', { url, events: ['user.created'], format }).expect(200);
    return body.id as string;
  };
  /** The statements that read a collection by several ids while `work` ran. */
  const statements = async (collection: string, work: () => Promise<unknown>) => {
    await server.db.command({ profile: 0 });
    await server.db.dropCollection('system.profile');
    await server.db.command({ profile: 2 });
    await work();
    await server.db.command({ profile: 0 });
    const several = { ns: `${server.database}.${collection}`, 'command.filter._id.$in': { $exists: true } };
    return server.db.collection('system.profile').countDocuments(several);
  };

  it('are named as they are now, until they are deleted, by one statement for each kind', async () => {
    await buildApp();
    const key = await createKey(server, operator, ['users:write', 'users:read']);
    const second = await createKey(server, operator, ['users:read']);
    const id = await submit('ada@example.com');
    await key.send('patch', `/auth/users/${id}`, { set: { name: 'Grace' } }).expect(200);
    const [slack, plain] = [await webhook('slack'), await webhook('standard')];
    const events = await eventsOf(operator, '?limit=5');
    expect(events).toMatchObject([
      { action: 'webhook.created', target: plain, targetKind: 'webhook', targetName: url },
      { action: 'webhook.created', target: slack, targetName: 'https://hooks.example.com/…' },
      { action: 'user.changed', actor: { kind: 'key', id: key.id, name: 'test' }, target: id },
      { action: 'key.created', target: second.id, targetKind: 'key', targetName: 'test' },
      { action: 'key.created', target: key.id, targetKind: 'key', targetName: 'test' },
    ]);
    expect(events[2]).not.toHaveProperty('targetKind');
    const stored = await server.db.collection('audit_events').find({ sourceAppId: app.sourceAppId }).toArray();
    expect(JSON.stringify(stored)).not.toContain('hooks.example.com');
    for (const collection of ['api_keys', 'webhooks']) {
      expect([collection, await statements(collection, () => eventsOf(operator, '?limit=50'))]).toEqual([
        collection,
        1,
      ]);
    }

    for (const one of [key, second]) await operator.delete(`/auth/keys/${one.id}`).expect(200);
    for (const one of [slack, plain]) await operator.delete(`/auth/webhooks/${one}`).expect(200);
    const after = await eventsOf(operator);
    const ofThem = after.filter(({ action }) => /^(?:key|webhook)\./.test(action));
    expect(ofThem.map(({ targetKind, target }) => [targetKind, target])).toEqual([
      ['webhook', plain],
      ['webhook', slack],
      ['key', second.id],
      ['key', key.id],
      ['webhook', plain],
      ['webhook', slack],
      ['key', second.id],
      ['key', key.id],
    ]);
    for (const event of ofThem) expect(event).not.toHaveProperty('targetName');
    expect(after.find(({ action }) => action === 'user.changed')?.actor).not.toHaveProperty('name');
  });
});

describe('views, changes of many users, imports and invitations', () => {
  const targets = async (pattern: RegExp) =>
    (await eventsOf(operator))
      .filter(({ action }) => pattern.test(action))
      .map(({ action, targetKind, targetName, targetChange }) => [action, targetKind, targetName ?? targetChange]);

  it('are named until they are deleted, and stored by their ids only', { tags: 'long' }, async () => {
    await buildApp();
    const { sourceAppId } = app;
    const view = await operator.post('/auth/views', { name: 'Our people', query: '', shared: true }).expect(200);
    const own = await operator.post('/auth/views', { name: 'My people', query: '' }).expect(200);
    const named = await runImport(operator, undefined, 'email\nada@example.com\n', { fileName: 'people.csv' });
    const unnamed = await runImport(operator, undefined, 'email\nbob@example.com\n');
    const change = await beginChange(operator, sourceAppId, 2, { set: { name: 'Grace' } });
    const { total } = await untilChange(operator, sourceAppId, change);
    expect(total).toBe(2);
    await operator.post(`/auth/changes/${change}/undo`, {}).expect(200);
    await untilChange(operator, sourceAppId, change, ({ state }) => state === 'undone');
    const path = `/auth/apps/${sourceAppId}/invitations`;
    const invited = await server.admin.post(path, { email: 'eve@staff.example.com', role: 'viewer' }).expect(200);
    const events = await eventsOf(operator);
    const { createdAt } = (await operator.get(`/auth/changes/${change}`).expect(200)).body;
    const ofChange = { users: 2, createdAt };
    expect(await targets(/^(?:view|users\.changed|change|import|invitation)/)).toEqual([
      ['invitation.created', 'invitation', 'eve@staff.example.com'],
      ['change.undone', 'change', ofChange],
      ['users.changed', 'change', ofChange],
      ['import.started', 'import', ''],
      ['import.uploaded', 'import', ''],
      ['import.created', 'import', ''],
      ['import.started', 'import', 'people.csv'],
      ['import.uploaded', 'import', 'people.csv'],
      ['import.created', 'import', 'people.csv'],
      // Others read the log too.
      ['view.created', 'view', undefined],
      ['view.created', 'view', 'Our people'],
    ]);
    expect(events.find(({ action }) => action === 'import.created')?.target).toBe(unnamed.id);
    const stored = await server.db.collection('audit_events').find({ sourceAppId }).toArray();
    for (const name of ['My people', 'Our people', 'people.csv', 'eve@staff'])
      expect(JSON.stringify(stored)).not.toContain(name);

    for (const { id } of [view.body, own.body]) await operator.delete(`/auth/views/${id}`).expect(200);
    for (const { id } of [named, unnamed]) await operator.delete(`/auth/imports/${id}`).expect(200);
    await server.admin.delete(`${path}/${invited.body.id}`).expect(200);
    const ofGone = (await targets(/^(?:view|import|invitation)/)).map(([, kind, name]) => [kind, name]);
    expect(ofGone).toHaveLength(14);
    for (const [kind, name] of ofGone) expect([kind, name]).toEqual([kind, undefined]);
    expect(new Set(ofGone.map(([kind]) => kind))).toEqual(new Set(['view', 'import', 'invitation']));
  });
});

describe('the filter by actor', () => {
  it('finds the events of an account, of a key, and of admins, in one app or in all', { tags: 'long' }, async () => {
    await buildApp();
    const ada = await join('ada@actors.example.com', 'Ada');
    const bob = await join('bob@actors.example.com', 'Bob');
    const path = `/auth/apps/${app.sourceAppId}`;
    await ada.client.put(`${path}/form`, {}).expect(200);
    await bob.client.put(`${path}/form`, {}).expect(200);
    await bob.client.put(`${path}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    const key = await createKey(server, operator, ['users:read']);
    await key.send('get', '/auth/users').expect(200);
    const read = async (client: Client, query: string) => (await eventsOf(client, query)).map(({ action }) => action);
    expect(await read(operator, `?actor=${bob.id}`)).toEqual([
      'retention.replaced',
      'form.replaced',
      'invitation.accepted',
    ]);
    expect(await read(operator, `?actor=${ada.id}&action=form.replaced`)).toEqual(['form.replaced']);
    expect(await read(operator, `?actor=${key.id}`)).toEqual(['users.listed']);
    const ofAdmins = await eventsOf(ada.client, '?actor=admin');
    expect(ofAdmins.map(({ action }) => action)).toEqual([
      'invitation.created',
      'invitation.created',
      'schema.replaced',
      'app.created',
    ]);
    expect(ofAdmins.every(({ actor }) => actor.kind === 'admin')).toBe(true);

    const elsewhere = await server.admin.buildApp();
    const { sourceAppId } = elsewhere;
    const invitation = { email: bob.email, role: 'manager' };
    const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/invitations`, invitation).expect(200);
    const given = { token: new URL(body.link).hash.slice(1), name: 'Bob' };
    await bob.client.post('/auth/invitations/accept', given).expect(200);
    expect(await read(server.admin, `?sourceAppId=${sourceAppId}`)).toContain('invitation.accepted');
    await bob.client.put(`/auth/apps/${sourceAppId}/form`, {}).expect(200);
    expect(await read(operator, `?actor=${bob.id}`)).toEqual([
      'retention.replaced',
      'form.replaced',
      'invitation.accepted',
    ]);
    const ofAll = await eventsOf(server.admin, `?actor=${bob.id}`);
    expect(ofAll.filter(({ action }) => action.endsWith('.replaced')).map((event) => event.sourceAppId)).toEqual([
      sourceAppId,
      app.sourceAppId,
      app.sourceAppId,
    ]);
    expect(await read(server.admin, `?actor=${bob.id}&sourceAppId=${sourceAppId}`)).toContain('form.replaced');
    expect(await read(server.admin, `?actor=${bob.id}&sourceAppId=${sourceAppId}`)).not.toContain('retention.replaced');
  });

  it('finds the log-ins of admins with an account; one that waits for the second factor says so', async () => {
    await buildApp();
    const { client, id, email } = await join('boss@actors.example.com', 'Boss');
    await server.admin.patch(`/auth/accounts/${id}`, { admin: true }).expect(200);
    const logIn = () => new Client(server.client.url).post('/auth/login', { email, password: STAFF_PASSWORD });
    await logIn().expect(200);
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    await logIn().expect(202);
    const events = await eventsOf(server.admin, '?action=login&actor=admin');
    const own = events.filter(({ target }) => target === id);
    expect(own.map(({ detail }) => detail)).toEqual([{ second: true }, {}]);
  });

  it('is in the cursor, and refuses what is no actor', async () => {
    const { body } = await operator.get('/auth/audit?actor=admin&limit=1').expect(200);
    await operator.get(`/auth/audit?actor=admin&limit=1&cursor=${body.next}`).expect(200);
    await operator.get(`/auth/audit?limit=1&cursor=${body.next}`).expect(400);
    for (const actor of ['', 'Admin', 'newsletter', '65a1f0c2b3d4e5f60718293', 'admin&actor=admin']) {
      await operator.get(`/auth/audit?actor=${actor}`).expect(400);
    }
  });
});

describe('failed log-ins of accounts', () => {
  const failed = async () => {
    await server.services.audit.flush();
    const events = await eventsOf(server.admin, '?action=login.failed');
    return events.filter(({ sourceAppId }) => sourceAppId === null);
  };
  const fail = (email: string) =>
    new Client(server.listener.url).post('/auth/login', { email, password: 'wrong' }).expect(401);

  it('name the account, and no email that has none', async () => {
    await buildApp();
    const { client, email, id } = await join('grace@staff.example.com', 'Grace');
    await fail('nobody@staff.example.com');
    await fail('no email');
    await fail(email.toUpperCase());
    await expect.poll(failed).toHaveLength(1);
    expect((await failed())[0]).toMatchObject({
      target: id,
      targetAccount: { name: 'Grace', email },
      actor: { kind: 'anonymous', id: null, method: null },
    });
    const change = { current: 'wrong', password: 'another password' };
    await client.put('/auth/account/password', change).expect(403);
    await expect.poll(async () => (await failed())[0]?.detail.count).toBe(2);
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    const waiting = new Client(server.listener.url);
    await logIn(waiting, email, STAFF_PASSWORD).expect(202);
    await waiting.post('/auth/login/second', { code: '000000' }).expect(401);
    await expect.poll(async () => (await failed())[0]?.detail.count).toBe(3);
    const events = await server.db.collection('audit_events').find({ action: 'login.failed' }).toArray();
    expect(events.filter(({ sourceAppId }) => sourceAppId === null)).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain('staff.example.com');
    // Managers of an app see none of them.
    expect(await eventsOf(client, '?action=login.failed')).toEqual([]);
  });

  it('are answered whether or not the event can be stored', async () => {
    const { email, id } = await join('hedy@staff.example.com', 'Hedy');
    await server.db.command({ collMod: 'audit_events', validator: { never: { $exists: true } } });
    try {
      await fail(email);
    } finally {
      await server.db.command({ collMod: 'audit_events', validator: {} });
    }
    await fail(email);
    await expect.poll(async () => (await failed())[0]?.target).toBe(id);
  });
});

describe('an audit log that cannot be written', () => {
  it('takes no answer from a change that was made, and shows no records', async () => {
    await buildApp();
    const id = await submit('ada@example.com');
    const other = await submit('b@example.com');
    // A validator of the collection refuses each event.
    const refuse = (validator: object) => server.db.command({ collMod: 'audit_events', validator });
    await refuse({ never: { $exists: true } });
    try {
      await operator.delete(`/auth/users/${id}`).expect(200);
      expect(server.log()).toContain('an audit event was lost');
      expect(await server.db.collection('users').countDocuments({ sourceAppId: app.sourceAppId })).toBe(1);
      for (const path of ['/auth/users', '/auth/users/export', '/auth/held']) {
        const answer = await operator.get(path).set('X-Forwarded-For', '203.0.113.77').expect(500);
        expect(answer.text).not.toContain('example.com');
      }
      await new Client(server.listener.url).logIn('admin', ADMIN_PASSWORD);
    } finally {
      await refuse({});
    }
    await operator.get('/auth/users').set('X-Forwarded-For', '203.0.113.77').expect(200);
    expect(await newest()).toMatchObject({ action: 'users.listed', actor: { address: '203.0.113.77' } });
    await operator.get(`/auth/users/${other}`).expect(200);
  });
});

describe('a change that fails', () => {
  beforeAll(buildApp);

  it('is an event that says so, because it may have happened in part', async () => {
    const id = await submit('ada@example.com');
    const { _id: appId } = (await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId })) ?? {};
    // What names the record cannot be removed: nothing is deleted from a view.
    const deliveries = server.db.collection('deliveries');
    await deliveries.rename('stored_deliveries');
    await server.db.createCollection('deliveries', { viewOn: 'stored_deliveries', pipeline: [] });
    const named = { appId, recordId: new UUID(id), type: 'user.created' };
    await server.db.collection('stored_deliveries').insertOne(named);
    try {
      await operator.delete(`/auth/users/${id}`).expect(500);
    } finally {
      await deliveries.drop();
      await server.db.collection('stored_deliveries').rename('deliveries');
    }
    await operator.get(`/auth/users/${id}`).expect(404);
    expect(await newest()).toMatchObject({ action: 'user.erased', target: id, detail: { incomplete: true } });
  });

  it('is no event when it was refused', async () => {
    const before = await newest();
    await operator.delete(`/auth/users/${randomUUID()}`).expect(404);
    expect(await newest()).toEqual(before);
  });
});
