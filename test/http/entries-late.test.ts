// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { Client } from '../support/server/client.ts';
import { entryToken, PLANS_MAILS } from '../support/server/entries.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { CV, pdf, upload } from '../support/server/uploads.ts';

// A statement of one server is held in the network while another one changes the record.

const FORMER = 'former@example.com';
const NEXT = 'next@example.com';

let main: TestServer;
let slow: TestServer;
let proxy: TcpProxy;
let app: string;
let operator: Client;
let id: string;
let token: string;
beforeAll(async () => {
  main = await startServer(PLANS_MAILS);
  ({ proxy, slow } = await startSlow(PLANS_MAILS, main.database));
  await slow.services.jobs.stop();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});
beforeEach(async () => {
  const built = await main.admin.buildApp({
    fields: [{ key: 'name', kind: 'text' }, { key: 'news', kind: 'checkbox', consent: { version: '1' } }, CV],
  });
  app = built.sourceAppId;
  operator = await new Client(main.client.url).logIn(app, built.password);
  await main.admin.put(`/auth/apps/${app}/form`, { own: {} }).expect(200);
  id = (await main.client.submit(app, { email: FORMER, data: { name: 'Ada', news: true } }).expect(200)).body.id;
  token = await entryToken(main, id);
});

const path = () => `/v1/forms/${app}/entry`;
const change = (edit: object, server = slow, tag?: string) => {
  const request = server.client.patch(path(), edit).set('x-entry', token);
  return (tag === undefined ? request : request.set('If-Match', tag)).then((response) => response);
};
const erase = (server = slow) =>
  server.client
    .delete(path())
    .set('x-entry', token)
    .then((response) => response);
const changeEmail = (email = NEXT) => operator.put(`/auth/users/${id}/email`, { email }).expect(200);
const recordOf = async () => (await operator.get(`/auth/users/${id}`).expect(200)).body;

describe('a change of an entry', () => {
  it('that is late for a change of the email is not stored', async () => {
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change({ set: { name: 'Grace', news: false } });
    const forward = await held;
    await changeEmail();
    await forward();
    expect((await late).status).toBe(401);
    const record = await recordOf();
    expect(record).toMatchObject({ email: NEXT, data: { name: 'Ada', news: true } });
    expect(record.consents).toHaveLength(1);
    expect((await operator.get('/auth/audit?action=entry.changed').expect(200)).body.events).toEqual([]);
  });

  it('that is late for an email that came back is not stored', async () => {
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change({ set: { name: 'Grace' } });
    const forward = await held;
    await changeEmail();
    await changeEmail(FORMER);
    await forward();
    expect((await late).status).toBe(401);
    expect((await recordOf()).data.name).toBe('Ada');
  });

  it('that is late for an erasure is not stored, also for a new record of the email', async () => {
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change({ set: { name: 'Grace' } });
    const forward = await held;
    expect((await erase(main)).status).toBe(200);
    await main.client.submit(app, { email: FORMER, data: { name: 'Eve' } }).expect(200);
    await forward();
    expect([401, 404]).toContain((await late).status);
    const { body } = await operator.get('/auth/users?limit=10').expect(200);
    expect(body.users.map(({ data }: { data: object }) => data)).toMatchObject([{ name: 'Eve' }]);
  });

  it('keeps what others stored meanwhile, or is 412 with If-Match', async () => {
    for (const status of [200, 412]) {
      const { headers } = await main.client.get(path()).set('x-entry', token).expect(200);
      const tag = status === 412 ? headers.etag : undefined;
      const held = proxy.holdNext('findAndModify', 'users');
      const late = change({ set: { name: `Grace ${status}` } }, slow, tag);
      const forward = await held;
      await operator.patch(`/auth/users/${id}`, { set: { news: status === 200 } }).expect(200);
      await forward();
      expect((await late).status).toBe(status);
    }
    expect((await recordOf()).data).toMatchObject({ name: 'Grace 200', news: false });
  });

  it('of two servers in one state is stored once', async () => {
    const { headers } = await main.client.get(path()).set('x-entry', token).expect(200);
    const answers = await Promise.all([
      change({ set: { name: 'One' } }, main, headers.etag),
      change({ set: { name: 'Two' } }, slow, headers.etag),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const { body } = await operator.get(`/auth/users/${id}/history`).expect(200);
    expect(body.entries).toHaveLength(1);
  });

  it('is stored once when the answer of the database is lost', async () => {
    proxy.withholdAnswers('cut', 1);
    const { status } = await change({ set: { name: 'Grace', news: false } });
    expect([200, 503]).toContain(status);
    const record = await recordOf();
    expect(record.data).toMatchObject({ name: 'Grace', news: false });
    expect(record.consents).toHaveLength(2);
    expect((await operator.get(`/auth/users/${id}/history`).expect(200)).body.entries).toHaveLength(1);
  });

  it('claims its files for the record, so that another submission cannot have them', async () => {
    const { token: file } = (await upload(main.client.url, app, pdf())).body;
    const held = proxy.holdNext('findAndModify', 'users');
    const late = change({ set: { cv: [file] } });
    const forward = await held;
    const other = main.client.submit(app, { email: 'eve@example.com', data: { cv: [file] } }).then((one) => one);
    await forward();
    expect((await late).status).toBe(200);
    expect([400, 503]).toContain((await other).status);
    expect((await recordOf()).data.cv).toHaveLength(1);
  });
});

describe('an erasure of an entry', () => {
  it('that is late for a change of the email erases neither the record nor a new one', async () => {
    const held = proxy.holdNext('delete', 'users');
    const late = erase();
    const forward = await held;
    await changeEmail();
    await forward();
    expect((await late).status).toBe(503);
    expect(await recordOf()).toMatchObject({ email: NEXT, data: { name: 'Ada' } });
    expect((await erase()).status).toBe(401);
    expect((await erase(main)).status).toBe(401);
    await recordOf();
  });

  it('that stopped before it deleted the record goes on with the same link', async () => {
    proxy.withholdAnswers('silent', 1);
    const { status } = await erase();
    proxy.restore();
    expect([200, 503]).toContain(status);
    if (status === 503) expect([200, 401]).toContain((await erase(main)).status);
    await operator.get(`/auth/users/${id}`).expect(404);
    const left = await main.db.collection('users').countDocuments({ email: FORMER, sourceAppId: app });
    expect(left).toBe(0);
  });
});
