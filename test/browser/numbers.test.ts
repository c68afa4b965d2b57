// @module-tag long

import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { de } from '../../web/src/texts/de/index.ts';
import { openPage, pathAs, type Visit } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD } from '../support/server/server.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();
const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let opened: Visit;
afterEach(async () => {
  opened.expectClean();
  await opened.close();
});

/** Opens a page for a reader of German. */
async function open(path: string, app = users.app): Promise<Page> {
  const origin = users.server.listener.url;
  const url = `${origin}/dashboard${pathAs(app, path)}`;
  opened = await openPage(url, { origins: [origin], session: { origin, app }, locale: 'de-DE' });
  await opened.page.getByRole('navigation', { name: 'Hauptnavigation' }).waitFor();
  return opened.page;
}

const stored = async (email: string) => {
  const record = await users.server.db.collection('users').findOne({ sourceAppId: users.app.sourceAppId, email });
  return record?.data;
};
const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Speichern', exact: true });

describe('numbers in a German page', () => {
  it('of a record have a decimal comma, and are decimal', async () => {
    await users.submit('ada@example.com', { age: 2.5 });
    const page = await open('/users');
    await page.getByRole('link', { name: 'ada@example.com' }).click();
    const age = page.getByRole('textbox', { name: 'Age' });
    for (const [shown, typed, value] of [
      ['2,5', '1.234,75', 1234.75],
      ['1234,75', '0,25', 0.25],
    ] as const) {
      await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
      expect(await age.inputValue()).toBe(shown);
      await age.fill(typed);
      await save(page).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await stored('ada@example.com')).toEqual({ age: value });
    }
    await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
    for (const refused of ['0x10', '1e3', '10.50']) {
      await age.fill(refused);
      await save(page).click();
      await page.getByText('muss eine Zahl sein').waitFor();
    }
    expect(await stored('ada@example.com')).toEqual({ age: 0.25 });
    await page.getByRole('button', { name: 'Abbrechen' }).click();
  });

  it('of filters and of changes of many people have a decimal comma', async () => {
    await users.submit('ada@example.com', { age: 2.5 });
    await users.submit('alan@example.com', { age: 1234.75 });
    await users.submit('grace@example.com', { age: 3 });
    const page = await open('/users');
    const texts = de.users.filters;
    const form = page.getByRole('dialog');
    const filter = async (words: string, label: string, value: string) => {
      await page.getByRole('button', { name: texts.add }).click();
      await form.getByLabel(texts.field).selectOption('Age');
      await form.getByLabel(texts.condition).selectOption(words);
      await form.getByLabel(label).fill(value);
    };
    await filter(texts.comparisons.atMost, texts.number, '0x10');
    await form.getByText(texts.notNumber).waitFor();
    expect(await form.getByRole('button', { name: texts.apply }).isDisabled()).toBe(true);
    await form.getByLabel(texts.number).fill('2,5');
    await form.getByRole('button', { name: texts.apply }).click();
    await page.getByText('1 passende Person', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Age höchstens 2,5', exact: true }).click();
    expect(await form.getByLabel(texts.number).inputValue()).toBe('2,5');
    await form.getByRole('button', { name: 'Abbrechen' }).click();
    await page.getByRole('button', { name: texts.remove('Age höchstens 2,5') }).click();

    await filter(texts.comparisons.isOneOf, texts.values, '2,5; 1.234,75');
    await form.getByRole('button', { name: texts.apply }).click();
    await page.getByText('2 passende Personen', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Age ist eines von 2,5; 1.234,75', exact: true }).click();
    expect(await form.getByLabel(texts.values).inputValue()).toBe('2,5; 1234,75');
    await form.getByRole('button', { name: 'Abbrechen' }).click();

    await page.getByRole('button', { name: de.users.change.open }).click();
    await form.getByLabel(de.users.change.field).selectOption('Age');
    await form.getByLabel(de.users.change.newValue).fill('7,125');
    await form.getByRole('button', { name: de.users.change.action(2) }).click();
    await form
      .getByText(/2 Personen/)
      .first()
      .waitFor();
    await expect.poll(() => stored('ada@example.com')).toEqual({ age: 7.125 });
    expect(await stored('alan@example.com')).toEqual({ age: 7.125 });
  });

  it('of a schema and of settings have a decimal comma and groups', async () => {
    const page = await open(`/apps/${users.app.sourceAppId}`, ADMIN);
    await page.getByRole('button', { name: 'Age (age)' }).click();
    const [min, initial] = [page.getByLabel('Mindestwert'), page.getByLabel('Vorgabewert')];
    await page.getByRole('button', { name: de.schemaEditor.more, exact: true }).click();
    await min.click();
    await page.keyboard.type('2,50');
    expect(await min.inputValue()).toBe('2,50');
    await initial.click();
    await page.keyboard.type('1.234,5');
    await page.getByRole('button', { name: de.schemaEditor.review }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: de.schemaEditor.saveVersion(3) }).click();
    await dialog.waitFor({ state: 'detached' });
    const path = `/auth/apps/${users.app.sourceAppId}`;
    const { body } = await users.server.admin.get(`${path}/schema`).expect(200);
    expect(body.fields.find(({ key }: { key: string }) => key === 'age')).toMatchObject({ min: 2.5, default: 1234.5 });
    await page.reload();
    await page.getByRole('button', { name: 'Age (age)' }).click();
    await page.getByRole('button', { name: de.schemaEditor.more, exact: true }).click();
    expect(await min.inputValue()).toBe('2,5');
    expect(await initial.inputValue()).toBe('1234,5');
  });
});
