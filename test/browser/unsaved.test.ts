// @module-tag long

import type { Dialog, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { goWithin, logIn, visit } from '../support/browser/browser.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const dialog = () => users.page.getByRole('dialog');
const question = () => dialog().getByRole('alert').filter({ hasText: 'Discard what you changed?' });
const path = () => new URL(users.page.url()).pathname.replace(/.*\/apps\/[^/]+/, '');

/** Goes to another page, which the browser asks about, and answers. */
async function leave(page: Page, go: () => Promise<unknown>, answer: 'accept' | 'dismiss'): Promise<string> {
  page.removeAllListeners('dialog');
  const asked = new Promise<Dialog>((resolve) => page.once('dialog', resolve));
  // Nothing is answered before the dialog is closed.
  const gone = go();
  const shown = await asked;
  await shown[answer]();
  await gone;
  return shown.type();
}

const back = () => users.page.evaluate('setTimeout(() => history.back())');
const follow = (name: string) => () =>
  users.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
const closeTab = () => users.page.close({ runBeforeUnload: true });

describe('an unsaved change', () => {
  it('of a record is not lost by Back and by the end of the tab without a question', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await users.page.getByRole('link', { name: 'ada@example.com' }).click();
    await users.page.getByRole('button', { name: 'Edit' }).click();
    await dialog().getByLabel('Full name').click();
    await users.page.keyboard.type(' Lovelace');
    const opened = path();
    expect(await leave(users.page, back, 'dismiss')).toBe('confirm');
    expect(await leave(users.page, closeTab, 'dismiss')).toBe('beforeunload');
    expect(path()).toBe(opened);
    expect(await dialog().getByLabel('Full name').inputValue()).toBe('Ada Lovelace');
    // A browser lets a page cancel Back once for each time that it is used.
    await dialog().getByLabel('Full name').click();
    await leave(users.page, back, 'accept');
    await users.page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    // Nothing is unsaved here.
    await users.page.evaluate('history.forward()');
    await users.page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
  });

  it('of a page with a form is not lost by a link without a question', async () => {
    await users.logInAsAdmin();
    await users.goTo(`/apps/${users.app.sourceAppId}/share`);
    const address = users.page.getByLabel('Address of your website');
    await address.fill('https://shop.example.com');
    const link = follow('Privacy');
    expect(await leave(users.page, link, 'dismiss')).toBe('confirm');
    expect(path()).toBe('/share');
    expect(await address.inputValue()).toBe('https://shop.example.com');
    await leave(users.page, link, 'accept');
    await users.page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();

    await users.goTo(`/apps/${users.app.sourceAppId}/privacy`);
    const days = users.page.getByLabel('How long changes and submissions are kept');
    await days.fill('33');
    expect(await leave(users.page, follow('People'), 'dismiss')).toBe('confirm');
    expect(await days.inputValue()).toBe('33');
  });

  it('of a draft that is kept, or that was saved, is not asked about', async () => {
    await users.logInAsAdmin();
    await users.goTo(`/apps/${users.app.sourceAppId}/form/texts`);
    await users.page.getByLabel('Title', { exact: true }).fill('Kept');
    await follow('Privacy')();
    await users.page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    await users.page.evaluate('history.back()');
    await expect.poll(() => users.page.getByLabel('Title', { exact: true }).inputValue()).toBe('Kept');
    await users.page.getByRole('button', { name: 'Save settings' }).click();
    await users.page.getByText('Saved. The settings apply now.').waitFor();
  });

  it('in a dialog is not lost by Escape, its cross and a click outside', async () => {
    await users.logIn();
    await users.goTo('/webhooks');
    const add = users.page.getByRole('button', { name: 'Add webhook' }).first();
    await add.click();
    await dialog().getByLabel('URL').waitFor();
    await users.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    await add.click();
    await dialog().getByLabel('URL').fill('https://example.com/hooks');
    for (const close of [
      () => users.page.keyboard.press('Escape'),
      () => users.page.mouse.click(5, 5),
      () => dialog().locator('header button').click(),
    ]) {
      await close();
      await question().waitFor();
      await question().getByRole('button', { name: 'Keep editing' }).click();
      await question().waitFor({ state: 'detached' });
      expect(await dialog().getByLabel('URL').inputValue()).toBe('https://example.com/hooks');
    }
    expect(await leave(users.page, closeTab, 'dismiss')).toBe('beforeunload');
    await users.page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Discard' }).click();
    await dialog().waitFor({ state: 'detached' });
    await add.click();
    expect(await dialog().getByLabel('URL').inputValue()).toBe('');
  });

  it('in the dialog of a new app or of an erasure is not lost by Back without a question', async () => {
    const { sourceAppId } = users.app;
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logInAsAdmin();
    await users.goTo(`/apps/${sourceAppId}/users`);
    await users.page.getByRole('link', { name: 'ada@example.com' }).click();
    await users.page.getByRole('button', { name: 'Erase person' }).click();
    await dialog().getByLabel('Email').fill('ada@');
    const record = path();
    expect(await leave(users.page, back, 'dismiss')).toBe('confirm');
    expect(path()).toBe(record);
    await users.page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Keep editing' }).click();
    // The list that follows an erasure is not asked about.
    await dialog().getByLabel('Email').fill('ada@example.com');
    await dialog().getByRole('button', { name: 'Erase permanently' }).click();
    await users.page.getByRole('heading', { level: 1, name: 'People' }).waitFor();

    await goWithin(users.page, '/apps');
    await users.page.getByRole('button', { name: 'Create app' }).first().click();
    await dialog().getByLabel('App ID').fill('shop');
    expect(await leave(users.page, back, 'dismiss')).toBe('confirm');
    expect(await dialog().getByLabel('App ID').inputValue()).toBe('shop');
    users.page.removeAllListeners('dialog');
  });

  it('of many people asks, and not any more when it has begun', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await users.waitForText('1 person');
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Full name');
    await dialog().getByLabel('New value').fill('Ada Lovelace');
    await users.page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog().getByLabel('New value').inputValue()).toBe('Ada Lovelace');
    await dialog()
      .getByRole('button', { name: /^Change 1 person/ })
      .click();
    await dialog()
      .getByText(/changed/)
      .first()
      .waitFor();
    await users.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('of a filter and the name of a view stay when something else is pressed', async () => {
    await users.logIn();
    await users.page.getByRole('button', { name: 'Add filter' }).click();
    await dialog().getByLabel('Text').fill('ada');
    await users.page.mouse.click(5, 5);
    await users.page.keyboard.press('Escape');
    expect(await dialog().getByLabel('Text').inputValue()).toBe('ada');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    const menu = users.page.getByRole('button', { name: 'Views' });
    await menu.click();
    await dialog().getByLabel('Save this view as').fill('Mine');
    await users.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await menu.click();
    expect(await dialog().getByLabel('Save this view as').inputValue()).toBe('Mine');
  });
});

describe('a secret on a page without HTTPS', () => {
  it('is copied, and the focus stays in its dialog', async () => {
    const { port } = new URL(users.server.listener.url);
    const opened = await visit(users.server, '/', {}, `http://dashboard.test:${port}`);
    const { page } = opened;
    await logIn(page, users.app);
    expect(await page.evaluate('navigator.clipboard === undefined')).toBe(true);
    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const shown = page.getByRole('dialog');
    await shown.getByLabel('Name').fill('Program');
    await shown.getByRole('checkbox', { name: 'Read people' }).check();
    await shown.getByRole('button', { name: 'Create' }).click();
    const key = await shown.getByText(/^uck_\S{43}$/).innerText();
    await shown.getByRole('button', { name: 'Copy key' }).click();
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    await page.keyboard.press('Tab');
    // The button that copies the command.
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Copy');
    await shown.getByRole('checkbox').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByLabel('Search all data').click();
    await page.keyboard.press('Control+v');
    expect(await page.getByLabel('Search all data').inputValue()).toBe(key);
    await opened.close();
  });
});
