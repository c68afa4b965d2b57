// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const PASSWORD = 'a password of twelve';

let server: TestServer;
let app: TestApp;
let other: TestApp;
let page: Page;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp();
  other = await server.admin.buildApp();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
const { button, heading } = withStaffPage(
  () => [server.listener.url],
  (opened) => {
    page = opened;
  },
);

async function invite(email: string, role: string, { sourceAppId } = app): Promise<string> {
  const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/invitations`, { email, role }).expect(200);
  return body.link;
}

/** Creates an account, and begins its session in the browser. */
async function enter(email: string, name: string): Promise<void> {
  const token = new URL(await invite(email, 'viewer')).hash.slice(1);
  const given = { token, name, password: PASSWORD };
  await new Client(server.client.url).post('/auth/invitations/accept', given).expect(200);
  const data = { email, password: PASSWORD };
  await page.context().request.post(`${server.listener.url}/auth/login`, { data, failOnStatusCode: true });
}

const accountIs = (name: string) => page.getByRole('button', { name: `Account: ${name}` }).waitFor();

describe('an invitation on a phone', () => {
  it.each([
    ['en-GB', 'Use a passkey instead'],
    ['de-DE', 'Stattdessen einen Passkey verwenden'],
  ])('fits its width in %s', async (locale, widest) => {
    // Passkeys need a host with a name.
    const link = new URL(await invite(`${locale}@example.com`, 'editor'));
    link.hostname = 'localhost';
    const viewport = { width: 375, height: 740 };
    const phone = await openPage(link.href, { origins: [link.origin], locale, viewport });
    await phone.page.getByRole('button', { name: widest }).waitFor();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    phone.expectClean();
    await phone.close();
  });
});

describe('an invitation to somebody who is logged in', () => {
  it('is accepted with one button by the account of its email', async () => {
    await enter('ada@example.com', 'Ada');
    await page.goto(await invite('ada@example.com', 'manager', other));
    await heading('Set up your access');
    const offer = page.getByText('You can change everything in the app, and invite others.');
    await offer.waitFor();
    await page.getByText(other.sourceAppId, { exact: true }).waitFor();
    await page.getByText('You are logged in as Ada (ada@example.com)').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await button('Accept invitation').focus();
    await page.keyboard.press('Enter');
    await heading('Choose an app');
    await page.getByRole('link', { name: `${other.sourceAppId} manager` }).waitFor();
  });

  it('stays open in another language', async () => {
    await enter('eve@example.com', 'Eve');
    await page.goto(await invite('eve@example.com', 'viewer', other));
    await button('Deutsch').click();
    await heading('Zugang einrichten');
    expect(new URL(page.url()).hash).toBe('');
    await button('Einladung annehmen').click();
    await heading('App auswählen');
  });

  it('tells another account so, which logs out and creates the account of the email', async () => {
    await enter('bob@example.com', 'Bob');
    await page.goto(await invite('new@example.com', 'editor', other));
    await page.getByText('You are logged in as bob@example.com').waitFor();
    expect(await button('Accept invitation').count()).toBe(0);
    await button('Log out and continue').click();
    await page.getByLabel('Your name').fill('New');
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('People');
    await accountIs('New');
  });

  it('lets another account log out and in as the account of the email', async () => {
    await enter('carol@example.com', 'Carol');
    await page.context().clearCookies();
    await enter('dave@example.com', 'Dave');
    await page.goto(await invite('carol@example.com', 'editor', other));
    await button('Log out and continue').click();
    await page.getByText('carol@example.com has an account').waitFor();
    // Dave logs in again, who cannot accept it.
    await page.getByRole('textbox', { name: 'Email' }).fill('dave@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Log in').click();
    await page.getByText('You are logged in as dave@example.com').waitFor();
    await button('Log out and continue').click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Log in').click();
    await heading('Choose an app');
    await accountIs('Carol');
  });

  it('explains an invitation that was withdrawn, before anything is entered', async () => {
    const link = await invite('late@example.com', 'viewer', other);
    const path = `/auth/apps/${other.sourceAppId}/invitations`;
    const { body } = await server.admin.get(path).expect(200);
    for (const { id, email } of body.invitations) {
      if (email === 'late@example.com') await server.admin.delete(`${path}/${id}`).expect(200);
    }
    await page.goto(link);
    await page.getByText('This link no longer works').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
  });
});
