// @module-tag long

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { visitAs } from '../support/browser/browser.ts';
import { storeRecords, withUsersPage } from './users-page.ts';

const users = withUsersPage();

const box = (email: string) => users.page.getByRole('checkbox', { name: `Select ${email}`, exact: true });
const pageBox = () => users.page.getByRole('checkbox', { name: 'Select all people shown' });
const button = (name: string) => users.page.getByRole('button', { name, exact: true });

async function submitPeople(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await users.submit(`u${n}@example.com`, { name: `N${n}`, age: n });
}

describe('the selection of people', () => {
  it('is made with the keyboard, counted above the table, and cleared, and moves nothing', async () => {
    await submitPeople(3);
    await users.logIn();
    await box('u2@example.com').waitFor();
    const place = () => users.page.getByRole('region', { name: 'Table of people' }).boundingBox();
    const before = await place();
    expect(await button('Erase selected').count()).toBe(0);
    await box('u1@example.com').focus();
    await users.page.keyboard.press('Space');
    await users.page.getByRole('status').getByText('1 selected person', { exact: true }).waitFor();
    expect(await place()).toEqual(before);
    expect(await pageBox().evaluate('(input) => input.indeterminate')).not.toBe(false);
    await pageBox().check();
    await users.page.getByRole('status').getByText('3 selected people', { exact: true }).waitFor();
    await box('u0@example.com').uncheck();
    await users.page.getByRole('status').getByText('2 selected people', { exact: true }).waitFor();
    await button('Clear selection').click();
    await pageBox().and(users.page.locator(':focus')).waitFor();
    expect(await button('Erase selected').count()).toBe(0);
    expect(await users.page.getByRole('checkbox', { checked: true }).count()).toBe(0);
    expect(await place()).toEqual(before);
    // A tick opens no record.
    await users.page.waitForURL(/\/users$/);
  });

  it('is kept across pages and orders, and ends with another filter', async () => {
    await submitPeople(30);
    await users.logIn();
    await users.goTo('/users?size=25');
    await pageBox().check();
    await button('Next').click();
    await box('u3@example.com').check();
    await users.page.getByRole('status').getByText('26 selected people', { exact: true }).waitFor();
    await button('Previous').click();
    await box('u20@example.com').and(users.page.locator(':checked')).waitFor();
    await users.page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
    await box('u3@example.com').and(users.page.locator(':checked')).waitFor();
    await users.page.getByRole('status').getByText('26 selected people', { exact: true }).waitFor();
    await users.page.getByLabel('Search all data').fill('u29');
    await users.waitForText('1–1 of 1');
    expect(await box('u29@example.com').isChecked()).toBe(false);
    expect(await button('Erase selected').count()).toBe(0);
  });

  it('ends at 1,000 people, and exports them all', async () => {
    await storeRecords(users, 1_020, (n) => ({ age: n }), { createdAt: new Date() });
    await users.logIn();
    await users.goTo('/users?size=200');
    const ranges = ['1–200', '201–400', '401–600', '601–800', '801–1,000', '1,001–1,020'];
    for (const range of ranges) {
      await users.waitForText(`${range} of 1,020`);
      if (range === ranges.at(-1)) break;
      await pageBox().check();
      await button('Next').click();
    }
    await users.page.getByText('1,000 selected people (at most 1,000)').waitFor();
    expect(await pageBox().isDisabled()).toBe(true);
    expect(await box(String((await users.emails())[0]).trim()).isDisabled()).toBe(true);
    await button('Export selected').click();
    const download = users.page.waitForEvent('download');
    await users.page.getByRole('menuitem', { name: 'NDJSON' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(new RegExp(`^${users.app.sourceAppId}-[\\d-]{10}\\.ndjson$`));
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).email)).size).toBe(1_000);
  }, 60_000);

  it('is exported as CSV with the columns of the table, newest first', async () => {
    await submitPeople(3);
    await users.logIn();
    await box('u0@example.com').check();
    await box('u2@example.com').check();
    await button('Export selected').click();
    await users.page.getByRole('menuitemcheckbox', { name: 'Only the columns of the table' }).click();
    const download = users.page.waitForEvent('download');
    await users.page.getByRole('menuitem', { name: 'CSV for programs' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toMatch(/^email,data\.name,/);
    expect(rows.map((row) => row.split(',')[0])).toEqual(['u2@example.com', 'u0@example.com']);
  });

  it('is erased one by one after its number was typed; one that is gone already counts', async () => {
    await submitPeople(4);
    await users.logIn();
    for (const n of [0, 1, 2]) await box(`u${n}@example.com`).check();
    await users.server.db
      .collection('users')
      .deleteOne({ sourceAppId: users.app.sourceAppId, email: 'u1@example.com' });
    await button('Erase selected').click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase selected people' });
    await dialog.getByText('the records of 3 selected people').waitFor();
    const erase = dialog.getByRole('button', { name: 'Erase 3 people permanently' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Number of people').fill('3');
    await erase.click();
    await users.page.getByText('3 people were erased').waitFor();
    await users.waitForText('1–1 of 1');
    expect((await users.emails()).map((email) => email?.trim())).toEqual(['u3@example.com']);
    expect(await button('Erase selected').count()).toBe(0);
  });

  /** Erases all 8 users while the connections of some requests break, which logs errors. */
  async function eraseWithBrokenConnections(path: string) {
    const { page, close } = await visitAs(users.server, users.app, '/users');
    await page.getByRole('checkbox', { name: 'Select all people shown' }).check();
    await page.route(path, (route) => route.abort());
    await page.getByRole('button', { name: 'Erase selected', exact: true }).click();
    await page.getByLabel('Number of people').fill('8');
    await page.keyboard.press('Enter');
    return { page, close, dialog: page.getByRole('dialog', { name: /people erased$/ }) };
  }

  it('keeps those that could not be erased, with the reason', async () => {
    await submitPeople(8);
    const { sourceAppId } = users.app;
    const found = await users.server.admin
      .get('/auth/admin/users')
      .query({ sourceAppId, where: 'email:eq:u5@example.com' });
    const { page, dialog, close } = await eraseWithBrokenConnections(`**/auth/users/${found.body.users[0].id}*`);
    await dialog.getByText('7 of 8 people are erased').waitFor();
    await dialog.getByRole('alert').getByText('u5@example.com: Could not reach the service').waitFor();
    await dialog.getByText('People who were not erased stay selected').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('status').getByText('1 selected person', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select u5@example.com' }).isChecked()).toBe(true);
    expect(await users.server.db.collection('users').countDocuments({ sourceAppId })).toBe(1);
    await close();
  });

  it('asks to keep the page open while it erases', async () => {
    await submitPeople(2);
    const { page, close } = await visitAs(users.server, users.app, '/users');
    await page.getByRole('checkbox', { name: 'Select all people shown' }).check();
    let answer: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/auth/users/*', async (route) => {
      await isRead;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Erase selected', exact: true }).click();
    await page.getByLabel('Number of people').fill('2');
    await page.keyboard.press('Enter');
    const running = page.getByRole('dialog', { name: 'Erasing people' });
    await running.getByText('0 of 2 people are erased. Keep this page open until the end.').waitFor();
    answer();
    await page.getByText('2 people were erased').waitFor();
    await close();
  });

  it('stops when nothing can be erased any more, and tells how many were not tried', async () => {
    await submitPeople(8);
    const { page, dialog, close } = await eraseWithBrokenConnections('**/auth/users/*');
    await dialog.getByText('The erasure ended before 3 other people').waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(5);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('status').getByText('8 selected people', { exact: true }).waitFor();
    await close();
  });
});
