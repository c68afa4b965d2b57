import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { SchemaPage } from './schema-page.ts';

let server: TestServer;
let schema: SchemaPage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  schema = await SchemaPage.open(server);
});
afterEach(async () => {
  schema.visit.expectClean();
  await schema.visit.close();
});

describe('the schema editor', () => {
  it('adds a field whose key follows its label, and saves it as a new version', async () => {
    await schema.press('Add a field');
    await schema.page.getByRole('menuitem', { name: 'Text', exact: true }).click();
    await schema.page.getByLabel('Label').fill('Straße & Nr. 2');
    expect(await schema.page.getByLabel('Key').inputValue()).toBe('straENr2');
    await schema.page.getByLabel('Max length').fill('40');
    await schema.save();
    await schema.page.getByText('Version 3 is in force').first().waitFor();
    expect(await schema.stored()).toMatchObject({
      version: 3,
      fields: [
        { key: 'name' },
        { key: 'plan' },
        { key: 'age' },
        { key: 'straENr2', label: 'Straße & Nr. 2', kind: 'text', maxLength: 40 },
      ],
    });
    await schema.page.getByText('Nothing changed yet').waitFor();
  });

  it('moves, duplicates and removes fields, by key as well, and takes a removal back', async () => {
    await schema.field('Age').focus();
    await schema.page.keyboard.press('Alt+ArrowUp');
    await schema.page.getByText('Age is now at place 2 of 3').waitFor();
    expect(await schema.keys()).toEqual(['name', 'age', 'plan']);
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
    expect(await schema.page.getByText('“Age” is removed').count()).toBe(0);
  });

  it('moves a field with the mouse', async () => {
    const cards = schema.page.getByRole('region', { name: 'Fields' }).getByRole('listitem');
    await cards.nth(2).locator('[aria-hidden=true]').first().dragTo(cards.nth(0));
    await expect.poll(() => schema.keys()).toEqual(['age', 'name', 'plan']);
  });

  it('tells each problem where it is, in the words of the service, and saves none', async () => {
    await schema.field('Full name').click();
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
    await schema.page.getByText('1 field to mend').waitFor();
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

  const preview = () => schema.page.getByRole('complementary', { name: 'Preview' });

  it('previews the form, by the rules that the service has', async () => {
    await schema.field('Age').click();
    await schema.page.getByLabel('Min value').fill('18');
    await schema.page.getByRole('checkbox', { name: 'Required' }).check();
    await preview().getByRole('button', { name: 'Check' }).click();
    await preview().getByText('This would be refused: 1 problem').waitFor();
    await preview().getByText('is required').waitFor();
    await preview().getByRole('textbox', { name: 'Age' }).fill('17');
    await preview().getByText('must be at least 18').waitFor();
    await preview().getByRole('textbox', { name: 'Age' }).fill('seventeen');
    await preview().getByText('must be a number').waitFor();
    await preview().getByRole('textbox', { name: 'Age' }).fill('18');
    await preview().getByLabel('Plan').selectOption('pro');
    await preview().getByText('This would be accepted').waitFor();
    const shown = JSON.parse(await preview().locator('pre').innerText());
    expect(shown).toEqual({ age: 18, plan: 'pro' });
    await schema.save();
    await server.client.submit(schema.app.sourceAppId, { email: 'ada@example.com', data: shown }).expect(200);
    await server.client.submit(schema.app.sourceAppId, { email: 'ada@example.com', data: { age: 17 } }).expect(400);
  });

  it('says before saving what changes and how many stored records would not pass', async () => {
    for (const [name, data] of [
      ['a', { age: 30 }],
      ['b', { plan: 'free' }],
      ['c', { age: 5 }],
    ] as const) {
      await server.client.submit(schema.app.sourceAppId, { email: `${name}@example.com`, data }).expect(200);
    }
    await schema.press('Remove Plan');
    await schema.field('Full name').click();
    await schema.page.getByLabel('Key').fill('fullName');
    await schema.field('Age').click();
    await schema.page.getByRole('checkbox', { name: 'Required' }).check();
    const dialog = await schema.review();
    await dialog.getByText('“Plan” (plan) is removed').waitFor();
    await dialog.getByText('“Full name” (fullName) was called name').waitFor();
    await dialog.getByText('“Age” (age) is now required').waitFor();
    await dialog.getByText('1 of 3 stored records would not pass').waitFor();
    await dialog.getByText('data.age is required').waitFor();
    await dialog.getByRole('button', { name: 'Go on editing' }).click();
    expect((await schema.stored()).version).toBe(2);
    await schema.page.getByLabel('Kind').selectOption('Text');
    await (await schema.review()).getByText('“Age” (age) was of kind number and is now text').waitFor();
  });
});
