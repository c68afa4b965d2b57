import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileValue } from '../../support/server/files.ts';
import { type MailServers, startMailServers } from '../../support/server/mail-servers.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { age, FILE_FIELDS, findFile, type Uploaded, upload as uploadTo } from '../../support/server/uploaded.ts';

// Files of submissions that wait for an operator or for their person, or that change no record.

const POLL = { timeout: 30_000, interval: 50 };

let servers: MailServers;
let server: TestServer;
let app: string;

beforeAll(async () => {
  servers = await startMailServers();
  server = servers.a;
});
beforeEach(async () => {
  app = (await server.admin.buildApp({ fields: FILE_FIELDS })).sourceAppId;
});
afterAll(() => servers.close());

const upload = (): Promise<Uploaded> => uploadTo(server.db, app);
const submit = (data: object, email = 'ada@x.org', key?: string) => {
  const sent = server.client.submit(app, { email, data });
  return key === undefined ? sent : sent.set('idempotency-key', key);
};
const hold = (data: Record<string, unknown>, idempotencyKey?: string) =>
  server.services.submissions.submit(
    app,
    { email: 'ada@x.org', data },
    { via: 'form', isTrapped: true, idempotencyKey },
  );
const held = async () => (await server.admin.get(`/auth/held?sourceAppId=${app}`).expect(200)).body.held;
const release = (id: string) => servers.b.admin.post(`/auth/held/${id}/release?sourceAppId=${app}`);
const data = async () => (await server.db.collection('users').findOne({ sourceAppId: app }))?.data;
const exists = async (value: FileValue) => (await findFile(server.db, value)) !== undefined;
const untilGone = (value: FileValue) => expect.poll(() => exists(value), POLL).toBe(false);
const settle = async (value: FileValue) => {
  await age(server.db, value, 60_000);
  await expect
    .poll(async () => (await findFile(server.db, value))?.metadata.checkAt?.getTime() ?? Number.NaN, POLL)
    .not.toBeLessThan(Date.now());
};
const set = (settings: object) => server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);

describe('a held submission', () => {
  it('keeps its files beyond their hour, and its release gives them to the record', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    await hold({ name: 'Ada', cv: [token] });
    const [entry] = await held();
    expect(entry.data).toEqual({ name: 'Ada', cv: [value] });
    expect((await submit({ cv: [token] }).expect(400)).body.errors).toMatchObject([{ code: 'fileToken' }]);
    await age(server.db, value, 2 * 3_600_000);
    await settle(value);
    expect(await exists(value)).toBe(true);
    await release(entry.id).expect(200);
    expect(await data()).toEqual({ name: 'Ada', cv: [value] });
    await settle(value);
    expect((await findFile(server.db, value))?.metadata).not.toHaveProperty('checkAt');
    expect(await held()).toEqual([]);
  });

  it('is stored once when its release is repeated, and gives its files to a known person', async () => {
    await submit({ name: 'Ada' }).expect(200);
    const { token, value } = await upload();
    await hold({ cv: [token] });
    const entry = await server.db.collection('held_submissions').findOne({ email: 'ada@x.org' });
    const [{ id }] = await held();
    await release(id).expect(200);
    // The server stopped before it removed the entry.
    await server.db.collection('held_submissions').insertOne(entry as never);
    await release(id).expect(200);
    expect(await data()).toEqual({ name: 'Ada', cv: [value] });
    expect(await held()).toEqual([]);
  });

  it('loses its files with a deletion', async () => {
    const { token, value } = await upload();
    await hold({ cv: [token] });
    const [{ id }] = await held();
    await server.admin.delete(`/auth/held/${id}?sourceAppId=${app}`).expect(200);
    // Before, a check that finds the entry would come again later.
    await age(server.db, value, 60_000);
    await untilGone(value);
  });

  it('loses its files with a deletion at a server that had just found none', async () => {
    const fresh = await startServer({}, undefined, QUICK_JOBS);
    try {
      const { sourceAppId } = await fresh.admin.buildApp({ fields: FILE_FIELDS });
      // The relay of this event looks for files.
      await fresh.client.submit(sourceAppId, { email: 'ada@x.org', data: {} }).expect(200);
      const users = fresh.db.collection('users');
      await expect.poll(() => users.countDocuments({ 'outbox.0': { $exists: true } }), POLL).toBe(0);
      const { token, value } = await uploadTo(fresh.db, sourceAppId);
      const input = { email: 'ada@x.org', data: { cv: [token] } };
      await fresh.services.submissions.submit(sourceAppId, input, { via: 'form', isTrapped: true });
      const [{ id }] = (await fresh.admin.get(`/auth/held?sourceAppId=${sourceAppId}`).expect(200)).body.held;
      await fresh.admin.delete(`/auth/held/${id}?sourceAppId=${sourceAppId}`).expect(200);
      await age(fresh.db, value, 60_000);
      await expect.poll(() => findFile(fresh.db, value), POLL).toBeUndefined();
    } finally {
      await fresh.close();
    }
  });

  it('is held once when it is sent again with its key', async () => {
    const { token } = await upload();
    const first = await hold({ cv: [token] }, 'once');
    const second = await hold({ cv: [token] }, 'once');
    expect(second.id.toString()).toBe(first.id.toString());
    expect(await held()).toHaveLength(1);
    await expect(hold({ cv: [token] }, 'other')).rejects.toMatchObject({ status: 400 });
  });

  it('that is refused at its release stays, with its files', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    await hold({ cv: [token] });
    const [name, cv] = FILE_FIELDS;
    await server.admin.putSchema(app, { fields: [{ ...name, required: true }, cv] as never }).expect(200);
    const [{ id }] = await held();
    await release(id).expect(400);
    await server.admin.putSchema(app, { fields: FILE_FIELDS }).expect(200);
    await release(id).expect(200);
    expect(await data()).toEqual({ cv: [value] });
  });
});

describe('a submission of a known person', () => {
  it('that is only kept keeps its files with it', async () => {
    await server.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    await submit({ name: 'Ada' }).expect(200);
    await set({ existing: 'keep' });
    const { token, value } = await upload();
    await submit({ cv: [token] }, 'ada@x.org', 'k').expect(200);
    await submit({ cv: [token] }, 'ada@x.org', 'k').expect(200);
    expect(await data()).toEqual({ name: 'Ada' });
    const rows = async () => (await server.admin.get(`/auth/submissions?sourceAppId=${app}`)).body.submissions;
    await expect
      .poll(async () => (await rows()).map((one: { data: object }) => one.data), POLL)
      .toEqual([{ cv: [value] }, { name: 'Ada' }]);
    await settle(value);
    expect(await exists(value)).toBe(true);
  });

  it('uses its token up as that of a new person, so that no answer tells who is known', async () => {
    await submit({ name: 'Ada' }).expect(200);
    await set({ existing: 'keep' });
    for (const email of ['ada@x.org', 'new@x.org']) {
      const { token } = await upload();
      expect((await submit({ cv: [token] }, email).expect(200)).body).toEqual({ ok: true });
      const { body } = await submit({ cv: [token] }, email).expect(400);
      expect(body.errors).toMatchObject([{ path: 'data.cv.0', code: 'fileToken' }]);
    }
  });

  it('that waits for the person keeps its files, and the link stores them', { tags: 'long' }, async () => {
    await submit({ name: 'Ada' }).expect(200);
    await set({ existing: 'confirm' });
    const { token, value } = await upload();
    const { smtp } = servers;
    const count = smtp.to('ada@x.org').length;
    await submit({ cv: [token] }, 'ada@x.org', 'c').expect(200);
    await submit({ cv: [token] }, 'ada@x.org', 'c').expect(200);
    await expect.poll(() => smtp.to('ada@x.org').length, POLL).toBe(count + 1);
    await age(server.db, value, 2 * 3_600_000);
    await settle(value);
    expect(await data()).toEqual({ name: 'Ada' });
    const [path = ''] =
      /\/v1\/confirm\S+|https:\/\/forms\.example\.com\S+/.exec(smtp.to('ada@x.org').at(-1)?.text ?? '') ?? [];
    const { pathname, search } = new URL(path, 'https://forms.example.com');
    await server.client
      .post(pathname + search)
      .type('form')
      .set({ Accept: 'text/html' })
      .expect(200);
    expect(await data()).toEqual({ name: 'Ada', cv: [value] });
    await settle(value);
    expect(await exists(value)).toBe(true);
  });
});
