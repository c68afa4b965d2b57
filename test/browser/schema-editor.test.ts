import { describe, expect, it } from 'vitest';
import type { TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { SchemaPage } from './schema-page.ts';

let server: TestServer;
let schema: SchemaPage;
withServer((started) => {
  server = started;
});
withPage(async () => {
  schema = await SchemaPage.open(server);
  return schema;
});

/** Pastes a text into the element that has the focus. */
const pasting = (text: string): string => `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(text)});
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(paste);
})()`;

describe('the schema editor', () => {
  it('adds a field with a key derived from its label and saves a new version', async () => {
    await schema.add('Short text');
    await schema.page.getByLabel('Label').fill('Straße & Nr. 2');
    expect(await schema.page.getByLabel('Key').inputValue()).toBe('straENr2');
    await schema.page.getByLabel('Max length').fill('40');
    await (await schema.review()).getByText('“Straße & Nr. 2” (straENr2) added (Text)', { exact: true }).waitFor();
    await schema.press('Keep editing');
    await schema.save();
    await schema.page.getByText('Schema version 3 is live').first().waitFor();
    expect(await schema.stored()).toMatchObject({
      version: 3,
      fields: [
        { key: 'name' },
        { key: 'plan' },
        { key: 'age' },
        { key: 'straENr2', label: 'Straße & Nr. 2', kind: 'text', maxLength: 40 },
      ],
    });
    await schema.page.getByText('No changes').waitFor();
  });

  it('takes each line of a pasted list as a choice, and choices that differ in case', async () => {
    await schema.open('Plan');
    const choices = schema.page.getByRole('combobox', { name: 'Choices' });
    await choices.focus();
    await schema.page.evaluate(pasting('us\r\n  Both, of them \n\nfree\n'));
    await choices.fill('US');
    await choices.press('Enter');
    await schema.save();
    expect((await schema.stored()).fields[1].enum).toEqual(['free', 'pro', 'us', 'Both, of them', 'US']);
  });

  it('takes the bounds of a date', { tags: 'long' }, async () => {
    await schema.add('Date');
    await schema.page.getByLabel('Earliest date').fill('31.01.1900');
    await schema.page.getByText('Must be a date like 2026-01-31, from the year 1 on, or today').waitFor();
    await schema.page.getByLabel('Earliest date').fill('1900-01-31');
    await schema.page.getByLabel('Latest date').fill('today');
    await schema.save();
    const { fields } = await schema.stored();
    expect(fields[3]).toMatchObject({ kind: 'date', earliest: '1900-01-31', latest: 'today' });
    await schema.page.getByLabel('Latest date').fill('2026-01-31');
    await (await schema.review()).getByText('latest date changed: today → 2026-01-31').waitFor();
    await schema.press('Keep editing');
  });

  it('moves fields with buttons and keys, duplicates and removes them, and undoes a removal', {
    tags: 'long',
  }, async () => {
    await schema.field('Age').focus();
    await schema.page.keyboard.press('Alt+ArrowUp');
    await schema.page.getByText('Age moved to position 2 of 3').waitFor();
    expect(await schema.keys()).toEqual(['name', 'age', 'plan']);
    expect(await schema.page.getByTitle('Move Full name down', { exact: true }).count()).toBe(1);
    await schema.press('Move Full name down');
    expect(await schema.keys()).toEqual(['age', 'name', 'plan']);
    await schema.page.getByRole('button', { name: 'Move Age up' }).click({ force: true });
    expect(await schema.keys()).toEqual(['age', 'name', 'plan']);
    await schema.press('Duplicate Plan');
    expect(await schema.keys()).toEqual(['age', 'name', 'plan', 'plan2']);
    await schema.press('Remove Age');
    expect(await schema.keys()).toEqual(['name', 'plan', 'plan2']);
    await schema.press('Undo');
    expect(await schema.keys()).toEqual(['age', 'name', 'plan', 'plan2']);
    await schema.press('Remove Age');
    await schema.press('Discard');
    expect(await schema.keys()).toEqual(['name', 'plan', 'age']);
    expect(await schema.page.getByText('“Age” was removed').count()).toBe(0);
  });

  it('moves a field with the mouse', { tags: 'long' }, async () => {
    const rows = schema.fields.locator('[data-field]');
    await rows.nth(2).locator('[aria-hidden=true]').first().dragTo(rows.nth(0));
    await expect.poll(() => schema.keys()).toEqual(['age', 'name', 'plan']);
  });

  it('shows the problems of each field with the messages of the service and disables saving', {
    tags: 'long',
  }, async () => {
    await schema.open('Full name');
    await schema.page.getByLabel('Pattern').fill('(?=look)');
    await schema.page.getByText('Is not a pattern that can be used').waitFor();
    await schema.page.getByLabel('Pattern').fill('^[A-Z]+$');
    await schema.page.getByLabel('Min length').fill('9');
    await schema.page.getByLabel('Max length').fill('3');
    await schema.page.getByText('Must not be greater than maxLength').waitFor();
    await schema.page.getByLabel('Max length').fill('many');
    await schema.page.getByLabel('Max length').and(schema.page.locator('[aria-invalid=true]')).waitFor();
    await schema.page.getByLabel('Max length').fill('');
    await schema.page.getByLabel('Key').fill('plan');
    await schema.page.getByText('Is used by an earlier field').waitFor();
    await schema.page.getByText('1 invalid field').waitFor();
    expect(await schema.page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await schema.press('Discard');
    expect(await schema.keys()).toEqual(['name', 'plan', 'age']);
    expect(await schema.page.getByLabel('Min length').inputValue()).toBe('');
    expect(await schema.page.getByLabel('Pattern').inputValue()).toBe('');
    await schema.press('Undo');
    expect(await schema.keys()).toEqual(['plan', 'plan', 'age']);
    expect(await schema.page.getByLabel('Min length').inputValue()).toBe('9');
    await schema.press('Discard');
    expect((await schema.stored()).version).toBe(2);
  });

  it('moves the focus to what was added, and shows it', { tags: 'long' }, async () => {
    const { page } = schema;
    for (const kind of ['Short text', 'Number', 'Date']) {
      await schema.press('Add field');
      await page.getByRole('menuitem', { name: kind, exact: true }).click();
      const label = schema.properties.getByLabel('Label', { exact: true });
      await label.and(page.locator(':focus')).waitFor();
      expect(await label.inputValue()).toBe(kind);
      await page.keyboard.type(`My ${kind}`);
    }
    expect((await schema.keys()).slice(3)).toEqual(['myShortText', 'myNumber', 'myDate']);
    await schema.press('Duplicate My Short text');
    const copy = schema.properties.getByLabel('Label', { exact: true }).and(page.locator(':focus'));
    expect(await copy.inputValue()).toBe('My Short text copy');
    const { y = -1, height = 0 } = (await copy.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(page.viewportSize()?.height ?? 0);
    await schema.press('Remove Age');
    await schema.press('Undo');
    await schema.field('Age').and(page.locator(':focus')).waitFor();
  });

  it('keeps the data of a renamed field, or leaves it under the old key, as one chooses', {
    tags: 'long',
  }, async () => {
    const { sourceAppId } = schema.app;
    const data = { name: 'Ada', age: 36 };
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data }).expect(200);
    await schema.open('Full name');
    await schema.page.getByLabel('Key').fill('fullName');
    await schema.open('Age');
    await schema.page.getByLabel('Key').fill('years');
    const dialog = await schema.review();
    await dialog.getByText('key changed: age → years; stored values move to the new key').waitFor();
    await dialog.getByText('The stored record matches the new schema').waitFor();
    await dialog.getByRole('radiogroup', { name: 'Stored values of age' }).getByLabel('Start empty').check();
    await dialog.getByText('key changed: age → years; stored values stay under the old key').waitFor();
    await dialog.getByRole('button', { name: 'Save version 3' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { body } = await server.admin.get('/auth/admin/users').query({ sourceAppId }).expect(200);
    expect(body.users[0].data).toEqual({ fullName: 'Ada', age: 36 });
    await schema.go('Versions');
    await schema.page.getByRole('button', { name: /Version 3 · live.*by admin/ }).click();
    await schema.page.getByText('key changed: name → fullName; stored values move to the new key').waitFor();
    await schema.page.getByText('“Age” (age) removed').waitFor();
  });

  const preview = () => schema.page.getByRole('complementary', { name: 'Preview' });

  it('lets one try out the form, with the rules of the service', { tags: 'long' }, async () => {
    await schema.open('Age');
    await schema.page.getByLabel('Min value').fill('18');
    await schema.properties.getByRole('checkbox', { name: 'Required' }).check();
    await schema.show('Try it');
    await preview().getByLabel('Email').fill('ada@example.com');
    await preview().getByRole('button', { name: 'Send' }).click();
    await preview().getByText('This submission would be rejected: 1 problem').waitFor();
    await preview().getByText('Is required').waitFor();
    await preview().getByLabel('Age').and(schema.page.locator(':focus')).waitFor();
    await schema.page.keyboard.type('17');
    await schema.page.keyboard.press('Enter');
    await preview().getByText('Must be at least 18').waitFor();
    await preview().getByLabel('Age').fill('18');
    await preview().getByLabel('Plan').selectOption('pro');
    // What was entered stays while a property changes.
    await schema.page.getByLabel('Max value').fill('99');
    expect(await preview().getByLabel('Age').inputValue()).toBe('18');
    await preview().getByRole('button', { name: 'Send' }).click();
    await preview().getByText('This submission would be accepted').waitFor();
    const data = JSON.parse(await preview().locator('pre').innerText());
    expect(data).toEqual({ age: 18, plan: 'pro' });
    await schema.save();
    await server.client.submit(schema.app.sourceAppId, { email: 'ada@example.com', data }).expect(200);
    await server.client.submit(schema.app.sourceAppId, { email: 'ada@example.com', data: { age: 17 } }).expect(400);
  });

  it('finds what only the service can find, such as a pattern', { tags: 'long' }, async () => {
    await schema.open('Full name');
    await schema.page.getByLabel('Pattern').fill('^[A-Z]+$');
    await schema.show('Try it');
    await preview().getByLabel('Email').fill('ada@example.com');
    await preview().getByLabel('Full name').fill('ada');
    await preview().getByRole('button', { name: 'Send' }).click();
    await preview().locator('.user-collection-problem').getByText('Does not match the required pattern').waitFor();
    await preview().getByText('This submission would be rejected: 1 problem').waitFor();
  });

  it('shows the changes and the number of stored records that do not match before saving', {
    tags: 'long',
  }, async () => {
    for (const [name, data] of [
      ['a', { age: 30 }],
      ['b', { plan: 'free' }],
      ['c', { age: 5 }],
    ] as const) {
      await server.client.submit(schema.app.sourceAppId, { email: `${name}@example.com`, data }).expect(200);
    }
    await schema.press('Remove Plan');
    await schema.open('Full name');
    await schema.page.getByLabel('Key').fill('fullName');
    await schema.open('Age');
    await schema.page.getByRole('checkbox', { name: 'Required' }).check();
    const dialog = await schema.review();
    await dialog.getByText('“Plan” (plan) removed').waitFor();
    await dialog.getByText('“Full name” (fullName) key changed: name → fullName; stored values move').waitFor();
    await dialog.getByText('“Age” (age) is now required').waitFor();
    await dialog.getByText('1 of 3 stored records would become invalid').waitFor();
    await dialog.getByText('b@example.com: data.age is required').waitFor();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect((await schema.stored()).version).toBe(2);
    await schema.page.getByLabel('Type').selectOption('Text');
    await (await schema.review()).getByText('“Age” (age) type changed: number → text').waitFor();
  });
});
