// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage, type Visit, visitAs } from '../support/browser/browser.ts';
import { joinApp, PASSWORD, tokenOf } from '../support/server/accounts.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let apps: TestApp[];
beforeAll(async () => {
  server = await startServer();
  apps = [];
  for (let n = 0; n < 24; n += 1) {
    const sourceAppId = `letters-${String(n).padStart(2, '0')}`;
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    apps.push({ sourceAppId, password: body.password });
  }
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

const appOf = (n: number): TestApp => apps[n] as TestApp;
const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to an app or a page' });
const keys = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });
const options = async (page: Page) =>
  (await palette(page).getByRole('option').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true }).innerText();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const focusedLabel = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")');
const pathOf = (page: Page) => new URL(page.url()).pathname.replace('/dashboard', '');

async function end({ expectClean, close }: Visit): Promise<void> {
  expectClean();
  await close();
}

describe('the palette', () => {
  it('leads an admin to one of many apps, found as somebody types, or to a page', async () => {
    const visited = await visitAs(server, ADMIN, '/apps');
    const { page } = visited;
    await page.keyboard.press('Control+k');
    const input = palette(page).getByRole('combobox', { name: 'Name of an app or a page' });
    await input.waitFor();
    expect(await focusedLabel(page)).toBe('Name of an app or a page');
    await palette(page).getByText('There are more apps').waitFor();
    expect((await options(page)).slice(0, 2)).toEqual(['Overview Page', 'Apps Page']);

    await input.fill('TERS-2');
    await expect.poll(() => options(page)).toEqual([20, 21, 22, 23].map((n) => `letters-${n} App`));
    expect(await chosen(page)).toContain('letters-20');
    await page.keyboard.press('ArrowUp');
    expect(await chosen(page)).toContain('letters-23');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).toContain('letters-21');
    const active = await input.getAttribute('aria-activedescendant');
    expect(await page.evaluate(`document.getElementById('${active}').innerText`)).toContain('letters-21');
    await page.keyboard.press('Enter');
    await heading(page, 'People');
    expect(pathOf(page)).toBe('/apps/letters-21/users');
    await palette(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');

    await page.keyboard.press('Meta+k');
    await input.fill('webhooks letters');
    await expect.poll(() => options(page)).toEqual(['Webhooks letters-21']);
    await page.keyboard.press('Enter');
    await heading(page, 'Webhooks');
    expect(pathOf(page)).toBe('/apps/letters-21/webhooks');
    await page.keyboard.press('Control+k');
    await input.waitFor();
    // Enter does not wait for the apps.
    await page.keyboard.type('letters-07');
    await page.keyboard.press('Enter');
    await expect.poll(() => pathOf(page)).toBe('/apps/letters-07/users');
    await page.keyboard.press('Control+k');
    await input.fill('nothing has this name');
    await palette(page).getByText('No app and no page has this name.').waitFor();
    await input.fill('privacy');
    await palette(page).getByRole('option', { name: 'Privacy Page' }).click();
    await heading(page, 'Privacy');
    expect(pathOf(page)).toBe('/privacy');
    await end(visited);
  });

  it('has the pages of an operator, and of a member of several apps those apps', async () => {
    const visited = await visitAs(server, appOf(3));
    const { page } = visited;
    await heading(page, 'People');
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').fill('a');
    expect(await options(page)).toEqual([
      'Link and code Page',
      'Import a form Page',
      'API keys Page',
      'Emails Page',
      'Privacy Page',
      'Audit log Page',
    ]);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    await end(visited);

    const { client, email } = await joinApp(server, appOf(1).sourceAppId, 'viewer');
    const { body } = await server.admin
      .post(`/auth/apps/${appOf(2).sourceAppId}/invitations`, { email, role: 'viewer' })
      .expect(200);
    await client.post('/auth/invitations/accept', { token: tokenOf(body.link), name: 'Member' }).expect(200);
    const member = await openPage('about:blank', { origins: [server.listener.url] });
    const data = { email, password: PASSWORD };
    await member.page.context().request.post(`${server.listener.url}/auth/login`, { data, failOnStatusCode: true });
    await member.page.goto(`${server.listener.url}/dashboard/apps/letters-01/users`);
    await heading(member.page, 'People');
    await member.page.keyboard.press('Control+k');
    await palette(member.page).getByRole('combobox').fill('letters');
    expect(await options(member.page)).toEqual(['letters-01 App', 'letters-02 App']);
    await palette(member.page).getByRole('combobox').fill('02');
    await member.page.keyboard.press('Enter');
    await expect.poll(() => pathOf(member.page)).toBe('/apps/letters-02/users');
    await end(member);
  });
});

describe('the keys', () => {
  it('focus the search of the page, and are listed', async () => {
    const visited = await visitAs(server, ADMIN, '/apps');
    const { page } = visited;
    await page.getByLabel('Search apps').waitFor();
    await page.keyboard.press('/');
    expect(await focusedLabel(page)).toBe('Search apps');
    // What is typed there is text.
    await page.keyboard.type('a/?');
    await page.keyboard.press('Control+k');
    expect(await page.getByLabel('Search apps').inputValue()).toBe('a/?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Search apps').fill('');
    await page.getByRole('button', { name: 'Create app' }).first().focus();
    await page.keyboard.press('?');
    await keys(page).waitFor();
    expect(await keys(page).getByRole('term').allInnerTexts()).toContain('/');
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await keys(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Create app');
    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    await keys(page).waitFor();
    await page.keyboard.press('Escape');
    await keys(page).waitFor({ state: 'detached' });
    await end(visited);
  });

  it('are German in German, and fit a phone', async () => {
    const viewport = { width: 320, height: 640 };
    const origin = server.listener.url;
    const session = { origin, app: ADMIN };
    const visited = await openPage(`${origin}/dashboard/apps`, { viewport, locale: 'de-DE', session });
    const { page } = visited;
    await heading(page, 'Apps');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Zu einer App oder Seite gehen' });
    await dialog.getByRole('option', { name: 'letters-00 App' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Tastenkürzel' }).getByText('Strg').waitFor();
    await end(visited);
  });
});
