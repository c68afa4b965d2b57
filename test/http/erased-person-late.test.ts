// @module-tag long

import { Binary, UUID } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Unavailable } from '../../src/platform/core/errors.ts';
import { holdJob } from '../support/database/held-job.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { storeFile } from '../support/server/files.ts';
import { prepareImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

// A server stops in the erasure of a person, and goes on when an operator has restored the data.

const EMAIL = 'p0@x.org';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

const later = () => new Date(Date.now() + 3_600_000);

/** Stores an app with something of the person in each part. */
async function appWithPerson() {
  const { admin, db } = server;
  const { sourceAppId } = await admin.buildApp();
  const { _id: appId } = await appDocument(server, sourceAppId);
  await storePeople(server, sourceAppId, 1, () => ({ name: 'Ada' }));
  await untilChange(admin, sourceAppId, await beginChange(admin, sourceAppId, 1, { set: { name: 'Grace' } }));
  const scope = `?sourceAppId=${sourceAppId}`;
  await admin.post(`/auth/views${scope}`, { name: 'One', query: `email=${EMAIL}` }).expect(200);
  await prepareImport(admin, sourceAppId, `email\n${EMAIL}\n`);
  const { body } = await admin.get(`/auth/users${scope}`).expect(200);
  expect(body.users).toMatchObject([{ email: EMAIL }]);
  const record = new UUID(body.users[0].id);
  const [id, now] = [new UUID(v7()), new Date()];
  const of = { appId, recordId: record };
  const insert = (collection: string, document: object) => db.collection(collection).insertOne(document as never);
  await insert('held_submissions', {
    _id: id,
    appId,
    email: EMAIL,
    data: {},
    reason: 'spam',
    schemaVersion: 1,
    at: now,
    expiresAt: later(),
    size: 1,
  });
  await insert('deliveries', { _id: 'a', ...of, type: 'user.created', at: now, state: 'delivered', log: [] });
  await insert('mails', { _id: 'a', ...of, purpose: 'each', state: 'sent', createdAt: now, expiresAt: later() });
  await insert('submissions', {
    _id: id,
    appId,
    s0: EMAIL,
    email: EMAIL,
    userId: record,
    data: {},
    createdAt: now,
  });
  const entry = { revision: 0, at: now, by: { kind: 'operator' }, changes: [] };
  const place = Buffer.concat([appId.id, record.buffer, Buffer.of(1, 0, 0, 0, 0)]);
  await insert('history', { _id: new Binary(place), appId, newestAt: now, entries: [entry] });
  await db.collection('users').updateOne({ appId }, { $set: { movedHistory: true } });
  await storeFile(db, sourceAppId, Buffer.from('content'), { record });
  const conditions = { all: [{ field: 'email', op: 'eq', value: EMAIL }] };
  const webhook = { url: 'https://example.org/hook', events: ['user.created'], if: conditions };
  await admin.post(`/auth/webhooks${scope}`, webhook).expect(200);
  await admin.put(`/auth/apps/${sourceAppId}/form`, { title: 'Contact' }).expect(200);
  // Without the settings of email, which the test does not need.
  const routes = [{ if: { ...conditions, version: 1 }, emails: ['team@x.org'] }];
  const notify = { emails: [], when: 'each', routes };
  await db.collection('apps').updateOne({ _id: appId }, { $set: { 'form.notify': notify } });
  return { appId, scope };
}

it('a part of a person that is removed late stays', async () => {
  const { appId, scope } = await appWithPerson();
  for (const job of ['events', 'files']) await holdJob(server, job);
  const read = async () => {
    const { body } = await server.admin
      .post(`/auth/people/export${scope}`, { email: EMAIL })
      .set('Accept', 'application/json')
      .expect(200);
    const { entries } = body as { entries: { kind: string }[] };
    const files = await server.db.collection('files.files').find({ 'metadata.appId': appId }).toArray();
    return { entries, files: files.map(({ metadata }) => metadata.state) };
  };
  const before = await read();
  expect(before.files).toEqual(['whole']);
  const kinds = before.entries.map(({ kind }) => kind);
  for (const kind of ['held', 'import-line', 'change', 'history', 'delivery', 'mail', 'submission', 'view', 'record']) {
    expect(kinds).toContain(kind);
  }
  // Of a route and of a webhook.
  expect(kinds.filter((kind) => kind === 'condition')).toHaveLength(2);
  for (const { name, eraseOf } of server.services.features.flatMap(({ personal = [] }) => personal)) {
    let asked = 0;
    const guard = async () => {
      asked += 1;
      if (asked > 1) throw new Unavailable();
      return new Date(0);
    };
    const status = await eraseOf([appId], EMAIL, guard).then(
      () => 200,
      (error) => error.status,
    );
    expect({ name, status, ...(await read()) }).toEqual({ name, status: 503, ...before });
  }
  await server.admin.post(`/auth/people/erase${scope}`, { email: EMAIL }).expect(200);
  expect(await read()).toEqual({ entries: [], files: [] });
});
