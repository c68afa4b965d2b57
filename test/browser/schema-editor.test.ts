import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, type Visit, visit } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let app: TestApp;
let open: Visit;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Full name', kind: 'text' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'age', label: 'Age', kind: 'number' },
    ],
  });
  open = await visit(server, `/apps/${app.sourceAppId}`);
  await logIn(open.page, ADMIN);
  await field('Full name').waitFor();
});
afterEach(async () => {
  open.expectClean();
  await open.close();
});

const stored = async () => (await server.admin.get(`/auth/apps/${app.sourceAppId}/schema`).expect(200)).body;
const keys = () => open.page.getByRole('region', { name: 'Fields' }).locator('code').allInnerTexts();
const field = (label: string) =>
  open.page.getByRole('region', { name: 'Fields' }).getByRole('button', { name: new RegExp(`^${label} `) });
const preview = () => open.page.getByRole('complementary', { name: 'Preview' });
const press = (name: string | RegExp) =>
  open.page.getByRole('button', { name, exact: typeof name === 'string' }).click();
const review = async () => {
  await press('Review and save');
  return open.page.getByRole('dialog', { name: /Save version/ });
};
const save = async () => {
  const dialog = await review();
  await dialog.getByRole('button', { name: /Save version/ }).click();
  await dialog.waitFor({ state: 'hidden' });
};

describe('the schema editor', () => {
  it('adds a field whose key follows its label, and saves it as a new version', async () => {
    await press('Add a field');
    await open.page.getByRole('menuitem', { name: 'Text', exact: true }).click();
    await open.page.getByLabel('Label').fill('Straße & Nr. 2');
    expect(await open.page.getByLabel('Key').inputValue()).toBe('straENr2');
    await open.page.getByLabel('Greatest length').fill('40');
    await save();
    await open.page.getByText('Version 3 is in force').first().waitFor();
    expect(await stored()).toMatchObject({
      version: 3,
      fields: [
        { key: 'name' },
        { key: 'plan' },
        { key: 'age' },
        { key: 'straENr2', label: 'Straße & Nr. 2', kind: 'text', maxLength: 40 },
      ],
    });
    await open.page.getByText('Nothing changed yet').waitFor();
  });

  it('moves, duplicates and removes fields, by key as well, and takes a removal back', async () => {
    await field('Age').focus();
    await open.page.keyboard.press('Alt+ArrowUp');
    await open.page.getByText('Age is now at place 2 of 3').waitFor();
    expect(await keys()).toEqual(['name', 'age', 'plan']);
    await press('Move Full name down');
    expect(await keys()).toEqual(['age', 'name', 'plan']);
    await open.page.getByRole('button', { name: 'Move Age up' }).click({ force: true });
    expect(await keys()).toEqual(['age', 'name', 'plan']);
    await press('Duplicate Plan');
    expect(await keys()).toEqual(['age', 'name', 'plan', 'plan2']);
    await press('Remove Age');
    expect(await keys()).toEqual(['name', 'plan', 'plan2']);
    await press('Undo');
    expect(await keys()).toEqual(['age', 'name', 'plan', 'plan2']);
  });

  it('moves a field with the mouse', async () => {
    const cards = open.page.getByRole('region', { name: 'Fields' }).getByRole('listitem');
    await cards.nth(2).locator('[aria-hidden=true]').first().dragTo(cards.nth(0));
    await expect.poll(keys).toEqual(['age', 'name', 'plan']);
  });

  it('tells each problem where it is, in the words of the service, and saves none', async () => {
    await field('Full name').click();
    await open.page.getByLabel('Pattern').fill('(?=look)');
    await open.page.getByText('Is not a pattern that can be used').waitFor();
    await open.page.getByLabel('Pattern').fill('^[A-Z]+$');
    await open.page.getByLabel('Shortest length').fill('9');
    await open.page.getByLabel('Greatest length').fill('3');
    await open.page.getByText('Must not be greater than maxLength').waitFor();
    await open.page.getByLabel('Greatest length').fill('many');
    await open.page.getByLabel('Greatest length').and(open.page.locator('[aria-invalid=true]')).waitFor();
    await open.page.getByLabel('Greatest length').fill('');
    await open.page.getByLabel('Key').fill('plan');
    await open.page.getByText('Is used by an earlier field').waitFor();
    await open.page.getByText('1 field to mend').waitFor();
    expect(await open.page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await press('Discard');
    expect(await keys()).toEqual(['name', 'plan', 'age']);
    await press('Undo');
    expect(await keys()).toEqual(['plan', 'plan', 'age']);
    await press('Discard');
    expect((await stored()).version).toBe(2);
  });

  it('previews the form, by the rules that the service has', async () => {
    await field('Age').click();
    await open.page.getByLabel('Least value').fill('18');
    await open.page.getByRole('checkbox', { name: 'Required' }).check();
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
    await save();
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: shown }).expect(200);
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { age: 17 } }).expect(400);
  });

  it('says before saving what changes and how many stored records would not pass', async () => {
    for (const [name, data] of [
      ['a', { age: 30 }],
      ['b', { plan: 'free' }],
      ['c', { age: 5 }],
    ] as const) {
      await server.client.submit(app.sourceAppId, { email: `${name}@example.com`, data }).expect(200);
    }
    await press('Remove Plan');
    await field('Full name').click();
    await open.page.getByLabel('Key').fill('fullName');
    await field('Age').click();
    await open.page.getByRole('checkbox', { name: 'Required' }).check();
    const dialog = await review();
    await dialog.getByText('“Plan” (plan) is removed').waitFor();
    await dialog.getByText('“Full name” (fullName) was called name').waitFor();
    await dialog.getByText('“Age” (age) is now required').waitFor();
    await dialog.getByText('1 of 3 stored records would not pass').waitFor();
    await dialog.getByText('data.age is required').waitFor();
    await dialog.getByRole('button', { name: 'Go on editing' }).click();
    expect((await stored()).version).toBe(2);
    await open.page.getByLabel('Kind').selectOption('Text');
    await (await review()).getByText('“Age” (age) was of kind number and is now text').waitFor();
  });

  it('takes a schema as JSON, and only a right one', async () => {
    await open.page.getByRole('tab', { name: 'JSON' }).click();
    const text = open.page.getByLabel('Schema as JSON');
    await text.fill('{ "rejectUnknown": true, ');
    await open.page.getByRole('alert').getByText('JSON').waitFor();
    await text.fill(JSON.stringify({ rejectUnknown: 1, fields: [{ key: '9', kind: 'text' }], more: true }));
    for (const problem of [
      'more is not a known property',
      'rejectUnknown must be true or false',
      'fields.0.key: must begin',
    ]) {
      await open.page.getByRole('alert').getByText(problem).waitFor();
    }
    await text.fill(JSON.stringify({ rejectUnknown: true, fields: [{ key: 'city', kind: 'text', required: true }] }));
    await open.page.getByRole('alert').waitFor({ state: 'detached' });
    await open.page.getByRole('tab', { name: 'Fields' }).click();
    expect(await keys()).toEqual(['city']);
    await save();
    expect(await stored()).toEqual({
      version: 3,
      rejectUnknown: true,
      fields: [{ key: 'city', label: 'city', kind: 'text', required: true }],
    });
  });

  it('shows every version with what it changed, and takes one back into the editor', async () => {
    await server.admin
      .putSchema(app.sourceAppId, { fields: [{ key: 'name', label: 'Name', kind: 'text' }] })
      .expect(200);
    await open.page.getByRole('tab', { name: 'Versions' }).click();
    await open.page.getByRole('button', { name: /Version 3, in force/ }).click();
    await open.page.getByText('“Age” (age) is removed').waitFor();
    await open.page.getByText('“Name” (name) was labelled “Full name”').waitFor();
    await open.page.getByText('Version 3 of its schema is in force').waitFor();
    await open.page.getByRole('button', { name: /^Version 2/ }).click();
    await press('Take this version into the editor');
    await field('Full name').waitFor();
    expect(await keys()).toEqual(['name', 'plan', 'age']);
    await save();
    expect(await stored()).toMatchObject({ version: 4, fields: [{ key: 'name' }, { key: 'plan' }, { key: 'age' }] });
  });

  it('tells the second of two administrators, and overwrites nothing', async () => {
    await press('Remove Age');
    await review();
    await server.admin
      .putSchema(app.sourceAppId, { fields: [{ key: 'other', label: 'Other', kind: 'date' }] })
      .expect(200);
    await open.page.getByRole('dialog').getByRole('button', { name: 'Save version 3' }).click();
    const notice = open.page.getByRole('alert').filter({ hasText: 'Version 3 was saved by someone else' });
    await notice.getByText('“Other” (other) is new').waitFor();
    expect(await stored()).toMatchObject({ version: 3, fields: [{ key: 'other' }] });
    expect(await keys()).toEqual(['name', 'plan']);

    await notice.getByRole('button', { name: /Keep my draft/ }).click();
    const dialog = await review();
    await dialog.getByText('“Other” (other) is removed').waitFor();
    await dialog.getByRole('button', { name: 'Save version 4' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await stored()).toMatchObject({ version: 4, fields: [{ key: 'name' }, { key: 'plan' }] });
  });

  it('keeps a draft over a reload and the end of the session', async () => {
    await press('Remove Age');
    await open.page.getByText('1 change, not saved').waitFor();
    await server.db.collection('sessions').deleteMany({});
    await open.page.reload();
    await logIn(open.page, ADMIN);
    await open.page.getByText('Your changes from before are still here').waitFor();
    expect(await keys()).toEqual(['name', 'plan']);
    await server.admin.logIn('admin', ADMIN_PASSWORD);
    await save();
    await open.page.reload();
    await open.page.getByText('Nothing changed yet').waitFor();
  });

  it('says when there is no such app', async () => {
    await open.page.goto(`${server.listener.url}/dashboard/apps/none`);
    await open.page.getByText('There is no app none').waitFor();
  });
});
