// @module-tag long

import { readFile } from 'node:fs/promises';
import { ObjectId } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/features/accounts/account-documents.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const PASSWORD = 'a password of twelve';

let server: TestServer;
let app: TestApp;
let other: TestApp;
let page: Page;
beforeAll(async () => {
  server = await startServer();
  const fields = [{ key: 'name', label: 'Full name', kind: 'text' }] as const;
  app = await server.admin.buildApp({ fields: fields.map((field) => ({ ...field })) });
  other = await server.admin.buildApp();
  await server.client.submit(app.sourceAppId, { email: 'person@example.com', data: { name: 'Person' } }).expect(200);
  await server.client.submit(other.sourceAppId, { email: 'elsewhere@example.com' }).expect(200);
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
const { button, heading, expectAccessible } = withStaffPage(
  () => [server.listener.url],
  (opened) => {
    page = opened;
  },
);

let number = 0;

interface TestAccount {
  client: Client;
  email: string;
  id: string;
}

async function invite(sourceAppId: string, role: string, email: string): Promise<string> {
  const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/invitations`, { email, role }).expect(200);
  return body.link;
}

async function join(role: string, { sourceAppId } = app): Promise<TestAccount> {
  number += 1;
  const email = `member-${number}@example.com`;
  const token = tokenOf(await invite(sourceAppId, role, email));
  const client = new Client(server.client.url);
  const given = { token, name: `Member ${number}`, password: PASSWORD };
  const { body } = await client.post('/auth/invitations/accept', given).expect(200);
  return { client, email, id: body.account.id };
}

const tokenOf = (link: string): string => new URL(link).hash.slice(1);
const pathOf = (address: string): string => new URL(address).pathname + new URL(address).hash;
const goTo = (path: string) => page.goto(`${server.listener.url}/dashboard${path}`);
const totp = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Begins a session in the browser, without the log-in page. */
async function beginSession(credentials: object): Promise<void> {
  const answer = await page
    .context()
    .request.post(`${server.listener.url}/auth/login`, { data: credentials, failOnStatusCode: true });
  await answer.dispose();
}

/** The rows of a QR code: whether each module is dark in the middle, as the browser paints it. */
async function modulesOf(picture: Locator): Promise<boolean[][]> {
  await picture.waitFor();
  return page.evaluate(`(() => {
    const picture = document.querySelector('[role=dialog] svg[role=img]');
    const [path] = picture.children;
    const size = picture.viewBox.baseVal.width;
    return Array.from({ length: size }, (_, y) =>
      Array.from({ length: size }, (_, x) => path.isPointInFill(new DOMPoint(x + 0.5, y + 0.5))));
  })()`);
}

async function logInByEmail(email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await button('Log in').click();
}

describe('an invitation', () => {
  it('leads from the link to the first page, without the token in the address', async () => {
    await page.goto(await invite(app.sourceAppId, 'viewer', 'ada@example.com'));
    await heading('Set up your access');
    await page.getByText('You can read people, charts and held submissions.').waitFor();
    await page.getByText('ada@example.com', { exact: true }).waitFor();
    expect(pathOf(page.url())).toBe('/dashboard/invitation');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByRole('textbox', { name: 'New password' }).fill('short');
    await page.keyboard.press('Enter');
    await page.getByText('The password must have at least 12 characters').waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('People');
    expect(pathOf(page.url())).toBe(`/dashboard/apps/${app.sourceAppId}/users`);
    await page.getByRole('link', { name: 'person@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).click();
    await page.getByText('ada@example.com').waitFor();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    // The browser keeps how somebody logged in.
    await logInByEmail('ada@example.com');
    await heading('People');
  });

  it('asks for the email when the link names none, and explains a used link', async () => {
    const own = await startServer();
    const opened = await openPage('about:blank', { origins: [own.listener.url] });
    const token = await own.services.accounts.service.firstLink();
    const address = `${own.listener.url}/dashboard/invitation#${token}`;
    await opened.page.goto(address);
    await opened.page.getByText('You can change everything in every app').waitFor();
    await opened.page.getByLabel('Your name').fill('First');
    await opened.page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await opened.page.getByRole('textbox', { name: 'Email' }).fill('no email');
    await opened.page.getByRole('button', { name: 'Create account' }).click();
    await opened.page.getByText('The email must be a valid email').waitFor();
    await opened.page.getByRole('textbox', { name: 'Email' }).fill('first@example.com');
    await opened.page.getByRole('button', { name: 'Create account' }).click();
    await opened.page.getByRole('heading', { level: 1, name: 'Create your first form' }).waitFor();
    await opened.page.goto(address);
    await opened.page.getByText('This link no longer works').waitFor();
    opened.expectClean();
    await opened.close();
    await own.close();
  });

  it('names who invites', async () => {
    const { client } = await join('manager');
    const path = `/auth/apps/${app.sourceAppId}/invitations`;
    const { body } = await client.post(path, { email: 'grace@example.com', role: 'viewer' }).expect(200);
    await page.goto(body.link);
    const invitation = page.getByLabel('Your invitation');
    await invitation.getByText('Invited by').waitFor();
    await invitation.getByText(/^Member \d+$/).waitFor();
  });

  it('lets somebody with an account log in, and then choose between their apps', async () => {
    const { email } = await join('editor');
    await page.goto(await invite(other.sourceAppId, 'viewer', email));
    await page.getByText(`${email} has an account`).waitFor();
    await logInByEmail(email);
    await heading('Choose an app');
    await page.getByRole('link', { name: `${app.sourceAppId} editor` }).click();
    await page.getByRole('link', { name: 'person@example.com' }).click();
    await page.getByRole('button', { name: 'Erase person' }).waitFor();
    await page.getByRole('button', { name: `App: ${app.sourceAppId}` }).click();
    await page.getByRole('list', { name: 'Your apps' }).getByRole('link', { name: other.sourceAppId }).click();
    await page.getByRole('link', { name: 'elsewhere@example.com' }).click();
    await heading('elsewhere@example.com');
    await page.getByText('Record ID').waitFor();
    expect(await page.getByRole('button', { name: 'Erase person' }).count()).toBe(0);
    await goTo('/');
    await page.getByRole('link', { name: 'elsewhere@example.com' }).waitFor();
    for (const path of ['connect', 'held']) {
      await goTo(`/apps/${other.sourceAppId}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByText('Could not load the data').count()).toBe(0);
    }
    await goTo('/apps/no-such-app/users');
    await heading('Page of another app');
  });
});

describe('a role', () => {
  it('shows a viewer and an editor nothing that they may not do', async () => {
    const { sourceAppId } = app;
    const found = async () => ({
      pages: await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts(),
      buttons: await page.getByRole('main').getByRole('button').or(page.getByRole('main').locator('a')).allInnerTexts(),
    });
    await beginSession({ email: (await join('viewer')).email, password: PASSWORD });
    await goTo('/');
    await page.getByRole('link', { name: 'person@example.com' }).waitFor();
    const viewer = await found();
    expect(await page.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0);
    // The header of the emails begins where they do.
    const places = [
      page.getByRole('columnheader', { name: 'Email' }).getByText('Email'),
      page.getByRole('link', { name: 'person@example.com' }),
    ];
    const [header, cell] = await Promise.all(places.map((one) => one.boundingBox()));
    expect(header?.x).toBe(cell?.x);
    expect(viewer.pages).toEqual(['Overview', 'People', 'Share']);
    for (const name of ['Import', 'Export', 'Edit in table']) expect(viewer.buttons).not.toContain(name);
    await page.getByRole('link', { name: 'person@example.com' }).click();
    await page.getByText('Record ID').waitFor();
    for (const name of ['Edit', 'Erase person']) expect((await found()).buttons).not.toContain(name);
    await goTo(`/apps/${sourceAppId}/share`);
    await page.getByRole('heading', { name: 'What works now' }).waitFor();
    expect(viewer.pages).not.toContain('Settings');
    expect(await page.getByRole('heading', { name: 'Allowed websites' }).count()).toBe(0);
    for (const path of ['import', 'webhooks', 'privacy', 'keys', 'audit', 'members']) {
      await goTo(`/apps/${sourceAppId}/${path}`);
      await heading('Page not found');
    }

    await page.context().clearCookies();
    await beginSession({ email: (await join('editor')).email, password: PASSWORD });
    await goTo('/');
    await page.getByRole('link', { name: 'person@example.com' }).waitFor();
    const editor = await found();
    expect(editor.pages).toEqual(['Overview', 'People', 'Share', 'Privacy']);
    for (const name of ['Import', 'Export', 'Edit in table']) expect(editor.buttons).toContain(name);
    await goTo(`/apps/${sourceAppId}/privacy`);
    await heading('Privacy');
    expect(await page.getByRole('heading', { name: 'Retention' }).count()).toBe(0);

    await page.context().clearCookies();
    await beginSession({ email: (await join('manager')).email, password: PASSWORD });
    await goTo(`/apps/${sourceAppId}`);
    await page.getByRole('button', { name: /^Full name/ }).waitFor();
    const names = ['Overview', 'People', 'Form', 'Share', 'Automation', 'Privacy', 'Team', 'Settings'];
    expect((await found()).pages).toEqual(names);
  });
});

describe('the own account', () => {
  it('gets an authenticator app, which the next log-in asks for', async () => {
    const { email } = await join('viewer');
    await beginSession({ email, password: PASSWORD });
    await goTo('/account');
    await heading('Your account');
    await page.getByText('This session').waitFor();
    await page.getByLabel('Your name').fill('Grace Hopper');
    await button('Save name').click();
    await page.getByRole('button', { name: 'Account: Grace Hopper' }).waitFor();

    await button('Add authenticator app').click();
    const dialog = page.getByRole('dialog');
    const secret = (await dialog.locator('[data-secret]').innerText()).replaceAll(' ', '');
    expect(await modulesOf(dialog.getByRole('img', { name: 'The key as a picture for a camera' }))).toEqual(
      encode((await dialog.getByRole('link').getAttribute('href')) ?? '', { border: 4 }).data,
    );
    await dialog.getByLabel('Code').fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Code').fill(totp(secret));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByRole('list', { name: 'Recovery codes' }).waitFor();
    const codes = await dialog.getByRole('listitem').allInnerTexts();
    expect(codes).toHaveLength(10);
    await page.setViewportSize({ width: 1280, height: 800 });
    const done = await dialog.getByRole('button', { name: 'Done' }).boundingBox();
    expect((done?.y ?? 800) + (done?.height ?? 0)).toBeLessThanOrEqual(760);
    await expectAccessible();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download codes' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
    await dialog.getByLabel("I've saved these codes").check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 recovery codes left').waitFor();

    await page.context().clearCookies();
    await goTo('/');
    await page.getByRole('tab', { name: 'By email' }).click();
    await logInByEmail(email);
    await page.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or was used').waitFor();
    await expectAccessible();
    await page.getByLabel('Code').fill(totp(secret, 1));
    await page.keyboard.press('Enter');
    await heading('People');

    await page.context().clearCookies();
    await goTo('/account');
    await logInByEmail(email);
    await button('Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await button('Continue').click();
    await page.getByText('9 recovery codes left').waitFor();
    await button('End all others').click();
    await expect.poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1);
  });

  it('asks for the password again before a change when the log-in is old', async () => {
    const { email, id } = await join('viewer');
    await beginSession({ email, password: PASSWORD });
    const early = { $set: { 'sessions.$[].authenticatedAt': new Date(Date.now() - 11 * 60_000) } };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, early);
    await goTo('/account');
    await page.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
    await page.getByRole('textbox', { name: 'New password' }).fill('a second password');
    await button('Replace password').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('textbox', { name: 'Password' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('alert').getByText('Log in again to change this').waitFor();
    await button('Replace password').click();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Password replaced').waitFor();
    await new Client(server.client.url).post('/auth/login', { email, password: 'a second password' }).expect(200);
  });

  it('gets a new password by a link, and a log-in by a link of the host', async () => {
    const { email, id } = await join('viewer');
    const { token, hash } = createToken();
    const reset = { hash, expiresAt: new Date(Date.now() + 60_000) };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, { $set: { reset } });
    await goTo('/');
    await page.getByRole('tab', { name: 'By email' }).click();
    await button('Forgot your password?').click();
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await button('Send email').click();
    await page.getByText('has an account, an email with a link is on its way').waitFor();
    await goTo(`/reset#${token}`);
    await heading('Choose a new password');
    expect(page.url()).not.toContain(token);
    await page.getByRole('textbox', { name: 'New password' }).fill('a third password');
    await button('Save and log in').click();
    await heading('People');

    await page.context().clearCookies();
    const link = await server.services.accounts.service.createLink(email, server.services.clock.within(60_000));
    await goTo(`/link#${link}`);
    await heading('Log in with a link');
    await button('Log in').click();
    await heading('People');
    await goTo('/link');
    await page.getByText('Open the link that you received again').waitFor();
    await goTo(`/link#${link}`);
    await button('Log in').click();
    await page.getByText('This link no longer works').waitFor();
  });
});

describe('the members page', () => {
  it('invites, changes roles, removes and refuses the shared log-in', async () => {
    const own = await server.admin.buildApp();
    const [manager, member] = [await join('manager', own), await join('viewer', own)];
    await beginSession({ email: manager.email, password: PASSWORD });
    await goTo('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
    await page.getByRole('row', { name: new RegExp(member.email) }).waitFor();

    await button('Invite').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('new@example.com');
    await dialog.getByRole('radio', { name: 'Editor' }).check();
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText("You won't see this again").waitFor();
    expect(await dialog.locator('code').innerText()).toContain('/dashboard/invitation#');
    await dialog.getByText(`${server.listener.url} only works on this computer`).waitFor();
    await dialog.getByLabel("I've saved this link").check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /new@example.com/ }).waitFor();
    await button('Withdraw the invitation of new@example.com').click();
    await page.getByRole('row', { name: /new@example.com/ }).waitFor({ state: 'detached' });

    await page.getByLabel(`Role of ${member.email}`).selectOption('Editor');
    const roleOf = async () =>
      (await server.admin.get(`/auth/apps/${own.sourceAppId}/members`)).body.members.map(
        ({ role }: { role: string }) => role,
      );
    await expect.poll(roleOf).toEqual(['manager', 'editor']);
    await page.getByRole('switch', { name: 'Allow the log-in' }).click();
    await page.getByRole('button', { name: 'Refuse it' }).click();
    await expect.poll(() => page.getByRole('switch').isChecked()).toBe(false);
    await new Client(server.client.url).post('/auth/login', own).expect(401);
    // A manager cannot take it back. Here the service refuses it: nobody else manages the app.
    await page.getByLabel(`Role of ${manager.email}`).selectOption('Viewer');
    const question = page.getByRole('dialog', { name: 'Change your own role?' });
    await question.getByRole('button', { name: 'Change my role' }).click();
    await question.getByRole('alert').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel(`Role of ${manager.email}`).inputValue()).toBe('manager');
    await button(`Remove ${member.email}`).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: new RegExp(member.email) }).waitFor({ state: 'detached' });
  });
});

describe('the accounts page', () => {
  it('invites an admin, changes, suspends and erases accounts', async () => {
    const { email } = await join('viewer');
    await beginSession({ sourceAppId: 'admin', password: ADMIN_PASSWORD });
    await goTo('/accounts');
    await page.getByLabel('Search accounts by email').fill(email);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await button('Invite').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('boss@example.com');
    await dialog.getByLabel('As an administrator').check();
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('/dashboard/invitation#').waitFor();
    await dialog.getByLabel("I've saved this link").check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const row = page.getByRole('row', { name: new RegExp(email) });
    await act('Make administrator');
    await dialog.getByRole('button', { name: 'Make administrator' }).click();
    await row.getByText('Administrator', { exact: true }).waitFor();
    await act('Suspend');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    // The last active admin stays.
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await server.admin.post('/auth/accounts', { email: 'second@example.com', admin: true }).expect(200);
    const { body } = await server.admin.post('/auth/accounts', { email: 'third@example.com', admin: true }).expect(200);
    const given = { token: tokenOf(body.link), name: 'Third', password: PASSWORD };
    await new Client(server.client.url).post('/auth/invitations/accept', given).expect(200);
    await act('Suspend');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await row.getByText('Suspended', { exact: true }).waitFor();
    await act('Erase account');
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Erase account' }).click();
    await page.getByText('No accounts match').waitFor();
  });

  it('opens every page of an app for an admin with an account', async () => {
    const { body } = await server.admin.post('/auth/accounts', { email: 'admin@example.com', admin: true }).expect(200);
    const given = { token: tokenOf(body.link), name: 'An admin', password: PASSWORD };
    await new Client(server.client.url).post('/auth/invitations/accept', given).expect(200);
    await beginSession({ email: 'admin@example.com', password: PASSWORD });
    await goTo('/');
    await heading('Apps');
    for (const path of ['users', 'connect', 'webhooks', 'privacy', 'keys', 'audit', 'members', 'held', '']) {
      await goTo(`/apps/${app.sourceAppId}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('Could not load the data').count()).toBe(0);
    }
  });
});
