// @module-tag long

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage, visitAs } from '../support/browser/browser.ts';
import type { TestSmtp } from '../support/peers/smtp.ts';
import type { TestApp } from '../support/server/client.ts';
import { entryPath } from '../support/server/entry-pages.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { pdfOf } from '../support/server/uploads.ts';
import { withMailServer } from './mail-server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const PHONE = { width: 375, height: 740 };
const DESKTOP = { width: 1280, height: 720 };

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', required: true },
  { key: 'plan', label: 'Plan', kind: 'select', ui: 'radio', enum: ['free', 'pro'], required: true },
  {
    key: 'company',
    label: 'Company',
    kind: 'text',
    required: true,
    showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
    page: 2,
  },
  { key: 'seats', label: 'Seats', kind: 'number', min: 1 },
  { key: 'news', label: 'News', kind: 'checkbox', consent: { version: '1' } },
  { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'], maxFiles: 2 },
  { key: 'visits', label: 'Visits', kind: 'array' },
];
const DATA = { name: 'Ada', plan: 'pro', company: 'Engines', seats: 2, news: true, visits: ['shop'] };

let server: TestServer;
let smtp: TestSmtp;
let account: TestApp;
let app: string;
let id: string;
let path: string;
withMailServer((...started) => {
  [server, smtp] = started;
});
beforeEach(async () => {
  account = await server.admin.buildApp({ fields: FIELDS as never });
  app = account.sourceAppId;
  await settings({ title: 'Club', own: {} });
  id = (await server.client.submit(app, { email: 'ada@example.com', data: DATA }).expect(200)).body.id;
  path = await entryPath(server, app, id);
});

const settings = (form: object) => server.admin.put(`/auth/apps/${app}/form`, form).expect(200);
const stored = () => server.db.collection('users').findOne({ _id: parseUuid(id) as never });
const data = async () => (await stored())?.data;
const edit = (set: object) => server.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set }).expect(200);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Opens the entry behind a link. */
async function open(options: object = {}) {
  const opened = await openPage(server.listener.url + path, { origins: [server.listener.url], ...options });
  await press(opened.page, 'Show your entry');
  await opened.page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  return opened;
}

describe("one's own entry in a browser (spec 4.16)", () => {
  it('from the form to the link, a change, a download and the erasure', async () => {
    await settings({
      title: 'Club',
      own: {},
      reply: { when: 'created', subject: 'Welcome', text: 'Hello\nYour entry: {entryLink}' },
    });
    const origin = server.listener.url;
    const { page, expectClean, close } = await openPage(`${origin}/f/${app}`, { origins: [origin] });
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('free').check();
    await press(page, 'Next');
    await press(page, 'Send');
    await page.getByRole('link', { name: 'See or change your entry' }).click();
    await page.getByLabel('Email').fill('grace@example.com');
    await press(page, 'Send the link');
    await page.getByText('If there is an entry with this email address').waitFor();
    const linksIn = (text: string) => [...text.matchAll(/https:\/\/forms\.example\.com(\/f\/\S+\/entry\/[\w-]+)/g)];
    const links = () => smtp.to('grace@example.com').flatMap(({ text }) => linksIn(text));
    // The link of the reply, and the one that was asked for.
    await expect.poll(() => links().length, POLL).toBeGreaterThanOrEqual(2);
    for (const [, link = ''] of [links()[0], links().at(-1)] as [RegExpMatchArray, RegExpMatchArray]) {
      await page.goto(origin + link);
      expect(await page.locator('body').innerText()).not.toContain('Grace');
      await press(page, 'Show your entry');
      expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    }
    await page.getByLabel('Name').fill('Grace Hopper');
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace Hopper');
    const find = () => server.db.collection('users').findOne({ sourceAppId: app, email: 'grace@example.com' });
    expect((await find())?.data).toMatchObject({ name: 'Grace Hopper', plan: 'free' });
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    expect(download.suggestedFilename()).toBe('entry.json');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({ email: 'grace@example.com' });
    await press(page, 'Erase');
    await press(page, 'Back to the entry');
    await press(page, 'Erase');
    await press(page, 'Erase everything');
    await page.getByText('Your entry is erased.').waitFor();
    expect(await find()).toBeNull();
    expectClean();
    await close();
    const { body } = await server.admin.get(`/auth/audit?sourceAppId=${app}`).expect(200);
    const actions = body.events.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['entry.asked', 'entry.changed', 'entry.exported', 'entry.erased']));
  });

  it('shows and requires what the conditions say, and removes what they hide', async () => {
    const { page, expectClean, close } = await open();
    expect(await page.getByLabel('Company').isVisible()).toBe(true);
    await page.getByLabel('Company').fill('');
    await press(page, 'Save');
    await page.locator('.user-collection-problem').getByText('Is required').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('data-company');
    await page.getByLabel('free').check();
    expect(await page.getByLabel('Company').isVisible()).toBe(false);
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).not.toHaveProperty('company');
    expect(await data()).toMatchObject({ plan: 'free', name: 'Ada' });
    expectClean();
    await close();
  });

  it('evaluates conditions with values that the person cannot change', async () => {
    await settings({ own: { fields: ['company'] } });
    const { page, close } = await open();
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    await page.getByLabel('Company').fill('Looms');
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).toMatchObject({ plan: 'pro', company: 'Looms' });
    await close();
  });

  it('works by keyboard alone', async () => {
    const { page, close } = await openPage(server.listener.url + path);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Mary');
    await page.keyboard.press('Enter');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).toMatchObject({ name: 'Mary' });
    await page.getByRole('button', { name: 'Erase', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Erase everything' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Your entry is erased.').waitFor();
    expect(await stored()).toBeNull();
    await close();
  });

  it('works without JavaScript', async () => {
    const { page, close } = await open({ javaScriptEnabled: false });
    await page.getByLabel('Name').fill('Mary');
    await page.getByLabel('Seats').fill('3');
    await page.getByLabel('CV').setInputFiles({ name: 'one.pdf', mimeType: 'application/pdf', buffer: pdfOf(500, 1) });
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).toMatchObject({ name: 'Mary', seats: 3, company: 'Engines', cv: [{ name: 'one.pdf' }] });
    await page.getByLabel('one.pdf').uncheck();
    await press(page, 'Save');
    await expect.poll(data, POLL).not.toHaveProperty('cv');
    await close();
  });

  it('adds and removes files', async () => {
    const { page, expectClean, close } = await open();
    const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: pdfOf(500, name.length) });
    await page.getByLabel('CV').setInputFiles(pdf('one.pdf'));
    // The form waits for what is on its way.
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).toMatchObject({ cv: [{ name: 'one.pdf' }] });
    await page.getByLabel('CV').setInputFiles(pdf('second.pdf'));
    await page.getByRole('button', { name: 'Remove: one.pdf' }).click();
    await press(page, 'Save');
    const names = async () => (await data())?.cv.map(({ name }: { name: string }) => name);
    await expect.poll(names, POLL).toEqual(['second.pdf']);
    expectClean();
    await close();
  });

  it('shows what was stored meanwhile beside what was typed', async () => {
    const { page, close } = await open();
    await page.getByLabel('Name').fill('Mary');
    await edit({ name: 'Countess', seats: 9 });
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'Your entry was changed in the meantime' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Mary');
    expect(await page.getByLabel('Seats').inputValue()).toBe('9');
    await page.locator('.field').getByText('Stored now: Countess').waitFor();
    await press(page, 'Save');
    await page.getByText('Your changes are saved.').waitFor();
    expect(await data()).toMatchObject({ name: 'Mary', seats: 9 });
    await close();
  });

  it('asks with the proof of work that the form needs', async () => {
    await settings({ title: 'Club', own: {}, botProtection: 'proof-of-work' });
    const before = smtp.to('ada@example.com').length;
    const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}/entry`);
    await page.getByLabel('Email').fill('ada@');
    await press(page, 'Send the link');
    await page.getByText('Must be an email address').waitFor();
    await page.getByLabel('Email').fill('ada@example.com');
    await press(page, 'Send the link');
    await page.getByText('If there is an entry with this email address').waitFor();
    await expect.poll(() => smtp.to('ada@example.com').length, POLL).toBeGreaterThan(before);
    expectClean();
    await close();
  });
});

const PAGES: { name: string; act?: (page: Page) => Promise<unknown>; at?: () => string }[] = [
  { name: 'the page that asks for the email', at: () => `/f/${app}/entry` },
  {
    name: 'the answer to it',
    at: () => `/f/${app}/entry`,
    act: async (page) => {
      await page.getByLabel('Email').fill('nobody@example.com');
      await press(page, 'Send the link');
      await page.locator('.note.good').waitFor();
    },
  },
  { name: 'the page of a link' },
  { name: 'a wrong link', at: () => `${path}x` },
  { name: 'an entry', act: (page) => press(page, 'Show your entry') },
  {
    name: 'an entry after a save',
    act: async (page) => {
      await press(page, 'Show your entry');
      await page.getByLabel('Name').fill('Mary');
      await press(page, 'Save');
      await page.locator('.note.good').waitFor();
    },
  },
  {
    name: 'an entry after a conflict',
    act: async (page) => {
      await press(page, 'Show your entry');
      await page.getByLabel('Name').fill('Mary');
      await edit({ name: 'Countess' });
      await press(page, 'Save');
      await page.locator('.summary').waitFor();
    },
  },
  {
    name: 'the question before an erasure',
    act: async (page) => {
      await press(page, 'Show your entry');
      await press(page, 'Erase');
      await page.getByRole('button', { name: 'Erase everything' }).waitFor();
    },
  },
];

it.each(PAGES)('$name fits a phone, and has no axe violations in light and dark', async ({ at, act }) => {
  const { page, expectClean, close } = await openPage(server.listener.url + (at?.() ?? path), { viewport: PHONE });
  await act?.(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await page.setViewportSize(DESKTOP);
  expect(await axeViolationsInBothModes(page)).toEqual([]);
  expectClean();
  await close();
});

describe('the dashboard', () => {
  it('says what people may do, with a preview, and saves it', async () => {
    await settings({});
    const { page, expectClean, close } = await visitAs(server, account, '/settings');
    await page.getByLabel('People may see their entry').check();
    const preview = page.getByRole('region', { name: 'The page as people see it' });
    await preview.getByText('ada@example.com').waitFor();
    expect(await preview.locator('main').innerText()).toMatch(/Save[\s\S]*Download[\s\S]*Erase/);
    await page.getByLabel('All fields of the form').uncheck();
    const group = page.getByRole('group', { name: 'Fields that people may change' });
    for (const label of ['Plan', 'Company', 'Seats', 'News', 'CV'])
      await group.getByLabel(label, { exact: true }).uncheck();
    expect(await group.getByLabel('Visits').count()).toBe(0);
    await page.getByLabel('People may erase everything').uncheck();
    await expect.poll(() => preview.locator('main').innerText(), POLL).not.toContain('Erase');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved. The settings apply now.').waitFor();
    const { body } = await server.admin.get(`/auth/apps/${app}/form`).expect(200);
    expect(body.own).toEqual({ fields: ['name'], erase: false, export: true });
    await page.reload();
    expect(await group.getByLabel('Name').isChecked()).toBe(true);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.setViewportSize(DESKTOP);
    await page.getByLabel('People may see their entry').uncheck();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect((await server.admin.get(`/auth/apps/${app}/form`).expect(200)).body).not.toHaveProperty('own');
    expectClean();
    await close();
  });

  it('says what is missing where the service sends no email', async () => {
    const silent = await startServer({}, server.database);
    try {
      const { page, close } = await visitAs(silent, account, '/settings');
      const box = page.getByLabel('People may see their entry');
      // They may be taken away.
      await box.uncheck();
      await expect.poll(() => box.isDisabled(), POLL).toBe(true);
      expect(await page.getByText('This service sends no email').count()).toBe(2);
      await close();
    } finally {
      await closeBrowser();
      await silent.close();
    }
  });

  it('shows the link in a reply to the person', async () => {
    const { page, close } = await visitAs(server, account, '/settings');
    await page.getByLabel('Reply to the person by email').selectOption('created');
    await page.getByText('{entryLink}').waitFor();
    await page.getByLabel('Text of the reply').fill('Your entry: {entryLink}');
    await page.getByRole('region', { name: 'Preview of the reply' }).getByText(`/f/${app}/entry/…`).waitFor();
    await page.getByLabel('People may see their entry').uncheck();
    expect(await page.getByText('{entryLink}', { exact: true }).count()).toBe(0);
    await close();
  });

  it('sends a person a link, says why none is sent, and who changed the record', async () => {
    const opened = await open();
    await opened.page.getByLabel('Name').fill('Mary');
    await press(opened.page, 'Save');
    await opened.page.getByText('Your changes are saved.').waitFor();
    await opened.close();
    const { page, expectClean, close } = await visitAs(server, account, `/users/${id}`);
    await page.getByText('Last changed by the person').waitFor();
    expect(await page.getByRole('region', { name: 'History' }).innerText()).toContain('The person');
    const before = smtp.to('ada@example.com').length;
    const send = async () => {
      await page.getByRole('button', { name: 'Actions for ada@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Send a link to their entry' }).click();
    };
    for (let count = 1; count <= 3; count += 1) {
      await send();
      await expect.poll(() => smtp.to('ada@example.com').length, POLL).toBe(before + count);
    }
    await send();
    await page.getByText('as many emails as are allowed').waitFor();
    await settings({ title: 'Club' });
    await send();
    await page.getByText('may do nothing with their entry').waitFor();
    expectClean();
    await close();
  });
});
