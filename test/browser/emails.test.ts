// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage, visitAs } from '../support/browser/browser.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { type RawSmtp, startRawSmtp } from '../support/peers/raw-smtp.ts';
import { mailEnv } from '../support/peers/smtp.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const PHONE = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 720 };
const PASSWORD = '535 5.7.8 wrong';

let smtp: RawSmtp;
let server: TestServer;
let app: TestApp;
// A server of its own for each test: it logs in to the mail server once for many emails.
beforeEach(async () => {
  smtp = await startRawSmtp();
  const SMTP_URL = `smtp://ada:secret@127.0.0.1:${smtp.port}`;
  server = await startServer({ ...mailEnv(smtp), SMTP_URL });
  app = await server.admin.buildApp();
  const notify = { emails: ['team@example.com'], when: 'each' };
  await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, { notify }).expect(200);
});

afterEach(async () => {
  await server.close();
  await smtp.close();
});
afterAll(closeBrowser);

const row = (page: Page, name: RegExp) => page.getByRole('row', { name });
const table = (page: Page) => page.getByRole('region', { name: 'Table of sent emails' });
const submit = () => server.client.submit(app.sourceAppId, { email: 'grace@example.com' }).expect(200);

/** Lets the wait of the emails of the app pass. */
async function makeDue(): Promise<void> {
  const { _id: appId } = await appDocument(server, app.sourceAppId);
  await server.db.collection('mails').updateMany({ appId, state: 'due' }, { $set: { nextAt: new Date() } });
  server.services.jobs.wake('mails');
}

/** Resolves when the first attempt of the newest email has ended. */
const untilAttempted = () =>
  expect
    .poll(async () => {
      const { body } = await server.admin.get(`/auth/mails?sourceAppId=${app.sourceAppId}`);
      return body.mails[0]?.attempts.length;
    })
    .toBe(1);

describe('the page of emails', () => {
  it('shows without a reload what became of each, and why, and sends a failed one again', async () => {
    const { page, expectClean, close } = await visitAs(server, app, '/emails');
    await page.getByText('No emails yet').waitFor();
    smtp.answers = { AUTH: PASSWORD };
    await submit();
    await row(page, /Waiting.*the mail server refused the password.*Next attempt in a moment.*Notification/).waitFor();
    smtp.answers = { RCPT: '550 5.1.1 <team@example.com> unknown' };
    await makeDue();
    await row(page, /Failed.*the mailbox is unknown.*Notification of your team/).waitFor();
    await table(page).getByText('2 attempts').click();
    const attempts = await table(page).locator('ol li').allInnerTexts();
    expect(attempts).toEqual([
      expect.stringMatching(/the mail server refused the password · Status 535\s+5\.7\.8 wrong/),
      expect.stringMatching(/the mailbox is unknown · Status 550\s+5\.1\.1 \[…\] unknown/),
    ]);
    expect(await page.content()).not.toContain('grace@example.com');

    smtp.answers = {};
    await page.getByRole('button', { name: 'Send again: Notification of your team' }).focus();
    await page.keyboard.press('Enter');
    await row(page, /Sent.*Notification of your team/).waitFor();
    await table(page).getByText('3 attempts').waitFor();
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
    await table(page).getByRole('link', { name: 'Record' }).click();
    await page.getByRole('heading', { level: 1, name: 'grace@example.com' }).waitFor();
    expectClean();
    await close();
  });

  it('filters them by state, also after a reload', async () => {
    await submit();
    const { page, expectClean, close } = await visitAs(server, app, '/emails');
    await row(page, /Sent.*Notification of your team/).waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No emails in this state').waitFor();
    await page.reload();
    await page.getByText('No emails in this state').waitFor();
    await page.getByLabel('State').selectOption('Sent');
    await row(page, /Sent.*Notification of your team/).waitFor();
    expectClean();
    await close();
  });

  it('sends a test email, and says why it was not sent', async () => {
    const { page, expectClean, close } = await visitAs(server, app, '/emails');
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText('The mail server took the test email').waitFor();
    smtp.answers = { AUTH: PASSWORD };
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByRole('alert').getByText('The test email was not sent').waitFor();
    await page.getByRole('alert').getByText('the mail server refused the password').waitFor();
    await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, {}).expect(200);
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText('There is no address for a test email').waitFor();
    expectClean();
    await close();
  });

  it.each(['en-GB', 'de-AT'])('has no axe violation and fits a phone, also with a failure: %s', async (locale) => {
    smtp.answers = { AUTH: PASSWORD };
    await submit();
    // The page asks for the list at intervals.
    await untilAttempted();
    const origin = server.listener.url;
    const path = `${origin}/dashboard/apps/${app.sourceAppId}/emails`;
    const { page, expectClean, close } = await openPage(path, { origins: [origin], session: { origin, app }, locale });
    const reason =
      locale === 'en-GB' ? 'the mail server refused the password' : 'der Mailserver hat das Passwort abgelehnt';
    await row(page, new RegExp(reason)).waitFor();
    await page.locator('details summary').first().click();
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    // The entry of the section is behind the button.
    await page.locator('button[aria-expanded=false]').getByText(reason).waitFor({ state: 'attached' });
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.setViewportSize(WIDE);
    expectClean();
    await close();
  });
});

describe('a failure of the last day', () => {
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main', exact: true });
  const REASON = 'An email could not be sent: the mail server refused the password';

  it('is marked in the navigation with its reason, until the email was sent', async () => {
    smtp.answers = { AUTH: PASSWORD };
    await submit();
    await untilAttempted();
    const first = await visitAs(server, app, '/users');
    await navigation(first.page)
      .getByRole('link', { name: `Automation (${REASON})` })
      .click();
    await first.page.getByRole('link', { name: `Emails (${REASON})` }).click();
    await first.page.getByRole('status').getByText(REASON).waitFor();
    first.expectClean();
    await first.close();

    smtp.answers = {};
    await makeDue();
    await expect
      .poll(async () => (await server.admin.get(`/auth/mails?sourceAppId=${app.sourceAppId}`)).body.mails[0]?.state)
      .toBe('sent');
    const second = await visitAs(server, app, '/emails');
    await row(second.page, /Sent/).waitFor();
    await navigation(second.page).getByRole('link', { name: 'Automation', exact: true }).waitFor();
    await second.close();
  });

  it('is not marked after a day', async () => {
    smtp.answers = { AUTH: PASSWORD };
    await submit();
    const { _id: appId } = await appDocument(server, app.sourceAppId);
    const mails = server.db.collection('mails');
    await expect.poll(() => mails.countDocuments({ appId, 'log.0': { $exists: true } })).toBe(1);
    const old = new Date(Date.now() - 25 * 3_600_000);
    await mails.updateMany({ appId }, { $set: { 'log.0.at': old, nextAt: new Date(Date.now() + 3_600_000) } });
    const { page, close } = await visitAs(server, app, '/emails');
    await row(page, /Waiting.*the mail server refused the password/).waitFor();
    await navigation(page).getByRole('link', { name: 'Automation', exact: true }).waitFor();
    expect(await page.getByText(REASON).count()).toBe(0);
    await close();
  });
});
