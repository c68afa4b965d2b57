// @module-tag long

import { describe, expect, it } from 'vitest';
import { tableRows } from '../support/browser/browser.ts';
import { FIELDS, withUsersPage } from './users-page.ts';

const users = withUsersPage();

const stored = async (email: string) => {
  const record = await users.server.db.collection('users').findOne({ sourceAppId: users.app.sourceAppId, email });
  return record?.data;
};
const dialog = (name: string) => users.page.getByRole('dialog', { name });
const openRecord = async (email: string) => {
  await users.page.getByRole('link', { name: email }).click();
  await users.page.getByRole('heading', { level: 1, name: email }).waitFor();
};

describe('a record', () => {
  it('is changed with a control for each kind; what is not changed stays', async () => {
    await users.submit('ada@example.com', {
      name: 'Ada',
      plan: 'pro',
      age: 36,
      born: '1815-12-10',
      news: true,
      extra: 'kept',
      visits: ['first'],
    });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit' }).click();
    const form = dialog('Edit ada@example.com');
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await form.getByLabel('Full name').fill('Ada Lovelace');
    await form.getByLabel('Plan').selectOption('max');
    await form.getByLabel('Age').fill('36.5');
    await form.getByLabel('Born').fill('');
    await form.getByLabel('News').selectOption('No');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await users.page.getByRole('alert').getByText('The change of ada@example.com is stored').waitFor();
    await users.page.getByRole('definition').getByText('Ada Lovelace').waitFor();
    expect(await stored('ada@example.com')).toEqual({
      name: 'Ada Lovelace',
      plan: 'max',
      age: 36.5,
      news: false,
      extra: 'kept',
      visits: [{ value: 'first', timestamp: expect.any(String) }],
    });
  });

  it('keeps the control in which somebody types, at any length', async () => {
    await users.submit('ada@example.com', { name: 'Ada', born: '2026-01-31T08:30:00Z' });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit' }).click();
    const form = dialog('Edit ada@example.com');
    await form.getByLabel('Full name').press('End');
    await users.page.keyboard.type('x'.repeat(100));
    expect(await form.getByLabel('Full name').inputValue()).toBe(`Ada${'x'.repeat(100)}`);
    await form.getByLabel('Born').press('End');
    for (let typed = 0; typed < 'T08:30:00Z'.length; typed += 1) await users.page.keyboard.press('Backspace');
    await users.page.keyboard.type('T09:00:00Z');
    expect(await form.getByLabel('Born').inputValue()).toBe('2026-01-31T09:00:00Z');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ name: `Ada${'x'.repeat(100)}`, born: '2026-01-31T09:00:00Z' });
    // A long text has several lines from the start.
    await users.page.getByRole('button', { name: 'Edit' }).click();
    expect(await form.getByLabel('Full name').evaluate((control) => control.tagName)).toBe('TEXTAREA');
  });

  it('shows what the schema refuses at its control', async () => {
    await users.submit('ada@example.com', { age: 36 });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit' }).click();
    await users.page.getByRole('textbox', { name: 'Age' }).fill('old');
    await users.page.getByRole('button', { name: 'Save' }).click();
    await users.page.getByText('must be a number').waitFor();
    expect(await stored('ada@example.com')).toEqual({ age: 36 });
    await users.page.getByRole('textbox', { name: 'Age' }).fill('37');
    await users.page.getByRole('button', { name: 'Save' }).click();
    await dialog('Edit ada@example.com').waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ age: 37 });
  });

  it('that somebody else changed shows the other value, and is saved on or left', async () => {
    await users.submit('ada@example.com', { name: 'Ada', age: 36 });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit' }).click();
    const form = dialog('Edit ada@example.com');
    await form.getByLabel('Full name').fill('Mine');
    await users.submit('ada@example.com', { name: 'Theirs', age: 37 });
    await form.getByRole('button', { name: 'Save' }).click();
    const conflict = form.getByRole('alert');
    await conflict.getByText('This person was changed meanwhile').waitFor();
    await conflict.getByText('Theirs').waitFor();
    expect(await form.getByLabel('Full name').inputValue()).toBe('Mine');
    expect(await form.getByLabel('Age').inputValue()).toBe('37');
    expect(await stored('ada@example.com')).toEqual({ name: 'Theirs', age: 37 });
    await form.getByRole('button', { name: 'Save my values' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ name: 'Mine', age: 37 });

    await users.page.getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Full name').fill('Mine again');
    await users.submit('ada@example.com', { name: 'Theirs again' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('button', { name: 'Take the stored value' }).click();
    expect(await form.getByLabel('Full name').inputValue()).toBe('Theirs again');
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await stored('ada@example.com')).toEqual({ name: 'Theirs again', age: 37 });
  });

  it('keeps what is typed on Escape and on a click outside, until it is discarded', async () => {
    await users.submit('ada@example.com', { name: 'Ada', age: 36 });
    await users.logIn();
    await openRecord('ada@example.com');
    const form = dialog('Edit ada@example.com');
    const question = form.getByRole('alert').filter({ hasText: 'Discard what you changed?' });
    await users.page.getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Full name').waitFor();
    await users.page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    await users.page.getByRole('button', { name: 'Edit' }).click();
    await form.getByLabel('Full name').fill('Ada Lovelace');
    await users.page.keyboard.press('Escape');
    await question.waitFor();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Full name').inputValue()).toBe('Ada Lovelace');
    await users.page.mouse.click(5, 5);
    await question.waitFor();
    // Who goes on typing has answered.
    await form.getByLabel('Full name').fill('Ada King');
    await question.waitFor({ state: 'detached' });
    await users.page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ name: 'Ada', age: 36 });
  });

  it('and the table keep what is typed while reads are refused for now', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    const form = dialog('Edit ada@example.com');
    const refuseReads = async (url: RegExp): Promise<void> => {
      await users.page.route(url, (route) =>
        route.request().method() === 'GET'
          ? route.fulfill({ status: 429, json: { message: 'Not now' } })
          : route.continue(),
      );
      // A window that is shown again reads what is no longer fresh.
      await expect
        .poll(async () => {
          await users.page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
          return users.page.getByText('Not now.').count();
        })
        .toBeGreaterThan(0);
    };
    const save = async (name: string, url: RegExp): Promise<void> => {
      expect(await form.getByLabel('Full name').inputValue()).toBe(name);
      await users.page.unroute(url);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
      expect(await stored('ada@example.com')).toEqual({ name });
    };
    await users.page.getByRole('button', { name: 'Edit in table' }).click();
    await users.page.getByRole('button', { name: /edit Full name of ada/ }).click();
    await form.getByLabel('Full name').fill('In the table');
    await refuseReads(/\/auth\/users\?/);
    await save('In the table', /\/auth\/users\?/);
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await form.getByLabel('Full name').fill('In the record');
    await refuseReads(/\/auth\/users\/[^/]+$/);
    await save('In the record', /\/auth\/users\/[^/]+$/);
  });

  it('shows a conflict where it is seen, also in a form that is longer than the window', async () => {
    await users.page.setViewportSize({ width: 1280, height: 400 });
    await users.submit('ada@example.com', { name: 'Ada', age: 36 });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Edit' }).click();
    const form = dialog('Edit ada@example.com');
    const conflict = form.getByRole('alert').filter({ hasText: 'This person was changed meanwhile' });
    const question = form.getByRole('alert').filter({ hasText: 'Discard what you changed?' });
    const isInView = async () => {
      const box = await conflict.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 400;
    };
    for (const save of [
      () => users.page.keyboard.press('Enter'),
      () => form.getByRole('button', { name: 'Save' }).click(),
    ]) {
      await form.getByLabel('Full name').fill('Mine');
      await users.submit('ada@example.com', { name: `Theirs ${Math.random()}` });
      await users.page.keyboard.press('Escape');
      await question.waitFor();
      await save();
      await conflict.waitFor();
      expect(await question.count()).toBe(0);
      await expect.poll(isInView).toBe(true);
      await conflict.getByRole('button', { name: 'Take the stored value' }).click();
      await conflict.waitFor({ state: 'detached' });
    }
  });

  it('loses an item of a list, or a key that the schema does not have', async () => {
    await users.submit('ada@example.com', { visits: ['first'], other: 'x' });
    await users.submit('ada@example.com', { visits: ['second'] });
    await users.logIn();
    await openRecord('ada@example.com');
    const items = users.page.getByRole('region', { name: 'Visits' }).getByRole('listitem');
    await items
      .filter({ hasText: 'first' })
      .getByRole('button', { name: /^Remove the item of/ })
      .click();
    // A submission meanwhile: the item to remove is still the same.
    await users.submit('ada@example.com', { visits: ['third'] });
    const removal = dialog('Remove the item of Visits?');
    await removal.getByRole('button', { name: 'Remove' }).click();
    await removal.getByText('Remove it anyway?').waitFor();
    await removal.getByRole('button', { name: 'Remove' }).click();
    await removal.waitFor({ state: 'detached' });
    await expect.poll(() => items.count()).toBe(2);
    await users.page.getByRole('button', { name: 'Remove other' }).click();
    await dialog('Remove other?').getByRole('button', { name: 'Remove' }).click();
    await users.page.getByRole('region', { name: 'Other data' }).waitFor({ state: 'detached' });
    const data = await stored('ada@example.com');
    expect(data).toEqual({
      visits: [expect.objectContaining({ value: 'second' }), expect.objectContaining({ value: 'third' })],
    });
  });
});

describe('the table', () => {
  it('changes single values; a conflict is shown as in the record', async () => {
    await users.submit('ada@example.com', { name: 'Ada', plan: 'pro' });
    await users.logIn();
    await users.waitForText('1 person');
    await users.page.getByRole('button', { name: 'Edit in table' }).click();
    await users.page.getByRole('button', { name: 'Ada , edit Full name of ada@example.com' }).click();
    const form = dialog('Edit ada@example.com');
    await form.getByLabel('Full name').fill('Ada Lovelace');
    await users.page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await expect.poll(async () => (await tableRows(users.page, 'Table of people'))[0]?.[1]).toContain('Ada Lovelace');

    await users.page.getByRole('button', { name: /edit Plan of ada/ }).click();
    await users.submit('ada@example.com', { plan: 'free' });
    await form.getByLabel('Plan').selectOption('max');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('This person was changed meanwhile').waitFor();
    await form.getByRole('button', { name: 'Save my values' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ name: 'Ada Lovelace', plan: 'max' });

    // Lists are changed in the record; the other columns are not fields.
    const editable = FIELDS.filter(({ kind }) => kind !== 'array').length;
    expect(await users.page.getByRole('region', { name: 'Table of people' }).locator('tbody button').count()).toBe(
      editable,
    );
    await users.page.getByRole('button', { name: 'Edit in table' }).click();
    await users.page.getByRole('cell', { name: 'Ada Lovelace' }).click();
    await users.page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
  });

  it('changes the values of any app for an admin', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logInAsAdmin();
    await users.goTo(`/apps/${users.app.sourceAppId}/users`);
    await users.page.getByRole('button', { name: 'Edit in table' }).click();
    await users.page.getByRole('button', { name: /edit Full name of ada/ }).click();
    await users.page.getByLabel('Full name').fill('By an admin');
    await users.page.getByRole('button', { name: 'Save' }).click();
    await dialog('Edit ada@example.com').waitFor({ state: 'detached' });
    expect(await stored('ada@example.com')).toEqual({ name: 'By an admin' });
  });
});
