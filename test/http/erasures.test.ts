import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/** What erasures take and leave: for their age, by a query, and of a person (spec 4.3 and 4.6). */

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Only a test wakes the job. */
const RARE = { retentionEveryMs: 3_600_000 };
const newId = createOrderedIds();

let proxy: TcpProxy;
/** The server that erases, whose statements the proxy can hold. */
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  other = await startServer({}, undefined, RARE);
  await other.services.jobs.stop();
  // A statement that is held takes as long as what a test does meanwhile.
  server = await startServer({ MONGODB_URI: uri.href }, other.database, { ...RARE, deadlineMs: 30_000 });
});
afterAll(async () => {
  await server.close();
  await other.close();
  await proxy.close();
});

const users = () => other.db.collection('users');

/** How many days ago records were created and updated, by name. */
type Ages = Record<string, [created: number, updated: number]>;

async function appWith(ages: Ages): Promise<string> {
  const { sourceAppId } = await other.admin.buildApp();
  const { _id: appId } = await appDocument(other, sourceAppId);
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
  const records = Object.entries(ages).map(([name, [created, updated]]) => ({
    _id: newId(ago(created)) as never,
    appId,
    sourceAppId,
    email: `${name}@x.org`,
    data: {},
    schemaVersion: 1,
    createdAt: ago(created),
    updatedAt: ago(updated),
  }));
  await users().insertMany(records);
  return sourceAppId;
}

const namesOf = async (sourceAppId: string) =>
  (await users().find({ sourceAppId }).toArray()).map(({ email }) => email.split('@')[0]).toSorted();

it('an app erases what is old by its basis, no record that changes just before, and none of another app', async () => {
  const ages: Ages = { old: [40, 40], late: [40, 40], changed: [40, 5], young: [29, 29] };
  const app = await appWith(ages);
  const kept = await appWith(ages);
  await other.admin.put(`/auth/apps/${app}/retention`, { days: 30, basis: 'updatedAt' }).expect(200);
  const held = proxy.holdNext('delete', 'users');
  server.services.jobs.wake('retention');
  const forward = await held;
  await other.client.submit(app, { email: 'late@x.org' }).expect(200);
  await forward();
  expect(await namesOf(app)).toEqual(['changed', 'late', 'young']);
  expect(await namesOf(kept)).toEqual(Object.keys(ages).toSorted());
});

it('a query erases no record that stops to match between the count and the deletion', async () => {
  const { sourceAppId: app } = await other.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
  const submit = (name: string, n: number) =>
    other.client.submit(app, { email: `${name}@x.org`, data: { n } }).expect(200);
  for (const name of ['stays', 'goes']) await submit(name, 1);
  const held = proxy.holdNext('delete', 'users');
  const erased = server.admin.delete(`/auth/users?sourceAppId=${app}&where=data.n:eq:1&confirm=2`).then((one) => one);
  const forward = await held;
  await submit('stays', 2);
  await forward();
  expect((await erased).body).toEqual({ ok: true, deletedUsers: 1 });
  expect(await namesOf(app)).toEqual(['stays']);
});

it('an operator erases a person in the own app, and an admin in every app', async () => {
  const [one, two] = [await other.admin.buildApp(), await other.admin.buildApp()];
  const persons = ['eve', 'person'];
  for (const { sourceAppId } of [one, two])
    for (const name of persons)
      await other.client.submit(sourceAppId, { email: `${name}@x.org`, data: {} }).expect(200);
  const left = () => Promise.all([one, two].map(({ sourceAppId }) => namesOf(sourceAppId)));
  const operator = await new Client(other.client.url).logIn(one.sourceAppId, one.password);
  await operator.post('/auth/people/erase', { email: 'Person@x.org' }).expect(200);
  expect(await left()).toEqual([['eve'], persons]);
  await other.admin.post('/auth/people/erase', { email: 'person@x.org' }).expect(200);
  expect(await left()).toEqual([['eve'], ['eve']]);
});
