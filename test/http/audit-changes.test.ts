import { beforeEach, describe, expect, it } from 'vitest';
import { changesBetween } from '../../src/platform/core/value-changes.ts';
import { joinApp } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

interface Detail {
  changes?: { path: string; before?: unknown; after?: unknown }[];
  moreChanges?: number;
}

let server: TestServer;
let app: TestApp;
let operator: Client;
let path: string;
beforeEach(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
  path = `/auth/apps/${app.sourceAppId}`;
});

/** The detail of the newest event of an action. */
async function detailOf(action: string): Promise<Detail> {
  const query = `?sourceAppId=${app.sourceAppId}&action=${action}&limit=1`;
  return (await server.admin.get(`/auth/audit${query}`).expect(200)).body.events[0].detail;
}
const changesOf = async (action: string) => (await detailOf(action)).changes;

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the changes of an event (spec 4.9)', () => {
  it('have each setting of forms, and of secrets, images and emails no more than that they changed', async () => {
    const captcha = { siteKey: 'site', secret: 'first-captcha-secret' };
    const first = { title: 'News', theme: { accent: '#1f5fd6', logo: PIXEL }, botProtection: 'turnstile', captcha };
    await operator.put(`${path}/form`, first).expect(200);
    const begun = await changesOf('form.replaced');
    expect(begun).toContainEqual({ path: 'theme.logo', after: '…' });
    expect(begun).toContainEqual({ path: 'captcha.secret', after: '…' });
    const theme = { accent: '#0a7d38', logo: PIXEL };
    const replaced = { ...first, theme, captcha: { ...captcha, secret: 'second-captcha-secret' } };
    await operator.put(`${path}/form`, { ...replaced, description: 'Write to ada@example.com.' }).expect(200);
    const changed = await changesOf('form.replaced');
    expect(changed?.sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: 'captcha.secret', before: '…', after: '…' },
      { path: 'description', after: 'Write to ….' },
      { path: 'theme.accent', before: '#1f5fd6', after: '#0a7d38' },
    ]);
    await operator.put(`${path}/form`, { ...replaced, description: 'Write to ada@example.com.' }).expect(200);
    expect(await detailOf('form.replaced')).toEqual({});
  });

  it('have the settings of records', async () => {
    await operator.put(`${path}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    await operator.put(`${path}/retention`, { days: 60, basis: 'createdAt' }).expect(200);
    expect(await changesOf('retention.replaced')).toEqual([{ path: 'days', before: 30, after: 60 }]);
    await operator.put(`${path}/history`, { submissions: true, days: 30 }).expect(200);
    expect(await changesOf('history.replaced')).toEqual([
      { path: 'submissions', before: false, after: true },
      { path: 'days', before: 90, after: 30 },
    ]);
    await operator.put(`${path}/search`, { enabled: true }).expect(200);
    expect(await changesOf('search.replaced')).toEqual([{ path: 'enabled', before: false, after: true }]);
  });

  it('have the fields of a schema and their properties, and the order', async () => {
    const age = { key: 'age', kind: 'number', label: 'Age' } as const;
    const name = { key: 'name', kind: 'text', required: true, maxLength: 20 } as const;
    await server.admin.putSchema(app.sourceAppId, { fields: [name, age] }).expect(200);
    const added = await changesOf('schema.replaced');
    expect(added).toContainEqual({ path: 'fields.name.required', before: false, after: true });
    expect(added).toContainEqual({ path: 'fields.name.maxLength', after: 20 });
    expect(added).toContainEqual({ path: 'fields.age.kind', after: 'number' });
    await server.admin.putSchema(app.sourceAppId, { fields: [age, name] }).expect(200);
    const order = { path: 'fields', before: 'name, age', after: 'age, name' };
    expect(await changesOf('schema.replaced')).toEqual([order]);
  });

  it('have roles and the shared log-in', async () => {
    const member = await joinApp(server, app.sourceAppId, 'viewer');
    await server.admin.patch(`${path}/members/${member.id}`, { role: 'manager' }).expect(200);
    expect(await changesOf('member.changed')).toEqual([{ path: 'role', before: 'viewer', after: 'manager' }]);
    await server.admin.put(`${path}/access`, { sharedLogin: false }).expect(200);
    expect(await changesOf('access.replaced')).toEqual([{ path: 'sharedLogin', before: true, after: false }]);
    await server.admin.put(`${path}/access`, { sharedLogin: true }).expect(200);
    expect(await changesOf('access.replaced')).toEqual([{ path: 'sharedLogin', before: false, after: true }]);
    await server.admin.delete(`${path}/members/${member.id}`).expect(200);
    expect(await changesOf('member.removed')).toEqual([{ path: 'role', before: 'manager' }]);
  });

  it('have webhooks without their URLs, and what a key may do', async () => {
    const url = 'https://receiver.example.com/events?token=first-token';
    const { body } = await operator.post('/auth/webhooks', { url, events: ['user.created'] }).expect(200);
    expect(await changesOf('webhook.created')).toContainEqual({ path: 'url', after: '…' });
    const change = { url: url.replace('first', 'second'), enabled: false };
    await operator.patch(`/auth/webhooks/${body.id}`, change).expect(200);
    expect(await changesOf('webhook.changed')).toEqual([
      { path: 'url', before: '…', after: '…' },
      { path: 'enabled', before: true, after: false },
    ]);
    await createKey(server, operator, ['export', 'users:read']);
    expect(await changesOf('key.created')).toEqual([{ path: 'scopes', after: 'export, users:read' }]);
  });

  it('are not of records', async () => {
    const { body } = await server.client
      .submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } })
      .expect(200);
    await operator.patch(`/auth/users/${body.id}`, { set: { name: 'Grace' } }).expect(200);
    expect(await detailOf('user.changed')).toEqual({});
  });

  it('are few and short, whatever is sent, and tell how many more there are', () => {
    const fields = (label: string) =>
      Array.from({ length: 60 }, (_, at) => ({ key: `f${at}`, label: `${label}${at}` }));
    const many = changesBetween({ fields: fields('a') }, { fields: fields('b') });
    expect(many.changes).toHaveLength(50);
    expect(many.more).toBe(10);
    const long = (end: string) =>
      Array.from({ length: 60 }, (_, at) => ({ key: `f${at}`, label: 'x'.repeat(900) + end }));
    const cut = changesBetween(long('one'), long('two'));
    expect(JSON.stringify(cut.changes).length).toBeLessThan(4_100);
    expect(cut.changes.length + cut.more).toBe(60);
    const same = `…${'x'.repeat(20)}`;
    expect(cut.changes[0]).toEqual({ path: 'f0.label', before: `${same}one`, after: `${same}two` });
    const [{ after } = {}] = changesBetween({}, { text: 'x'.repeat(900) }).changes;
    expect(after).toBe(`${'x'.repeat(200)}…`);
  });
});
