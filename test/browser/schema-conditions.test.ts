// @module-tag long

import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
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

const control = (group: Locator, part: string, place = 1): Locator =>
  group.getByLabel(new RegExp(`: ${part} of condition ${place}$`));

it('conditions and a page are built without JSON, and tried out', async () => {
  const { page } = schema;
  await schema.open('Age');
  const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
  await shown.getByRole('button', { name: 'Add condition' }).click();
  await control(shown, 'Field').selectOption('Plan');
  await control(shown, 'Comparison').selectOption('is');
  await control(shown, 'Value').selectOption('pro');
  await shown.getByRole('button', { name: 'Add condition' }).click();
  await control(shown, 'Comparison', 2).selectOption('is not filled in');
  await shown.getByLabel(/How many conditions/).selectOption('one of these is true');
  const required = page.getByRole('group', { name: 'Required only if', exact: true });
  await required.getByRole('button', { name: 'Add condition' }).click();
  await control(required, 'Comparison').selectOption('contains');
  await control(required, 'Value').fill('Ada');
  await page.getByLabel('Keep the stored value').check();
  await schema.press('Begin a new page with Age');

  await schema.show('Try it');
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByText('Page 1 of 2').waitFor();
  await preview.getByLabel('Email').fill('ada@example.com');
  await preview.getByLabel('Full name').fill('Bob');
  // Nothing of page 2 is shown with these values, so there is none.
  await preview.getByText('Page 1 of 2').waitFor({ state: 'hidden' });
  await preview.getByLabel('Plan').selectOption('pro');
  await preview.getByLabel('Full name').fill('Ada');
  await preview.getByRole('button', { name: 'Next' }).click();
  await preview.getByRole('button', { name: 'Send' }).click();
  await preview.getByText('Is required').waitFor();
  await preview.getByText('This submission would be rejected: 1 problem').waitFor();
  await preview.getByRole('button', { name: 'Back' }).click();
  await preview.getByLabel('Full name').fill('Bob');
  await preview.getByRole('button', { name: 'Next' }).click();
  await preview.getByRole('button', { name: 'Send' }).click();
  await preview.getByText('This submission would be accepted').waitFor();

  await schema.save();
  const { fields } = await schema.stored();
  expect(fields[2]).toMatchObject({
    key: 'age',
    showIf: {
      any: [
        { field: 'plan', op: 'eq', value: 'pro' },
        { field: 'name', op: 'exists', value: false },
      ],
    },
    requiredIf: { all: [{ field: 'name', op: 'contains', value: 'Ada' }] },
    keepHidden: true,
    page: 2,
  });
  // What is not edited stays.
  await schema.show('Edit');
  await schema.open('Plan');
  await page.getByLabel('Label', { exact: true }).fill('Tariff');
  const dialog = await schema.review();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toHaveLength(1);
  await dialog.getByRole('button', { name: /Save version/ }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect((await schema.stored()).fields[2]).toEqual(fields[2]);
});

it('what the service refuses is refused at its place', async () => {
  const { page } = schema;
  await schema.open('Age');
  const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
  await shown.getByRole('button', { name: 'Add condition' }).click();
  // It has no effect on what always stays.
  const keep = page.getByLabel('Keep the stored value');
  await keep.waitFor();
  for (const kind of ['Files', 'Growing list']) {
    await page.getByLabel('Type', { exact: true }).selectOption(kind);
    await keep.waitFor({ state: 'detached' });
  }
  await page.getByLabel('Type', { exact: true }).selectOption('Number');
  expect(await control(shown, 'Value').getAttribute('aria-invalid')).not.toBe('true');
  await control(shown, 'Value').focus();
  await control(shown, 'Value').blur();
  await expect.poll(() => control(shown, 'Value').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
  await control(shown, 'Value').fill('Ada');
  await expect.poll(() => page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(false);
  // A field that moves below can no longer be named.
  await page.getByRole('button', { name: 'Move Age up' }).click();
  await page.getByRole('button', { name: 'Move Age up' }).click();
  await shown.getByText('Must be the key of an earlier field').waitFor();
  expect(await shown.getByText('There is none yet').count()).toBe(1);
  await shown.getByRole('button', { name: /Remove condition 1/ }).click();
});

it('numbers of conditions are typed as people write them', async () => {
  const { page } = schema;
  await schema.press('Move Age up');
  await schema.open('Plan');
  const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
  await shown.getByRole('button', { name: 'Add condition' }).click();
  await control(shown, 'Field').selectOption('Age');
  await control(shown, 'Value').click();
  await page.keyboard.type('10.50');
  expect(await control(shown, 'Value').inputValue()).toBe('10.50');
  await shown.getByRole('button', { name: 'Add condition' }).click();
  await control(shown, 'Field', 2).selectOption('Age');
  await control(shown, 'Comparison', 2).selectOption('is one of');
  for (const text of ['1.0', '1,250']) {
    await control(shown, 'Value', 2).click();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  }
  await schema.save();
  const { fields } = await schema.stored();
  expect(fields.find(({ key }: { key: string }) => key === 'plan').showIf).toEqual({
    all: [
      { field: 'age', op: 'eq', value: 10.5 },
      { field: 'age', op: 'in', value: [1, 1250] },
    ],
  });
});

it('a condition follows the key of the field that it names', async () => {
  const { page } = schema;
  await schema.open('Age');
  const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
  await shown.getByRole('button', { name: 'Add condition' }).click();
  await control(shown, 'Value').fill('Ada');
  await schema.open('Full name');
  await page.getByLabel('Key', { exact: true }).fill('fullName');
  await schema.save();
  expect((await schema.stored()).fields[2].showIf).toEqual({ all: [{ field: 'fullName', op: 'eq', value: 'Ada' }] });
});
