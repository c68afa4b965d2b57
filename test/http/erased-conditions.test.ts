import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPersonRoutes } from '../../src/features/form-settings/person-routes.ts';
import {
  createWebhookModel,
  createWebhookStore,
  createWebhooksOfPerson,
} from '../../src/features/webhooks/webhooks.model.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import type { TestServer } from '../support/server/server.ts';

const ADA = 'ada@example.com';
const EVE = 'eve@example.com';
const eq = (value: string) => ({ field: 'email', op: 'eq', value });
const IS_ADA = { all: [eq(ADA)] };
const IS_NO_ADA = { all: [{ field: 'email', op: 'ne', value: ADA }] };
const IS_ONE = { any: [{ field: 'email', op: 'in', value: [ADA, EVE] }, eq(ADA)] };
/** None of these is the email. */
const OF_OTHERS = {
  any: [
    eq(`x${ADA}`),
    { field: 'email', op: 'contains', value: '@example.com' },
    { field: 'name', op: 'eq', value: ADA },
  ],
};

let servers: MailServers;
let a: TestServer;
let app: string;
let appId: ObjectId;
beforeAll(async () => {
  servers = await startMailServers();
  ({ a } = servers);
});
afterAll(() => servers.close());
beforeEach(async () => {
  app = (await a.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] })).sourceAppId;
  appId = (await appDocument(a, app))._id as ObjectId;
});

const formPath = () => `/auth/apps/${app}/form`;
const of = (path: string) => `${path}?sourceAppId=${app}`;
const route = (conditions: object, name: string) => ({ if: conditions, emails: [`${name}@team.org`] });
const setRoutes = (routes: object[], server = a) =>
  server.admin.put(formPath(), { title: 'Contact', notify: { when: 'each', routes } }).expect(200);
const form = async () => a.admin.get(formPath()).expect(200);
const hook = async (conditions: object): Promise<string> =>
  (
    await a.admin
      .post(of('/auth/webhooks'), { url: 'https://example.org/hook', events: ['user.created'], if: conditions })
      .expect(200)
  ).body.id;
const hooks = async () => (await a.admin.get(of('/auth/webhooks')).expect(200)).body.webhooks;
const erase = async (email = ADA) => (await a.admin.post(of('/auth/people/erase'), { email }).expect(200)).body.erased;

/** What is stored of the conditions of the app. */
async function stored(): Promise<string> {
  const { form: settings } = await appDocument(a, app);
  const webhooks = await a.db.collection('webhooks').find({ appId }).toArray();
  return JSON.stringify([settings?.notify, webhooks.map((one) => one.if)]);
}

describe('the erasure of a person (spec 4.6)', () => {
  it('takes the email out of conditions, which stay with a problem', async () => {
    await setRoutes([route(IS_ADA, 'one'), route(OF_OTHERS, 'two')]);
    await hook(IS_ONE);
    await hook(OF_OTHERS);
    const before = (await form()).headers.etag ?? '';
    const { body: exported } = await a.admin.post(of('/auth/people/export'), { email: 'Ada@Example.com' }).expect(200);
    const [{ id }] = await hooks();
    expect(exported.entries).toEqual([
      { kind: 'condition', sourceAppId: app, if: IS_ADA },
      { kind: 'condition', sourceAppId: app, webhook: id, if: IS_ONE },
    ]);

    expect(await erase('Ada@Example.com')).toMatchObject({ conditions: 2, records: 0 });
    expect((await stored()).replaceAll(`x${ADA}`, '').replaceAll(JSON.stringify(OF_OTHERS.any[2]), '')).not.toContain(
      ADA,
    );
    const [one, two] = (await form()).body.notify.routes;
    expect(one).toMatchObject({
      if: { all: [eq('…')] },
      emails: ['one@team.org'],
      problem: { path: 'if.all.0.value', code: 'notEmail' },
    });
    expect(two).toEqual(route(OF_OTHERS, 'two'));
    expect(await hooks()).toMatchObject([
      { if: { any: [{ field: 'email', op: 'in', value: ['…', EVE] }, eq('…')] }, problem: { code: 'notEmail' } },
      { if: OF_OTHERS },
    ]);
    expect(await erase()).toMatchObject({ conditions: 0 });
    const { body: after } = await a.admin.post(of('/auth/people/export'), { email: ADA }).expect(200);
    expect(after.entries).toEqual([]);

    // Settings that were read before are refused; those that were read since can be sent back.
    const sent = { title: 'Contact', notify: { when: 'each', routes: [route(IS_ADA, 'one')] } };
    await a.admin.put(formPath(), sent).set('If-Match', before).expect(412);
    const { body: shown, headers } = await form();
    const { refusedOrigins: _, ignoredRedirects: __, ...settings } = shown;
    await a.admin
      .put(formPath(), settings)
      .set('If-Match', headers.etag ?? '')
      .expect(200);
  });

  it('widens and narrows nothing for others', async () => {
    await setRoutes([route(IS_ADA, 'is-ada'), route(IS_NO_ADA, 'no-ada'), route(IS_ONE, 'one-of')]);
    await erase();
    const { smtp } = servers;
    smtp.mails.length = 0;
    for (const email of [EVE, 'bob@example.com']) await a.client.submit(app, { email }).expect(200);
    const wake = () => a.services.jobs.wake('mails');
    const received = () => {
      wake();
      return smtp.mails.flatMap(({ to }) => to).toSorted();
    };
    await expect.poll(received).toEqual(['no-ada@team.org', 'no-ada@team.org', 'one-of@team.org']);
  });

  it('leaves the conditions of other apps', async () => {
    await setRoutes([route(IS_ADA, 'one')]);
    const other = app;
    app = (await a.admin.buildApp()).sourceAppId;
    expect(await erase()).toMatchObject({ conditions: 0 });
    app = other;
    expect(await stored()).toContain(ADA);
    // An admin erases in all apps.
    const { body } = await a.admin.post('/auth/people/erase', { email: ADA }).expect(200);
    expect(body.erased.conditions).toBe(1);
    expect(await stored()).not.toContain(ADA);
  });

  it('keeps what another server stored meanwhile, without the email', async () => {
    await setRoutes([route(IS_ADA, 'one')]);
    const id = await hook(IS_ADA);
    const { model, revision } = a.services.core.apps;
    let writes = 0;
    /** Another request writes between the read and the write of the erasure. */
    const guardWith = (write: () => Promise<unknown>) => async () => {
      writes += 1;
      if (writes === 1) await write();
      return new Date(Date.now() + 60_000);
    };
    const routes = createPersonRoutes(model, revision);
    const later = [route(IS_NO_ADA, 'two'), route(OF_OTHERS, 'three')];
    expect(
      await routes.eraseOf(
        [appId],
        ADA,
        guardWith(() => setRoutes(later, servers.b)),
      ),
    ).toBe(1);
    expect((await form()).body.notify.routes.map(({ emails }: { emails: string[] }) => emails[0])).toEqual([
      'two@team.org',
      'three@team.org',
    ]);
    expect((await form()).body.notify.routes[0].if).toEqual({ all: [{ field: 'email', op: 'ne', value: '…' }] });
    expect(writes).toBe(2);

    writes = 0;
    const webhooks = createWebhooksOfPerson(createWebhookStore(createWebhookModel(a.connection)));
    const patch = () =>
      servers.b.admin
        .patch(of(`/auth/webhooks/${id}`), { if: { all: [eq(EVE)] }, url: 'https://example.org/new' })
        .expect(200);
    expect(await webhooks.eraseOf([appId], ADA, guardWith(patch))).toBe(0);
    expect(await hooks()).toMatchObject([{ if: { all: [eq(EVE)] }, url: 'https://example.org/new' }]);
  });

  it('writes nothing when its time is over', async () => {
    await setRoutes([route(IS_ADA, 'one')]);
    await hook(IS_ADA);
    const { model, revision } = a.services.core.apps;
    const late = async () => new Date(Date.now() - 60_000);
    const parts = [
      createPersonRoutes(model, revision),
      createWebhooksOfPerson(createWebhookStore(createWebhookModel(a.connection))),
    ];
    for (const part of parts) await expect(part.eraseOf([appId], ADA, late)).rejects.toThrow();
    const [{ if: conditions }] = await hooks();
    expect(conditions).toEqual(IS_ADA);
    expect((await form()).body.notify.routes).toEqual([route(IS_ADA, 'one')]);
  });
});
