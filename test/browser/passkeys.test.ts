// @module-tag long

import { ObjectId } from 'mongodb';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { joinApp, PASSWORD, tokenOf, totp } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
/** Browsers have passkeys on localhost, and not at an IP address. */
let origin: string;
let page: Page;
let devTools: CDPSession;
let authenticatorId: string;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp();
  origin = server.listener.url.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
const { button, heading, expectAccessible } = withStaffPage(
  () => [origin],
  (opened) => {
    page = opened;
  },
);
beforeEach(async () => {
  devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  ({ authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
});
afterEach(async () => {
  await devTools.detach();
});

const goTo = (path: string) => page.goto(`${origin}/dashboard${path}`);
const passkeys = () => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
/** Whether the person unlocks the device. If not, a request is cancelled. */
const unlock = (isUserVerified: boolean) =>
  devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

async function invite(email: string): Promise<string> {
  const { body } = await server.admin.post(`/auth/apps/${app.sourceAppId}/invitations`, { email, role: 'viewer' });
  return tokenOf(body.link);
}

async function beginSession(email: string): Promise<void> {
  const data = { email, password: PASSWORD };
  await page.context().request.post(`${origin}/auth/login`, { data, failOnStatusCode: true });
}

/** Makes all log-ins of an account older than the ten minutes in which factors can be changed. */
async function ageSessions(id: string): Promise<void> {
  const early = { $set: { 'sessions.$[].authenticatedAt': new Date(Date.now() - 11 * 60_000) } };
  await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, early);
}

async function logInByPassword(email: string): Promise<void> {
  await page.getByRole('tab', { name: 'By email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await button('Log in').click();
}

async function saveCodes(): Promise<string[]> {
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
  expect(codes).toHaveLength(10);
  await page.getByLabel("I've saved these codes").check();
  await button('Done').click();
  return codes;
}

describe('an account without a password', () => {
  it('is that of the first admin, who logs in again with the passkey', async () => {
    await goTo(`/invitation#${await server.services.accounts.service.firstLink()}`);
    await page.getByLabel('Your name').fill('First Admin');
    await expectAccessible();
    await page.getByRole('textbox', { name: 'Email' }).fill('first@example.com');
    await button('Use a passkey instead').click();
    await page.getByText('Your passkey is ready').waitFor();
    await expectAccessible();
    await saveCodes();
    await heading('New app from a template');

    await page.getByRole('button', { name: 'Account: First Admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await button('Log in with a passkey').waitFor();
    await expectAccessible();
    await button('Log in with a passkey').click();
    await heading('Apps');

    await goTo('/account');
    await passkeys().getByText('Chrome on Linux').waitFor();
    await passkeys().getByText('last used').waitFor();
    await page.getByText('Logged in by passkey').waitFor();
    await button('Remove passkey: Chrome on Linux').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByText('is the only way into the account: choose a password first').waitFor();
    await expectAccessible();
  });

  it('gets a password or another try when the passkey was not created', async () => {
    const email = 'cancelled@example.com';
    await goTo(`/invitation#${await invite(email)}`);
    await page.getByLabel('Your name').fill('Ada');
    await unlock(false);
    await button('Use a passkey instead').click();
    await page.getByText('Your account has no passkey yet').waitFor();
    await expectAccessible();
    await button('Choose a password').click();
    await page.getByText('You can add a passkey later').waitFor();
    await expectAccessible();
    await button('Back to the passkey').click();
    await button('Choose a password').click();
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await button('Save password').click();
    await heading('People');
    await new Client(server.client.url).post('/auth/login', { email, password: PASSWORD }).expect(200);

    await page.context().clearCookies();
    await goTo(`/invitation#${await invite('again@example.com')}`);
    await page.getByLabel('Your name').fill('Ada');
    await button('Use a passkey instead').click();
    await page.getByText('Your account has no passkey yet').waitFor();
    await unlock(true);
    await button('Try again').click();
    await saveCodes();
    await heading('People');
  });

  it('is not needed by somebody who is logged in: the account gains the app only', async () => {
    const { email } = await joinApp(server, (await server.admin.buildApp()).sourceAppId, 'viewer');
    await beginSession(email);
    await goTo(`/invitation#${await invite(email)}`);
    await button('Accept invitation').waitFor();
    expect(await page.getByRole('button', { name: 'Use a passkey instead' }).count()).toBe(0);
    await button('Accept invitation').click();
    await heading('Choose an app');
    const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toEqual([]);
  });
});

describe('the own passkeys', () => {
  it('are added, complete a log-in, confirm a change and are removed', async () => {
    const { email, id, client } = await joinApp(server, app.sourceAppId, 'viewer');
    await beginSession(email);
    await goTo('/account');
    await unlock(false);
    await button('Add passkey').click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Chrome on Linux');
    await dialog.getByLabel('Name').fill('My laptop');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('No passkey was created').waitFor();
    await expectAccessible();
    await unlock(true);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await saveCodes();
    await passkeys().getByText('My laptop').waitFor();
    await passkeys().getByText('not used yet').waitFor();
    await page.getByText('10 recovery codes left').waitFor();
    await expectAccessible();
    await button('Add passkey').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog').getByText('has a passkey of your account already').waitFor();

    await page.context().clearCookies();
    await goTo('/account');
    await logInByPassword(email);
    await button('Use passkey').waitFor();
    await expectAccessible();
    await unlock(false);
    await button('Use passkey').click();
    await page.getByText('No passkey was used').waitFor();
    await unlock(true);
    await button('Use passkey').click();
    await passkeys().getByText('last used').waitFor();

    await ageSessions(id);
    await button('Remove passkey: My laptop').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByRole('button', { name: 'Log in with a passkey' }).waitFor();
    await expectAccessible();
    await confirmation.getByRole('button', { name: 'Log in with a passkey' }).click();
    await passkeys().waitFor({ state: 'detached' });
    const { body } = await client.post('/auth/login', { email, password: PASSWORD }).expect(200);
    expect(body.account.id).toBe(id);

    await page.context().clearCookies();
    await goTo('/');
    await page.getByRole('tab', { name: 'By email' }).click();
    await button('Log in with a passkey').click();
    await page.getByText('The service does not know this passkey').waitFor();
  });

  it('stand beside the authenticator app and the recovery codes as a second factor', async () => {
    const { email, client } = await joinApp(server, app.sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    await goTo('/account');
    await logInByPassword(email);
    await page.getByLabel('Code').fill(totp(body.secret, 1));
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await button('Continue').click();
    await button('Add passkey').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await passkeys().waitFor();
    expect(await page.getByRole('list', { name: 'Recovery codes' }).count()).toBe(0);
    await button('Remove authenticator app').click();
    await page.getByText('Your passkeys stay your second factor').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.context().clearCookies();
    await goTo('/account');
    await logInByPassword(email);
    await page.getByLabel('Code').waitFor();
    await expectAccessible();
    await button('Use a recovery code').click();
    await page.getByLabel('Recovery code').waitFor();
    await button('Use a passkey').click();
    await button('Use passkey').click();
    await passkeys().waitFor();
  });

  it('are not offered where they cannot work, with the reason', async () => {
    const { email } = await joinApp(server, app.sourceAppId, 'viewer');
    await beginSession(email);
    const refusal = {
      message: 'Passkeys need PUBLIC_URL with https: and a host name, or localhost',
      code: 'passkeysNeedUrl',
    };
    await page.route('**/auth/account/passkeys/options', (route) => route.fulfill({ status: 409, json: refusal }));
    await goTo('/account');
    await button('Add passkey').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('You cannot add a passkey: Passkeys need PUBLIC_URL').waitFor();
    await page.getByRole('link', { name: 'PUBLIC_URL' }).waitFor();
    expect(await button('Add passkey').count()).toBe(0);

    await page.route('**/auth/login/passkey/options', (route) => route.fulfill({ status: 409, json: refusal }));
    await page.context().clearCookies();
    await goTo('/');
    await page.getByRole('tab', { name: 'By email' }).click();
    await button('Log in with a passkey').click();
    await page.getByRole('alert').getByText('Passkeys are not set up here').waitFor();

    const plain = await openPage(`${server.listener.url}/dashboard/`, { origins: [server.listener.url] });
    await plain.page.getByRole('tab', { name: 'By email' }).click();
    await plain.page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await plain.page.getByRole('button', { name: 'Log in with a passkey' }).count()).toBe(0);
    plain.expectClean();
    await plain.close();
  });
});
