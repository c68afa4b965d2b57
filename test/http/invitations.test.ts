import { Binary, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewInvitation } from '../../src/features/accounts/invitations.ts';
import { joinApp, PASSWORD, tokenOf } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';

let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
});
afterAll(() => servers.close());

const newClient = (at = servers.a) => new Client(at.client.url);
const operatorOf = ({ sourceAppId, password }: TestApp, at = servers.a) => newClient(at).logIn(sourceAppId, password);
const pathOf = ({ sourceAppId }: TestApp) => `/auth/apps/${sourceAppId}/invitations`;
const accept = (token: string) =>
  newClient(servers.b).post('/auth/invitations/accept', { token, name: 'Ada', password: PASSWORD });

/** Stores an invitation as a server does that stalled after it had checked the inviter. */
async function storeLate(offer: Omit<NewInvitation, 'app'>, app?: TestApp, { services } = servers.a): Promise<string> {
  const live = app && (await services.apps.get(app.sourceAppId));
  const given = live && { app: { id: live.id, sourceAppId: live.sourceAppId, role: 'editor' as const } };
  return (await services.accounts.invitations.create({ ...offer, ...given })).token;
}

async function expectEnded(token: string): Promise<void> {
  await newClient(servers.b).post('/auth/invitations/preview', { token }).expect(410);
  await accept(token).expect(410);
}

describe('an invitation', () => {
  it.each([
    ['was replaced', ({ sourceAppId }: TestApp) => servers.b.admin.post(`/auth/apps/${sourceAppId}/password`)],
    [
      'is refused',
      ({ sourceAppId }: TestApp) =>
        servers.b.admin.put(`/auth/apps/${sourceAppId}/access`, { sharedLogin: false }).expect(200),
    ],
  ])('with the password of an app ends when it %s', { tags: 'long' }, async (_name, end) => {
    const app = await servers.a.admin.buildApp();
    await joinApp(servers.a, app.sourceAppId, 'manager');
    const operator = await operatorOf(app);
    const offer = { email: `ada-${app.sourceAppId}@example.com`, role: 'editor' };
    const { body } = await operator.post(pathOf(app), offer).expect(200);
    const stored = await servers.a.db.collection('invitations').findOne({ email: offer.email });
    expect(stored?.expiresAt - stored?.createdAt).toBe(7 * 24 * 60 * 60_000);
    await end(app).expect(200);
    await expectEnded(tokenOf(body.link));
    expect((await servers.a.admin.get(pathOf(app)).expect(200)).body).toEqual({ invitations: [] });
  });

  it('to the service ends with the password of its admin app', async () => {
    const { password } = await servers.a.services.apps.create('second-admin', 'admin');
    const admin = await newClient().logIn('second-admin', password);
    const { body } = await admin.post('/auth/accounts', { email: 'late@example.com', admin: true }).expect(200);
    const kept = await admin.post('/auth/accounts', { email: 'kept@example.com', admin: true }).expect(200);
    await accept(tokenOf(kept.body.link)).expect(200);
    const { apps, clock } = servers.b.services;
    await apps.rotatePassword('second-admin', clock.within(60_000));
    await expectEnded(tokenOf(body.link));
  });

  it('that is stored late ends with the role of its inviter', async () => {
    const app = await servers.a.admin.buildApp();
    const [suspended, demoted, kept] = [
      await joinApp(servers.a, app.sourceAppId, 'manager'),
      await joinApp(servers.a, app.sourceAppId, 'manager'),
      await joinApp(servers.a, app.sourceAppId, 'manager'),
    ];
    await servers.a.admin.patch(`/auth/accounts/${suspended.id}`, { suspended: true }).expect(200);
    const member = `/auth/apps/${app.sourceAppId}/members/${demoted.id}`;
    await servers.a.admin.patch(member, { role: 'editor' }).expect(200);
    const store = (email: string, { id }: { id: string }) =>
      storeLate({ email: `${email}@example.com`, invitedBy: new ObjectId(id) }, app);
    await expectEnded(await store('of-suspended', suspended));
    await expectEnded(await store('of-demoted', demoted));
    // Managers invite to their app, and admins to the service.
    await expectEnded(await storeLate({ email: 'admin@example.com', admin: true, invitedBy: new ObjectId(kept.id) }));
    await accept(await store('of-manager', kept)).expect(200);
  });
});

describe('the invitations of an app', () => {
  it('are at most 200, also when they are made at once, and those that ended make room', { tags: 'long' }, async () => {
    const app = await servers.a.admin.buildApp();
    const operator = await operatorOf(app);
    const stored = servers.a.db.collection('invitations');
    const first = await operator.post(pathOf(app), { email: 'u@example.com', role: 'viewer' }).expect(200);
    const one = await stored.findOne({ id: first.body.id });
    const copies = Array.from({ length: 196 }, (_, place) => ({
      ...one,
      _id: new Binary(Buffer.from(`copy ${place}`)) as never,
      id: `copy ${place}`,
      email: `copy${place}@example.com`,
      place: place === one?.place ? 199 : place,
    }));
    await stored.insertMany(copies);
    const invitedWith = one?.invitedWith;
    const answers = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) => {
        const at = index % 2 === 0 ? servers.a : servers.b;
        return storeLate({ email: `u${index}@example.com`, ...(invitedWith && { invitedWith }) }, app, at);
      }),
    );
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.message] : []));
    expect(refused).toEqual(Array(13).fill('An app has at most 200 open invitations; delete one first'));
    const sourceAppId = { 'app.sourceAppId': app.sourceAppId };
    expect(await stored.countDocuments(sourceAppId)).toBe(200);
    await servers.a.admin.post(pathOf(app), { email: 'full@example.com', role: 'viewer' }).expect(409);
    await servers.b.admin.post(`/auth/apps/${app.sourceAppId}/password`).expect(200);
    await servers.a.admin.post(pathOf(app), { email: 'room@example.com', role: 'viewer' }).expect(200);
    expect(await stored.countDocuments(sourceAppId)).toBe(1);
  });
});

describe('emails with invitations', () => {
  it('are at most three to one address in a day, over all apps and servers', { tags: 'long' }, async () => {
    const email = 'stranger@example.com';
    for (let sent = 0; sent < 5; sent += 1) {
      const at = sent % 2 === 0 ? servers.a : servers.b;
      const app = await servers.a.admin.buildApp();
      const { body } = await at.admin.post(pathOf(app), { email, role: 'viewer' }).expect(200);
      expect((await newClient().post('/auth/invitations/preview', { token: tokenOf(body.link) })).status).toBe(200);
    }
    const { body } = await servers.b.admin.post('/auth/accounts', { email }).expect(200);
    expect(tokenOf(body.link)).not.toBe('');
    await servers.b.admin.post('/auth/accounts', { email: 'another@example.com' }).expect(200);
    await expect.poll(() => servers.smtp.to('another@example.com').length).toBe(1);
    await expect.poll(() => servers.smtp.to(email).length).toBe(3);
  });
});

describe('an acceptance that fails late', () => {
  const inTime = () => servers.a.services.clock.within(60_000);
  type Invited = { app: TestApp; id: string; email: string };

  it.each<[string, (invited: Invited) => PromiseLike<unknown>]>([
    [
      'was withdrawn',
      ({ app, id }) =>
        servers.b.admin.delete(`${pathOf(app)}/${id}`).then(({ status }) => expect([200, 404]).toContain(status)),
    ],
    ['was replaced', ({ app, email }) => servers.b.admin.post(pathOf(app), { email, role: 'editor' }).expect(200)],
    ['was erased', ({ email }) => servers.b.services.accounts.invitations.forget(email, inTime())],
  ])('does not give an invitation back that %s meanwhile', async (_name, end) => {
    const app = await servers.a.admin.buildApp();
    const email = `taken-${app.sourceAppId}@example.com`;
    const { body } = await servers.a.admin.post(pathOf(app), { email, role: 'editor' }).expect(200);
    const token = tokenOf(body.link);
    const { invitations } = servers.a.services.accounts;
    const taken = await invitations.take(token, inTime());
    await end({ app, id: body.id, email });
    await invitations.giveBack(taken);
    await expectEnded(token);
    const listed = await servers.a.admin.get(pathOf(app)).expect(200);
    expect(listed.body.invitations.map(({ id }: { id: string }) => id)).not.toContain(body.id);
  });

  it('does not open an invitation for another acceptance that is in progress', async () => {
    const app = await servers.a.admin.buildApp();
    const email = `taken-${app.sourceAppId}@example.com`;
    const { body } = await servers.a.admin.post(pathOf(app), { email, role: 'editor' }).expect(200);
    const token = tokenOf(body.link);
    const { invitations } = servers.a.services.accounts;
    const first = await invitations.take(token, inTime());
    await accept(token).expect(410);
    await invitations.giveBack(first);
    await invitations.take(token, inTime());
    await invitations.giveBack(first);
    await accept(token).expect(410);
  });
});
