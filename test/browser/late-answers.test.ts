// @module-tag long

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { follow } from '../support/browser/browser.ts';
import { ConnectPage } from './connect-page.ts';
import { SchemaPage } from './schema-page.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const dialog = (name: string) => users.page.getByRole('dialog', { name });
const dataOf = async (email: string) =>
  (await users.server.db.collection('users').findOne({ sourceAppId: users.app.sourceAppId, email }))?.data;

/** Holds a request of a page. The returned function lets it go on and waits for its answer. */
async function hold(page: Page, method: string, url: RegExp): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return async () => {
    const answer = page.waitForResponse((one) => url.test(one.url()) && one.request().method() === method);
    release();
    await (await answer).finished();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    await page.unroute(url);
  };
}

describe('an answer that comes late', () => {
  it('of a change in the table leaves the dialog that was opened since', async () => {
    for (const email of ['ada@example.com', 'alan@example.com']) await users.submit(email, { name: 'Before' });
    await users.logIn();
    await users.page.getByRole('button', { name: 'Edit in table' }).click();
    await users.page.getByRole('button', { name: /edit Full name of ada/ }).click();
    await dialog('Edit ada@example.com').getByLabel('Full name').fill('Ada');
    const answer = await hold(users.page, 'PATCH', /\/auth\/users\/[^/]+$/);
    await dialog('Edit ada@example.com').getByRole('button', { name: 'Save' }).click();
    await dialog('Edit ada@example.com').getByRole('button', { name: 'Cancel' }).click();
    await users.page.getByRole('button', { name: /edit Full name of alan/ }).click();
    await dialog('Edit alan@example.com').getByLabel('Full name').fill('Alan');
    await answer();
    await users.page.getByText('The change of ada@example.com is stored').waitFor();
    await dialog('Edit alan@example.com').getByRole('button', { name: 'Save' }).click();
    await dialog('Edit alan@example.com').waitFor({ state: 'detached' });
    expect([await dataOf('ada@example.com'), await dataOf('alan@example.com')]).toEqual([
      { name: 'Ada' },
      { name: 'Alan' },
    ]);
  });

  it('of the way to the next record opens none beside a dialog, and none on another page', async () => {
    for (let n = 0; n <= 25; n += 1) await users.submit(`u${n}@example.com`, { name: `N${n}`, extra: `E${n}` });
    await users.logIn();
    await users.goTo('/users?size=25');
    await users.page.getByRole('link', { name: 'u1@example.com', exact: true }).click();
    const next = users.page.getByRole('button', { name: 'Next person' });
    let answer = await hold(users.page, 'GET', /\/auth\/users\?.*cursor=/);
    await next.click();
    await users.page.getByRole('button', { name: 'Remove extra' }).click();
    await dialog('Remove extra?').waitFor();
    await answer();
    await dialog('Remove extra?').getByRole('button', { name: 'Remove' }).click();
    await dialog('Remove extra?').waitFor({ state: 'detached' });
    expect([await dataOf('u1@example.com'), await dataOf('u0@example.com')]).toEqual([
      { name: 'N1' },
      { name: 'N0', extra: 'E0' },
    ]);
    await users.page.getByRole('heading', { level: 1, name: 'u1@example.com' }).waitFor();

    answer = await hold(users.page, 'GET', /\/auth\/users\?.*cursor=/);
    await next.click();
    await follow(users.page, 'Privacy');
    await users.page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    await answer();
    expect(new URL(users.page.url()).pathname).toMatch(/\/privacy$/);
  });

  it('of a list is waited for without motion by readers who prefer that', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    const answer = await hold(users.page, 'GET', /\/auth\/users\?/);
    await users.page.reload();
    await users.page.getByRole('status', { name: 'Loading' }).first().waitFor();
    const moving = () => users.page.evaluate<number>('document.getAnimations().length');
    expect(await moving()).toBe(0);
    await users.page.emulateMedia({ reducedMotion: 'no-preference' });
    await expect.poll(moving).toBeGreaterThan(0);
    await users.page.emulateMedia({ reducedMotion: 'reduce' });
    await answer();
    await users.page.getByRole('link', { name: 'ada@example.com' }).waitFor();
  });

  it('of an erasure leads to the list only from its record', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await users.page.getByRole('link', { name: 'ada@example.com' }).click();
    const answer = await hold(users.page, 'DELETE', /\/auth\/users\/[^/]+$/);
    await users.page.getByRole('button', { name: 'Erase person' }).click();
    await dialog('Erase person').getByLabel('Email').fill('ada@example.com');
    await dialog('Erase person').getByRole('button', { name: 'Erase permanently' }).click();
    await dialog('Erase person').getByRole('button', { name: 'Cancel' }).click();
    await follow(users.page, 'Privacy');
    await users.page.getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
    await answer();
    await users.page.getByText('All data of ada@example.com was deleted').waitFor();
    expect(new URL(users.page.url()).pathname).toMatch(/\/privacy$/);
  });

  it('of a new API key shows the key after its dialog was closed', async () => {
    await users.logIn();
    await users.goTo('/keys');
    await users.page.getByRole('button', { name: 'Create API key' }).first().click();
    await users.page.getByRole('dialog').getByLabel('Name').fill('Slow');
    await users.page.getByRole('dialog').getByRole('checkbox', { name: 'Read people' }).check();
    const answer = await hold(users.page, 'POST', /\/auth\/keys/);
    await users.page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await users.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await users.page.getByRole('dialog').waitFor({ state: 'detached' });
    await answer();
    const created = dialog('Slow was created');
    await created.getByText(/^uck_\S{43}$/).waitFor();
    await created.getByRole('checkbox', { name: "I've saved this key" }).check();
    await created.getByRole('button', { name: 'Done' }).click();
    await created.waitFor({ state: 'detached' });
  });

  it('of saved settings keeps what was typed since', async () => {
    const connect = await ConnectPage.open(users.server);
    const { page } = connect;
    await follow(page, 'Form');
    await page.getByLabel('Title', { exact: true }).fill('Sent');
    const answer = await hold(page, 'PUT', /\/form$/);
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByLabel('Description', { exact: true }).fill('Typed since');
    await follow(page, 'Settings');
    await answer();
    await follow(page, 'Form');
    await page.getByText('1 unsaved change', { exact: true }).waitFor();
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('Typed since');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved. The settings apply now.').waitFor();
    const stored = await users.server.admin.get(`/auth/apps/${connect.app.sourceAppId}/form`).expect(200);
    expect(stored.body).toMatchObject({ title: 'Sent', description: 'Typed since' });
    connect.visit.expectClean();
    await connect.visit.close();
  });

  it('of a saved schema keeps what was changed since, to be merged', async () => {
    const schema = await SchemaPage.open(users.server);
    const { page } = schema;
    await schema.open('Full name');
    await page.getByLabel('Label', { exact: true }).fill('Sent');
    const review = await schema.review();
    const answer = await hold(page, 'PUT', /\/schema$/);
    await review.getByRole('button', { name: /Save version/ }).click();
    await page.keyboard.press('Escape');
    await review.waitFor({ state: 'detached' });
    await page.getByLabel('Label', { exact: true }).fill('Changed since');
    await answer();
    await page.getByRole('alert').getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge into my draft' }).click();
    await schema.save();
    expect(await schema.stored()).toMatchObject({ version: 4, fields: [{ label: 'Changed since' }, {}, {}] });

    // After its page was left, the draft that was sent is not taken for one of somebody else.
    await page.getByLabel('Label', { exact: true }).fill('Sent again');
    await schema.review();
    const second = await hold(page, 'PUT', /\/schema$/);
    await review.getByRole('button', { name: /Save version/ }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Share the form' }).click();
    await page.getByRole('heading', { level: 1, name: 'Share the form' }).waitFor();
    await second();
    await page.goBack();
    await page.getByText('Schema version 5 is live').first().waitFor();
    await page.getByText('No changes', { exact: true }).waitFor();
    schema.visit.expectClean();
    await schema.visit.close();
  });
});
