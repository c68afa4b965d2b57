import { UUID } from 'mongodb';
import type { Page } from 'playwright-core';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, goWithin, pathAs, type Visit, visit, visitAs } from '../support/browser/browser.ts';
import { Receiver } from '../support/peers/receiver.ts';
import { mailEnv, startSmtp } from '../support/peers/smtp.ts';
import { dataUrl, png } from '../support/samples/images.ts';
import { joinApp, PASSWORD, tokenOf } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { PNG, pdfOf, upload } from '../support/server/uploads.ts';
import { VIEWS } from './views/index.ts';
import { heading, type Names, type View } from './views/view.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 320, height: 740 };
const WAIT = { timeout: 30_000, interval: 50 };
const DAY_MS = 86_400_000;

/** What the list of views shows. */
export interface AppOfViews {
  server: TestServer;
  app: TestApp;
  /** A manager of the app, who is a viewer of another one. */
  member: { email: string; password: string };
  names: Names;
}

/**
 * Registers the hooks that start a server with an app of 30 users.
 *
 * @param started is called with both, and with what else the views need
 */
export function withAppOfViews(started: (server: TestServer, app: TestApp, on: AppOfViews) => void): void {
  const closing: (() => Promise<unknown>)[] = [closeBrowser];
  beforeAll(async () => {
    const smtp = await startSmtp();
    const receiver = await Receiver.start(() => ({ status: 410, body: '{"gone":true}' }));
    const server = await startServer({ ...mailEnv(smtp), WEBHOOKS_ALLOW_PRIVATE: 'true' });
    closing.push(
      () => server.close(),
      () => receiver.close(),
      () => smtp.close(),
    );
    const app = await server.admin.buildApp({
      fields: [
        { key: 'name', label: 'Full name', kind: 'text', required: true, regex: '^[A-Z]' },
        { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
        { key: 'ok', label: 'Agrees', kind: 'checkbox', consent: { version: '1' } },
        { key: 'visits', label: 'Visits', kind: 'array' },
        { key: 'cv', label: 'Documents', kind: 'file', types: ['pdf', 'png'], maxFiles: 3 },
      ],
    });
    await server.services.apps.create('other-app'); // a view rotates its password
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    await storeUsers(server, app);
    for (const email of ['bot@example.com', 'user5@example.com']) await holdSubmission(server, app, email);
    await keepMuchAbout('user5@example.com', server, operator);
    await designForm(server, app);
    await fillInbox(server);
    await addWebhooks(server, app, { operator, url: receiver.url });
    const keys = { name: 'Nightly export', scopes: ['users:read', 'export', 'users:write'] };
    await operator.post('/auth/keys', { ...keys, cidrs: ['203.0.113.0/24', '2001:db8::/32'] }).expect(200);
    await server.client.submit(app.sourceAppId, {}).set('Origin', 'https://www.example.com').expect(403);
    started(server, app, { server, app, ...(await invite(server, app)) });
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
}

/** 30 users, ten of them from another day, one with files. */
async function storeUsers(server: TestServer, { sourceAppId }: TestApp): Promise<void> {
  const send = async (content: Buffer, name: string): Promise<string> =>
    (await upload(server.client.url, sourceAppId, content, { name })).body.token;
  const files = [await send(PNG, 'photo.png'), await send(pdfOf(123_456), 'Lebenslauf.pdf')];
  for (let index = 0; index < 30; index += 1) {
    const data = { name: `Name ${index}`, plan: 'pro', ok: index % 2 === 1, visits: [{ page: '/' }], other: index };
    const email = `user${index}@example.com`;
    const body = { email, data: index === 6 ? { ...data, cv: files } : data };
    await server.client.submit(sourceAppId, body).expect(200);
  }
  // The time of a creation is a part of its id.
  const users = server.db.collection('users');
  const createdAt = new Date(Date.now() - 3 * DAY_MS);
  const older = await users.find({ sourceAppId, 'data.other': { $gte: 10, $lt: 20 } }).toArray();
  await users.deleteMany({ _id: { $in: older.map(({ _id }) => _id) } });
  const _id = () => new UUID(v7({ msecs: createdAt.getTime() })) as never;
  await users.insertMany(older.map((record) => ({ ...record, _id: _id(), createdAt })));
}

async function holdSubmission(server: TestServer, { sourceAppId }: TestApp, email: string): Promise<void> {
  const held = { email, 'data[name]': 'Bot', 'data[plan]': 'pro', 'data[other]': 'x' };
  const body = new URLSearchParams({ ...held, _gotcha: 'filled' });
  await fetch(`${server.listener.url}/v1/forms/${sourceAppId}`, { method: 'POST', body, redirect: 'manual' });
}

/** Changes by a session, by an API key and of many, and a saved view. */
async function keepMuchAbout(email: string, server: TestServer, operator: Client): Promise<void> {
  const found = await operator.get(`/auth/users?q=${email}`).expect(200);
  const path = `/auth/users/${found.body.users[0].id}`;
  const key = await createKey(server, operator, ['users:write']);
  await operator.patch(path, { set: { name: 'Name Five' } }).expect(200);
  await key.send('patch', path, { set: { address: { city: 'London' } } }).expect(200);
  await operator.delete(`/auth/keys/${key.id}`).expect(200);
  const many = await operator.patch(`/auth/users?q=${email}&confirm=1`, { set: { ok: true }, unset: ['other'] });
  await vi.waitFor(async () => {
    const { body } = await operator.get(`/auth/changes/${many.body.id}`).expect(200);
    expect(body.state).toBe('completed');
  }, WAIT);
  await operator.post('/auth/views', { name: `About ${email}`, query: `q=${email}&where=data.plan:eq:pro` });
}

/** A design with images, and a reply in two languages. */
async function designForm(server: TestServer, { sourceAppId }: TestApp): Promise<void> {
  const logo = dataUrl('png', png(40, 20, [31, 95, 214]));
  const cover = dataUrl('png', png(60, 20, [200, 120, 40]));
  const reply = { when: 'each', subject: 'Your plan', text: 'It is {plan}.\n\nBye', include: ['plan'] };
  const settings = { languages: ['de'], reply, theme: { logo, logoAlt: 'Ada & Co', cover } };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
}

/** An app whose inbox has two pages. */
async function fillInbox(server: TestServer): Promise<void> {
  const sourceAppId = 'messages';
  await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
  await server.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
  for (let n = 0; n < 28; n += 1) {
    const data = { name: `Person ${n}`, message: 'x '.repeat(n * 9) };
    await server.client.submit(sourceAppId, { email: `p${n}@example.com`, data }).expect(200);
  }
}

/** A webhook that is disabled because its receiver is gone, and one that is not. */
async function addWebhooks(
  server: TestServer,
  { sourceAppId }: TestApp,
  { operator, url }: { operator: Client; url: string },
): Promise<void> {
  const events = ['user.created', 'user.updated', 'user.erased'];
  await operator.post('/auth/webhooks', { url: `${url}/first`, events }).expect(200);
  const data = { name: 'Name 0', long: 'x'.repeat(200) };
  await server.client.submit(sourceAppId, { email: 'user0@example.com', data }).expect(200);
  await vi.waitFor(async () => {
    const { body } = await operator.get('/auth/webhooks').expect(200);
    expect(body.webhooks[0].disabledReason).toBe('gone');
  }, WAIT);
  await operator.post('/auth/webhooks', { url: `${url}/enabled`, events }).expect(200);
}

/** A member of two apps, an invitation to it, and one by it. */
async function invite(server: TestServer, { sourceAppId }: TestApp): Promise<Pick<AppOfViews, 'member' | 'names'>> {
  const { client, email } = await joinApp(server, sourceAppId, 'manager');
  const inviteTo = async (app: string, invited: string, inviter = server.admin): Promise<string> => {
    const path = `/auth/apps/${app}/invitations`;
    return tokenOf((await inviter.post(path, { email: invited, role: 'viewer' }).expect(200)).body.link);
  };
  const token = await inviteTo('other-app', email);
  await client.post('/auth/invitations/accept', { token, name: 'Member' }).expect(200);
  const names = {
    APP: sourceAppId,
    INVITATION: await inviteTo(sourceAppId, 'grace@example.com', client),
    SECOND: await inviteTo('messages', email),
  };
  return { member: { email, password: PASSWORD }, names };
}

/** Shows a page that has nothing of the view before it. */
async function showAnew(page: Page, path: string): Promise<void> {
  // What the shell opened stays open on every page.
  await page.keyboard.press('Escape');
  // A view with a form that was changed asks.
  await page.evaluate('window.confirm = () => true');
  await goWithin(page, '/none');
  await heading('Page not found')(page);
  await page.evaluate('sessionStorage.clear(), localStorage.clear()');
  await goWithin(page, path);
}

/** Registers a test for each view of the role. All are shown in one page, one after the other. */
export function testViews(role: View['role'], on: () => AppOfViews): void {
  let visited: Visit | undefined;

  function visitOf(): Promise<Visit> {
    const { server, app, member } = on();
    if (role === 'anonymous') return visit(server);
    return visitAs(server, { admin: ADMIN, operator: app, member }[role], `/apps/${app.sourceAppId}/users`);
  }

  const views = VIEWS.filter((view) => view.role === role);
  it.each(views)('$name fits a phone, and has no axe violations in both modes', async (view) => {
    const { server, app, names } = on();
    visited ??= await visitOf();
    const { page, close, expectClean } = visited;
    await page.setViewportSize(PHONE);
    const path = view.path.replace(/[A-Z]{3,}/, (name) => names[name as keyof typeof names]);
    if (role === 'anonymous') {
      // Without a session every path is that of a page to log in, or of a link, which is read once.
      await page.goto(`${server.listener.url}/health`);
      await page.evaluate('sessionStorage.clear(), localStorage.clear()');
      await page.goto(`${server.listener.url}/dashboard${path}`);
    } else {
      await showAnew(page, role === 'operator' ? pathAs(app, path) : path);
    }
    await view.open(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    const checkMode = (mode: string) => page.locator(`html[data-mantine-color-scheme=${mode}]`).waitFor();
    expect(await axeViolationsInBothModes(page, { checkMode })).toEqual([]);
    expectClean();
    if (!view.endsSession) return;
    visited = undefined;
    await close();
  });
}
