// @module-tag long

import { ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { joinApp, logIn, PASSWORD, tokenOf } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A server whose statement is held in the network until the deadline of its request has passed.
// Meanwhile another server has answered a newer request, which the late statement must not undo.

/** A setting of an app, which each row has for itself, or of an account. */
interface Setting {
  name: string;
  /** The command and the collection of the statement that is held. */
  held: [command: string, collection: string];
  /** Sends the older request, with a client of the server whose statement is held. */
  older(at: Client): PromiseLike<{ status: number }>;
  newer(at: Client): PromiseLike<{ status: number }>;
  /** What the newer request decided. */
  stored(): Promise<unknown>;
}

let main: TestServer;
let slow: TestServer;
let proxy: TcpProxy;

const documents = (name: string) => main.db.collection(name);

const text = (label: string) => ({ rejectUnknown: false, fields: [{ key: 'name', label, kind: 'text' as const }] });

/** Returns the settings of one app. */
async function ofApp(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  const path = `/auth/apps/${sourceAppId}`;
  const app = async () => documents('apps').findOne({ sourceAppId });
  const scope = `?sourceAppId=${sourceAppId}`;
  const hook = { url: 'https://example.com/hook', events: ['user.created'] };
  const webhook = (await main.admin.post(`/auth/webhooks${scope}`, hook).expect(200)).body.id;
  const rotated = (await main.admin.post(`/auth/webhooks${scope}`, hook).expect(200)).body.id;
  const view = async () => (await main.admin.post(`/auth/views${scope}`, { name: 'View', shared: true })).body.id;
  const [changed, deleted] = [await view(), await view()];
  const nameOf = async (id: string) => (await documents('views').findOne({ _id: new ObjectId(id) }))?.name;
  const webhooks = async () => (await main.admin.get(`/auth/webhooks${scope}`).expect(200)).body.webhooks;
  const member = async (role: string) => (await joinApp(main, sourceAppId, role)).id;
  const [demoted, kept] = [await member('manager'), await member('viewer')];
  await member('manager');
  const raised = await joinApp(main, sourceAppId, 'viewer');
  const invitation = await main.admin.post(`${path}/invitations`, { email: raised.email, role: 'manager' }).expect(200);
  const roleOf = async (id: string) => {
    const { body } = await main.admin.get(`${path}/members`).expect(200);
    return body.members.find((one: { id: string }) => one.id === id)?.role;
  };
  const patch = (to: string, body: object) => (at: Client) => at.patch(`${path}${to}`, body);
  const put = (to: string, body: object | null) => (at: Client) =>
    at.put(`${path}${to}`).send(JSON.stringify(body)).type('json');
  const submission = { email: 'ada@example.com', data: { name: 'Ada' } };
  const record = (await main.client.submit(sourceAppId, submission).expect(200)).body.id;
  const deletedApp = (await main.admin.buildApp()).sourceAppId;
  return [
    {
      name: 'a password of an app',
      held: ['findAndModify', 'apps'],
      older: (at) => at.post(`${path}/password`, {}),
      newer: (at) => at.post(`${path}/password`, {}),
      stored: async () => (await app())?.credentialId,
    },
    {
      name: 'the deletion of an app',
      held: ['findAndModify', 'apps'],
      older: (at) => at.delete(`/auth/apps/${deletedApp}`),
      newer: (at) => at.putSchema(deletedApp, text('Newer')),
      stored: async () => {
        const stored = await documents('apps').findOne({ sourceAppId: deletedApp });
        return { exists: stored !== null, deletingSince: stored?.deletingSince };
      },
    },
    {
      name: 'the role by an invitation',
      held: ['update', 'access'],
      older: async () => {
        const client = new Client(slow.client.url);
        await logIn(client, raised.email).expect(200);
        return client.post('/auth/invitations/accept', { token: tokenOf(invitation.body.link), name: 'Name' });
      },
      newer: patch(`/members/${raised.id}`, { role: 'editor' }),
      stored: () => roleOf(raised.id),
    },
    {
      name: 'settings of forms',
      held: ['findAndModify', 'apps'],
      older: put('/form', { title: 'Older' }),
      newer: put('/form', { title: 'Newer' }),
      stored: async () => (await app())?.form.title,
    },
    {
      name: 'a retention',
      held: ['update', 'apps'],
      older: put('/retention', { days: 1, basis: 'createdAt' }),
      newer: put('/retention', null),
      stored: async () => (await app())?.retention,
    },
    {
      name: 'settings of the history',
      held: ['findAndModify', 'apps'],
      older: put('/history', { submissions: false, days: 1 }),
      newer: put('/history', { submissions: true, days: 100 }),
      stored: async () => (await app())?.history,
    },
    {
      name: 'the index of words',
      held: ['update', 'apps'],
      older: put('/search', { enabled: true }),
      newer: put('/search', { enabled: false }),
      stored: async () => (await app())?.words,
    },
    {
      name: 'a shared log-in',
      held: ['findAndModify', 'access'],
      older: put('/access', { sharedLogin: true }),
      newer: put('/access', { sharedLogin: false }),
      stored: async () => [(await app())?.sharedLogin, (await main.admin.get(`${path}/access`)).body.sharedLogin],
    },
    {
      name: 'the role of a member',
      held: ['findAndModify', 'access'],
      older: patch(`/members/${demoted}`, { role: 'manager' }),
      newer: patch(`/members/${demoted}`, { role: 'viewer' }),
      stored: () => roleOf(demoted),
    },
    {
      name: 'the removal of a member',
      held: ['findAndModify', 'access'],
      older: (at) => at.delete(`${path}/members/${kept}`),
      newer: patch(`/members/${kept}`, { role: 'editor' }),
      stored: () => roleOf(kept),
    },
    {
      name: 'a webhook',
      held: ['findAndModify', 'webhooks'],
      older: (at) => at.patch(`/auth/webhooks/${webhook}${scope}`, { enabled: false }),
      newer: (at) => at.patch(`/auth/webhooks/${webhook}${scope}`, { enabled: true, events: ['user.erased'] }),
      stored: webhooks,
    },
    {
      name: 'the secret of a webhook',
      held: ['update', 'webhooks'],
      older: (at) => at.post(`/auth/webhooks/${rotated}/rotate-secret${scope}`),
      newer: (at) => at.post(`/auth/webhooks/${rotated}/rotate-secret${scope}`),
      stored: async () => (await documents('webhooks').find({ sourceAppId }).toArray()).map(({ secrets }) => secrets),
    },
    {
      name: 'a view',
      held: ['findAndModify', 'views'],
      older: (at) => at.patch(`/auth/views/${changed}${scope}`, { name: 'Older' }),
      newer: (at) => at.patch(`/auth/views/${changed}${scope}`, { name: 'Newer' }),
      stored: () => nameOf(changed),
    },
    {
      name: 'the deletion of a view',
      held: ['delete', 'views'],
      older: (at) => at.delete(`/auth/views/${deleted}${scope}`),
      newer: (at) => at.patch(`/auth/views/${deleted}${scope}`, { name: 'Newer' }),
      stored: () => nameOf(deleted),
    },
    {
      name: 'a value of a record',
      held: ['findAndModify', 'users'],
      older: (at) => at.patch(`/auth/users/${record}${scope}`, { set: { name: 'Older' } }),
      newer: (at) => at.patch(`/auth/users/${record}${scope}`, { set: { name: 'Newer' } }),
      stored: async () => (await documents('users').findOne({ sourceAppId }))?.data,
    },
    {
      name: 'a schema',
      held: ['insert', 'schema_versions'],
      older: (at) => at.putSchema(sourceAppId, text('Older')),
      newer: (at) => at.putSchema(sourceAppId, text('Newer')),
      stored: async () => (await main.admin.get(`${path}/schema`).expect(200)).body,
    },
  ];
}

/** Returns the mark of a kept submission. */
async function ofInbox(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  await main.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
  const app = await documents('apps').findOne({ sourceAppId });
  const [_id, email, now] = [new UUID(), 'ada@example.com', new Date()];
  const own = { _id, appId: app?._id, sourceAppId, email, s0: email, userId: new UUID(), data: {}, schemaVersion: 1 };
  const kept = { ...own, createdAt: now, updatedAt: now, revision: 1, created: true };
  await documents('submissions').insertOne(kept as never);
  const path = `/auth/submissions/${_id}?sourceAppId=${sourceAppId}`;
  return [
    {
      name: 'the mark of a kept submission',
      held: ['update', 'submissions'],
      older: (at) => at.patch(path, { done: true }),
      newer: (at) => at.patch(path, { done: false }),
      stored: async () => (await documents('submissions').findOne({ sourceAppId }))?.done,
    },
  ];
}

/** Returns what else belongs to the webhooks of one app. */
async function ofWebhooks(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  const scope = `?sourceAppId=${sourceAppId}`;
  const hook = { url: 'https://example.com/hook', events: ['user.created'] };
  const create = (at: Client) => at.post(`/auth/webhooks${scope}`, hook);
  const [kept, enabled] = [(await create(main.admin).expect(200)).body.id, (await create(main.admin)).body.id];
  const enable = (id: string) => (at: Client) => at.patch(`/auth/webhooks/${id}${scope}`, { enabled: true });
  const app = await documents('apps').findOne({ sourceAppId });
  const [webhookId, at] = [new UUID(enabled), new Date()];
  await main.db.collection<{ _id: string; [member: string]: unknown }>('deliveries').insertOne({
    _id: `${new UUID()}:${enabled}`,
    webhookId,
    appId: app?._id,
    recordId: new UUID(),
    type: 'user.created',
    revision: 1,
    at,
    state: 'waiting',
    attempts: 0,
    log: [],
    nextAt: at,
    expiresAt: new Date(Date.now() + 60_000),
  });
  return [
    {
      name: 'the deletion of a webhook',
      held: ['aggregate', 'webhooks'],
      older: (from) => from.delete(`/auth/webhooks/${kept}${scope}`),
      newer: enable(kept),
      stored: async () => {
        const byId = { _id: new UUID(kept) as never };
        return [await documents('webhooks').countDocuments(byId), await documents('deleted_webhooks').findOne(byId)];
      },
    },
    {
      name: 'the deliveries of a webhook that is switched off',
      held: ['update', 'deliveries'],
      older: (from) => from.patch(`/auth/webhooks/${enabled}${scope}`, { enabled: false }),
      newer: enable(enabled),
      stored: async () => (await documents('deliveries').findOne({ webhookId }))?.state,
    },
    {
      name: 'the events of a webhook',
      held: ['update', 'apps'],
      older: create,
      // Deletes what the older request may have stored.
      newer: async (from) => {
        const { body, status } = await from.get(`/auth/webhooks${scope}`);
        const added = body.webhooks?.find(({ id }: { id: string }) => id !== kept && id !== enabled);
        return added ? from.delete(`/auth/webhooks/${added.id}${scope}`) : { status };
      },
      stored: async () => (await documents('apps').findOne({ sourceAppId }))?.consumers,
    },
  ];
}

/** Returns the removals of invitations. */
async function ofInvitations(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  const path = `/auth/apps/${sourceAppId}`;
  const join = () => joinApp(main, sourceAppId, 'manager');
  const [demoted, suspended, erased, linked] = [await join(), await join(), await join(), await join()];
  const invite = (by: Client, email: string) => by.post(`${path}/invitations`, { email, role: 'viewer' });
  const sentBy = (id: string) => () => documents('invitations').countDocuments({ invitedBy: new ObjectId(id) });
  const role = (value: string) => (at: Client) => at.patch(`${path}/members/${demoted.id}`, { role: value });
  const suspend = (value: boolean) => (at: Client) => at.patch(`/auth/accounts/${suspended.id}`, { suspended: value });
  const link = async ({ services: { accounts, clock } }: TestServer) => {
    const created = accounts.service.createLink(linked.email, clock.within(2_500));
    return created.then(
      () => ({ status: 200 }),
      () => ({ status: 503 }),
    );
  };
  return [
    {
      name: 'the invitations of a manager who is one no longer',
      held: ['delete', 'invitations'],
      older: role('viewer'),
      newer: async (at) => {
        const { status } = await role('manager')(at);
        return status === 200 ? invite(demoted.client, 'of-demoted@example.com') : { status };
      },
      stored: sentBy(demoted.id),
    },
    {
      name: 'the invitations of a suspended account',
      held: ['delete', 'invitations'],
      older: suspend(true),
      newer: async (at) => {
        const { status } = await suspend(false)(at);
        if (status !== 200) return { status };
        await logIn(suspended.client, suspended.email);
        return invite(suspended.client, 'of-suspended@example.com');
      },
      stored: sentBy(suspended.id),
    },
    {
      name: 'the invitations to an erased account',
      held: ['delete', 'invitations'],
      older: (at) => at.delete(`/auth/accounts/${erased.id}`),
      newer: (at) => invite(at, erased.email),
      stored: () => documents('invitations').countDocuments({ email: erased.email }),
    },
    {
      name: 'a link of the host',
      held: ['update', 'accounts'],
      older: () => link(slow),
      newer: () => link(main),
      stored: async () => (await documents('accounts').findOne({ email: linked.email }))?.link.hash.toString('hex'),
    },
  ];
}

/** Returns what stops before it writes: the process goes on when the time is over. */
async function ofStalls(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  const path = `/auth/apps/${sourceAppId}`;
  const scope = `?sourceAppId=${sourceAppId}`;
  const hook = { url: 'https://example.com/hook', events: ['user.updated'] };
  const { body } = await main.admin.post(`/auth/webhooks${scope}`, hook).expect(200);
  const webhook = `/auth/webhooks/${body.id}${scope}`;
  return [
    {
      name: 'a webhook, which is read late',
      held: ['find', 'webhooks'],
      older: (at) => at.patch(webhook, { events: ['user.created'] }),
      newer: (at) => at.patch(webhook, { events: ['user.erased'] }),
      stored: async () => (await documents('webhooks').findOne({ sourceAppId }))?.events,
    },
    {
      name: 'a schema, whose newest version is read late',
      held: ['find', 'schema_versions'],
      older: (at) => at.putSchema(sourceAppId, text('Older')),
      newer: (at) => at.putSchema(sourceAppId, text('Newer')),
      stored: async () => (await main.admin.get(`${path}/schema`).expect(200)).body,
    },
  ];
}

/** Returns the settings of accounts. */
async function ofAccounts(): Promise<Setting[]> {
  const { sourceAppId } = await main.admin.buildApp();
  const join = () => joinApp(main, sourceAppId, 'viewer');
  const [admin, suspended, erased, ended, renamed] = [
    await join(),
    await join(),
    await join(),
    await join(),
    await join(),
  ];
  for (const { id } of [admin, await join()])
    await main.admin.patch(`/auth/accounts/${id}`, { admin: true }).expect(200);
  const account = (id: string) => documents('accounts').findOne({ _id: new ObjectId(id) });
  const change = (id: string, body: object) => (at: Client) => at.patch(`/auth/accounts/${id}`, body);
  const late = new Client(slow.client.url);
  await logIn(late, renamed.email).expect(200);
  return [
    {
      name: 'the end of an admin role',
      held: ['update', 'access'],
      older: change(admin.id, { admin: false }),
      newer: change(admin.id, { admin: true }),
      stored: async () =>
        (await new Client(main.client.url).post('/auth/login', credentials(admin.email))).body.account,
    },
    {
      name: 'a suspension',
      held: ['update', 'accounts'],
      older: change(suspended.id, { suspended: true }),
      newer: change(suspended.id, { suspended: false }),
      stored: async () => (await account(suspended.id))?.suspendedAt,
    },
    {
      name: 'an erasure',
      held: ['delete', 'accounts'],
      older: (at) => at.delete(`/auth/accounts/${erased.id}`),
      newer: change(erased.id, { suspended: false }),
      stored: async () => (await account(erased.id))?.email,
    },
    {
      name: 'the end of all sessions',
      held: ['update', 'accounts'],
      older: (at) => at.delete(`/auth/accounts/${ended.id}/sessions`),
      newer: () => logIn(new Client(main.client.url), ended.email),
      stored: async () => (await account(ended.id))?.sessions.length,
    },
    {
      name: 'the own name',
      held: ['update', 'accounts'],
      older: () => late.patch('/auth/account', { name: 'Older' }),
      newer: () => renamed.client.patch('/auth/account', { name: 'Newer' }),
      stored: async () => (await account(renamed.id))?.name,
    },
  ];
}

const credentials = (email: string) => ({ email, password: PASSWORD });

/** Repeats a request that a busy machine answers with 503. */
async function answered(send: () => PromiseLike<{ status: number }>): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { status } = await send();
    if (status !== 503) return status;
  }
  return 503;
}

interface HeldRequest {
  forward: () => Promise<void>;
  status: Promise<number>;
}

/** Sends the older request; resolves when its statement is held. */
async function hold({ name, held, older }: Setting): Promise<HeldRequest> {
  for (;;) {
    const arrival = proxy.holdNext(...held);
    const status = Promise.resolve(older(slow.admin)).then((answer) => answer.status);
    const forward = await Promise.race([arrival, status]);
    if (typeof forward === 'function') return { forward, status };
    // A busy machine refused it before; everything else is an error of this test.
    expect([name, forward]).toEqual([name, 503]);
  }
}

interface Outcome {
  name: string;
  decided: unknown;
  after: unknown;
  newer: number;
  older: number;
}
let outcomes: Outcome[];

beforeAll(async () => {
  main = await startServer();
  await main.services.jobs.stop();
  ({ proxy, slow } = await startSlow({}, main.database));
  await slow.services.jobs.stop();
  const groups = [ofApp(), ofInbox(), ofWebhooks(), ofStalls(), ofInvitations(), ofAccounts()];
  const settings = (await Promise.all(groups)).flat();
  const late: HeldRequest[] = [];
  for (const setting of settings) late.push(await hold(setting));
  // A refusal tells that the deadline has passed; requests that are held longer began before.
  await late.at(-1)?.status;
  const newer: number[] = [];
  for (const setting of settings) newer.push(await answered(() => setting.newer(main.admin)));
  const decided = await Promise.all(settings.map(({ stored }) => stored()));
  await Promise.all(late.map(({ forward }) => forward()));
  const older = await Promise.all(late.map(({ status }) => status));
  // What a server does with the answer to its late statement.
  await slow.close();
  const after = await Promise.all(settings.map(({ stored }) => stored()));
  outcomes = settings.map(({ name }, index) => ({
    name,
    decided: decided[index],
    after: after[index],
    newer: newer[index] ?? 0,
    older: older[index] ?? 0,
  }));
}, 120_000);
afterAll(() => main.close());

it('a late statement does not undo what a newer request decided', () => {
  const after = outcomes.map(({ name, after: stored }) => ({ name, stored }));
  expect(after).toEqual(outcomes.map(({ name, decided }) => ({ name, stored: decided })));
});

it('the newer request is answered, and the older one is refused', () => {
  for (const { name, newer, older } of outcomes)
    expect({ name, newer, older }).toEqual({ name, newer: 200, older: 503 });
});
