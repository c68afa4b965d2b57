// @module-tag long

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { languageOf } from '../../src/platform/languages/languages.ts';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { follow, openPage, type Visit, visitAs } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { mailEnv, type TestSmtp } from '../support/peers/smtp.ts';
import { PASSWORD } from '../support/server/accounts.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { withMailServer } from './mail-server.ts';

const POLL = { timeout: 15_000, interval: 20 };
const PHONE = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 720 };

let smtp: TestSmtp;
let server: TestServer;
let app: TestApp;
withMailServer((...started) => {
  [server, smtp] = started;
});
beforeEach(async () => {
  app = await server.admin.buildApp();
});

const settingsPath = () => `/auth/apps/${app.sourceAppId}/form`;
const stored = async () => (await server.admin.get(settingsPath()).expect(200)).body;

async function openSettings(on: TestServer, options: Parameters<typeof visitAs>[3] = {}): Promise<Visit> {
  const opened = await visitAs(on, app, '/settings', options);
  await opened.page.getByRole('heading', { name: 'Email' }).waitFor();
  return opened;
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Saved. The settings apply now.').waitFor();
};

describe('a new app from a template', () => {
  it('offers a notification of each entry, which answers go to', async () => {
    const { page, expectClean, close } = await visitAs(
      server,
      { sourceAppId: 'admin', password: ADMIN_PASSWORD },
      '/new-form',
    );
    await page.getByText('Contact', { exact: true }).click();
    await page.getByRole('textbox', { name: 'App ID' }).fill('offered');
    await page.getByLabel('Email each submission to').fill('team@example.com');
    await page.getByRole('button', { name: 'Create form' }).click();
    await page.getByRole('heading', { name: 'Your form is ready' }).waitFor();
    const data = { name: 'Ada', message: 'Hello' };
    await server.client.submit('offered', { email: 'ada@example.com', data }).expect(200);
    await expect.poll(() => smtp.to('team@example.com').at(-1)?.header('reply-to'), POLL).toBe('ada@example.com');
    expectClean();
    await close();
  });
});

describe('the settings of email', () => {
  it('are saved, shown again and unset', async () => {
    const { page, expectClean, close } = await openSettings(server);
    await page.getByLabel('Ask people to confirm their email address').check();
    await page.getByLabel('Notify by email').fill('team@example.com\nBoss@example.com');
    await page.getByLabel('Send the notification').selectOption('daily');
    await page.getByText('3 unsaved changes').waitFor();
    await save(page);
    expect(await stored()).toMatchObject({
      doubleOptIn: true,
      notify: { emails: ['team@example.com', 'boss@example.com'], when: 'daily' },
    });
    await page.reload();
    expect(await page.getByLabel('Ask people to confirm their email address').isChecked()).toBe(true);
    expect(await page.getByLabel('Notify by email').inputValue()).toBe('team@example.com\nboss@example.com');
    expect(await page.getByLabel('Send the notification').inputValue()).toBe('daily');
    // Another setting leaves them.
    await page.getByLabel('Maximum number of records').fill('500');
    await save(page);
    expect((await stored()).notify.when).toBe('daily');
    await page.getByLabel('Ask people to confirm their email address').uncheck();
    await page.getByLabel('Notify by email').fill('');
    await save(page);
    expect(await stored()).not.toHaveProperty('notify');
    expect(await stored()).not.toHaveProperty('doubleOptIn');
    expectClean();
    await close();
  });

  it('say who may change a record', async () => {
    const field = (page: Page) => page.getByLabel('Who may change a record?');
    const { page, expectClean, close } = await openSettings(server);
    expect(await field(page).inputValue()).toBe('');
    await field(page).selectOption('confirm');
    await page.getByText('wait for a week until the person confirms them').waitFor();
    await save(page);
    expect(await stored()).toMatchObject({ existing: 'confirm' });
    await follow(page, 'Form');
    await page.getByText('Thank-you page', { exact: true }).click();
    await page.locator('[data-preview]').getByText(languageOf('en').text('thanksKnown')).waitFor();
    await follow(page, 'Settings');
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe('confirm');
    await field(page).selectOption('keep');
    await save(page);
    expect(await stored()).toMatchObject({ existing: 'keep' });
    await field(page).selectOption('');
    await save(page);
    expect(await stored()).not.toHaveProperty('existing');
    expectClean();
    await close();
  });

  it('say what answers tell of the record', async () => {
    const { page, expectClean, close } = await openSettings(server);
    const receipt = page.getByLabel('Answer to a submission');
    const tells = page.getByText('Answers of this app tell whether it knows the email address.');
    const hides = page.getByText('Answers of this app do not tell whether it knows the email address.');
    const answer = async () => (await server.client.submit(app.sourceAppId, { email: 'ada@example.com' })).body;
    await tells.waitFor();
    // As the rule about known people needs it.
    await page.getByLabel('Who may change a record?').selectOption('keep');
    await hides.waitFor();
    await receipt.selectOption('With the id and the times of the record');
    await tells.waitFor();
    await save(page);
    expect(await stored()).toMatchObject({ existing: 'keep', receipt: true });
    expect(await answer()).toHaveProperty('id');
    await page.getByLabel('Who may change a record?').selectOption('');
    await receipt.selectOption('Only that it was accepted');
    await hides.waitFor();
    await save(page);
    expect(await stored()).toMatchObject({ receipt: false });
    expect(await stored()).not.toHaveProperty('existing');
    expect(await answer()).toEqual({ ok: true });
    await page.reload();
    await hides.waitFor();
    expect(await receipt.inputValue()).toBe('false');
    await receipt.selectOption('Standard');
    await save(page);
    expect(await stored()).not.toHaveProperty('receipt');
    expect(await answer()).toHaveProperty('id');
    expectClean();
    await close();
  });

  it('show the problem of an address', async () => {
    const { page, close } = await openSettings(server);
    await page.getByLabel('Notify by email').fill('team@example.com, nobody');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Must be an email address').waitFor();
    await close();
  });

  it('are listed on a page of their own, each with when it is sent and a link to its setting', async () => {
    const { page, close } = await openSettings(server);
    await page.getByLabel('Notify by email').fill('team@example.com');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved. The settings apply now.').waitFor();
    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByRole('link', { name: 'Emails', exact: true }).click();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await row('Notification of your team').getByText('team@example.com', { exact: true }).waitFor();
    await row('Notification of your team').getByText('For each new or changed entry, with its values').waitFor();
    await row('Reply to a submission').getByText('Not sent').waitFor();
    await page.getByRole('link', { name: 'Reply to a submission' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await close();
  });

  it('are disabled with the reason on a server that cannot send what they need', async () => {
    const doubleOptIn = (page: Page) => page.getByLabel('Ask people to confirm their email address');
    const without = await startServer({}, server.database);
    const first = await openSettings(without);
    await first.page.getByText('This service sends no email: its setting SMTP_URL is not set.').waitFor();
    const explained = await first.page.getByRole('link', { name: 'SMTP_URL' }).getAttribute('href');
    const { pathname } = new URL(explained ?? '', without.listener.url);
    expect((await without.client.get(pathname).buffer().expect(200)).text).toContain('`SMTP_URL`');
    expect(await doubleOptIn(first.page).isDisabled()).toBe(true);
    const ask = first.page.getByLabel('Who may change a record?').locator('option[value=confirm]');
    expect(await ask.isDisabled()).toBe(true);
    expect(await first.page.getByLabel('Notify by email').isDisabled()).toBe(true);
    await first.close();
    await without.close();

    const noLinks = await startServer(mailEnv(smtp, ''), server.database);
    const second = await openSettings(noLinks);
    await second.page.getByText('its setting PUBLIC_URL is not set').waitFor();
    expect(await doubleOptIn(second.page).isDisabled()).toBe(true);
    expect(await second.page.getByLabel('Notify by email').isEnabled()).toBe(true);
    await second.close();
    await noLinks.close();
  });
});

describe('a form that is made', () => {
  it('offers an email of each submission to who makes it, and sends it', async () => {
    const own = await startServer(mailEnv(smtp));
    const token = await own.services.accounts.service.firstLink();
    const email = `${randomUUID()}@example.com`;
    await own.client.post('/auth/invitations/accept', { token, email, name: 'Ada', password: PASSWORD }).expect(200);
    const { page, close } = await openPage(`${own.listener.url}/dashboard/new-form`, { origins: [own.listener.url] });
    await page.context().request.post(`${own.listener.url}/auth/login`, { data: { email, password: PASSWORD } });
    await page.reload();
    await page.getByRole('radio', { name: 'Contact' }).check();
    const offered = page.getByLabel('Email each submission to');
    expect(await offered.inputValue()).toBe(email);
    await page.getByRole('button', { name: 'Create form' }).click();
    await page.getByRole('heading', { name: 'Your form is ready' }).waitFor();
    const data = { name: 'Grace', message: 'Hello' };
    await own.client.submit('contact', { email: 'grace@example.com', data }).expect(200);
    await expect.poll(() => smtp.to(email).at(0)?.header('reply-to'), POLL).toBe('grace@example.com');
    expect(smtp.to(email)).toHaveLength(1);

    await page.goto(`${own.listener.url}/dashboard/new-form`);
    await page.getByRole('radio', { name: 'Newsletter' }).check();
    await offered.fill('');
    await page.getByRole('button', { name: 'Create form' }).click();
    await page.getByRole('heading', { name: 'Your form is ready' }).waitFor();
    const { body } = await own.admin.get('/auth/apps/newsletter/form').expect(200);
    expect(body.notify ?? null).toBeNull();
    await close();
    await own.close();
  });
});

describe('the page after a submission of a form that asks for a confirmation', () => {
  const german = languageOf('de').text;
  const pages: Record<string, SitePage> = {};
  let site: Site;
  beforeAll(async () => {
    site = await startSite(pages);
  });
  afterAll(() => site.close());

  const form = (settings: object = {}) =>
    server.admin
      .put(settingsPath(), { locale: 'de', doubleOptIn: true, origins: [site.origin], ...settings })
      .expect(200);
  async function submit(page: Page): Promise<void> {
    await page.getByLabel(german('email')).fill(`${randomUUID()}@example.com`);
    await page.getByRole('button', { name: german('send') }).click();
  }

  it.each([true, false])('says that an email was sent, with JavaScript: %s', async (javaScriptEnabled) => {
    await form();
    const url = `${server.listener.url}/f/${app.sourceAppId}`;
    const { page, expectClean, close } = await openPage(url, { javaScriptEnabled, viewport: PHONE });
    await submit(page);
    await page.getByText(german('thanks')).waitFor();
    expect(page.url()).toBe(`${url}/thanks`);
    await page.getByText(german('thanksConfirm')).waitFor();
    // axe is a script.
    if (javaScriptEnabled) expect(await axeViolationsInBothModes(page)).toEqual([]);
    // A held submission causes no email.
    await page.goto(`${url}/thanks?held=1`);
    await page.getByText(german('thanksHeld')).waitFor();
    expect(await page.getByText(german('thanksConfirm')).count()).toBe(0);
    await form({ doubleOptIn: false });
    await page.goto(`${url}/thanks`);
    await page.getByText(german('thanks')).waitFor();
    expect(await page.getByText(german('thanksConfirm')).count()).toBe(0);
    expectClean();
    await close();
  });

  it.each([undefined, 'Bis bald'])(
    'says it in a page of another site, beside the text of the app: %s',
    async (thanks) => {
      await form({ thanks });
      const element = `<div data-user-collection="${app.sourceAppId}"></div>`;
      pages['/page'] = { html: `${element}<script src="${server.listener.url}/embed/v1.js"></script>` };
      const { page, expectClean, close } = await openPage(`${site.origin}/page`);
      await submit(page);
      const lines = [thanks ?? german('thanks'), german('thanksConfirm')];
      await expect.poll(() => page.getByRole('status').innerText()).toBe(lines.join('\n'));
      expectClean();
      await close();
    },
  );

  it('is shown beside the texts of the form', async () => {
    await form({ locale: 'en' });
    const { page, close } = await openSettings(server);
    await follow(page, 'Form');
    await page.getByText('Thank-you page', { exact: true }).click();
    await page.locator('[data-preview]').getByText(languageOf('en').text('thanksConfirm')).waitFor();
    await close();
  });
});

describe('a confirmation', () => {
  const spanish = languageOf('es').text;
  let id: string;
  let url: string;
  beforeEach(async () => {
    const email = `${randomUUID()}@example.com`;
    await server.admin.put(settingsPath(), { title: 'Noticias', locale: 'es', doubleOptIn: true }).expect(200);
    id = (await server.client.submit(app.sourceAppId, { email }).expect(200)).body.id;
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email)[0]?.text ?? '') ?? [];
    url = server.listener.url + path;
  });
  const record = () => server.db.collection('users').findOne({ _id: parseUuid(id) as never });

  it.each([true, false])('takes a press of the button, with JavaScript: %s', async (javaScriptEnabled) => {
    const { page, expectClean, close } = await openPage(url, { javaScriptEnabled });
    await page.getByRole('heading', { level: 1, name: 'Noticias' }).waitFor();
    expect(await record()).not.toHaveProperty('confirmedAt');
    await page.getByRole('button', { name: spanish('confirmButton') }).click();
    await page.getByText(spanish('confirmed')).waitFor();
    expect((await record())?.confirmedAt).toBeInstanceOf(Date);
    await page.goto(url);
    await page.getByText(spanish('confirmed')).waitFor();
    expectClean();
    await close();
  });

  it('is shown with the record', async () => {
    const opened = await visitAs(server, app, `/users/${id}`);
    await opened.page.getByText('Email not confirmed').waitFor();
    await server.client.post(new URL(url).pathname).set('Accept', 'text/html').expect(200);
    await opened.page.reload();
    await opened.page.getByText('Email confirmed').waitFor();
    opened.expectClean();
    await opened.close();
  });

  it('has pages without axe violations in light and dark mode, which fit a width of 320 px', async () => {
    const wrong = `${url.slice(0, url.lastIndexOf('/'))}/x`;
    const { _id: appId } = await appDocument(server, app.sourceAppId);
    const recordId = parseUuid(id);
    if (!recordId) throw new Error('no record');
    const { linkPath } = server.services.confirmations;
    const expired = server.listener.url + linkPath(app.sourceAppId, appId, { recordId, expiresAt: new Date(0) });
    const { page, close } = await openPage('about:blank');
    for (const one of [url, wrong, expired, `${server.listener.url}/f/nobody/confirm/x`]) {
      await page.setViewportSize(WIDE);
      await page.goto(one);
      expect(await axeViolationsInBothModes(page), one).toEqual([]);
      await page.setViewportSize(PHONE);
      expect(await page.evaluate('document.documentElement.scrollWidth'), one).toBe(PHONE.width);
    }
    await page.goto(url);
    await page.getByRole('button').click();
    await page.getByText(spanish('confirmed')).waitFor();
    await page.setViewportSize(WIDE);
    expect(await axeViolationsInBothModes(page), 'the confirmed page').toEqual([]);
    await close();
  });
});

describe('the link of a change', () => {
  const german = languageOf('de').text;

  it.each([true, false])('takes a press of the button, with JavaScript: %s', async (javaScriptEnabled) => {
    const email = `${randomUUID()}@example.com`;
    const submit = (name: string) => server.client.submit(app.sourceAppId, { email, data: { name } }).expect(200);
    await server.admin.put(settingsPath(), { title: 'Verein', locale: 'de', existing: 'confirm' }).expect(200);
    await submit('Ada');
    await submit('Grace');
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email)[0]?.text ?? '') ?? [];
    const url = server.listener.url + path;
    const { page, expectClean, close } = await openPage(url, { javaScriptEnabled, viewport: PHONE });
    await page.getByText(german('changeAsk')).waitFor();
    expect(await page.title()).toBe('Angaben bestätigen: Verein');
    if (javaScriptEnabled) {
      expect(await axeViolationsInBothModes(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    }
    const record = () => server.db.collection('users').findOne({ sourceAppId: app.sourceAppId, email });
    expect((await record())?.data).toEqual({ name: 'Ada' });
    await page.getByRole('button', { name: german('changeButton') }).click();
    await page.getByText(german('thanks')).waitFor();
    await page.getByText('Grace').waitFor();
    if (javaScriptEnabled) {
      expect(await axeViolationsInBothModes(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    }
    expect((await record())?.data).toEqual({ name: 'Grace' });
    expectClean();
    await close();
    const again = await openPage(url, { javaScriptEnabled });
    await again.page.getByText(german('thanks')).waitFor();
    await again.close();
  });
});
