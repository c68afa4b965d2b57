// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { SchemaPage } from './schema-page.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);

describe('the form options in the schema editor (spec 2.6)', () => {
  it('are edited, tried out, listed as changes and saved', async () => {
    const schema = await SchemaPage.open(server);
    const { page } = schema;
    const preview = page.getByRole('complementary', { name: 'Preview' });

    await schema.field('Plan').click();
    expect(await page.getByLabel('Default value').count()).toBe(0);
    await schema.field('Plan').click();
    await schema.open('Plan');
    await page.getByLabel('Help text').fill('You can change it later');
    await page.getByLabel('Control').selectOption('Radio buttons');
    await page.getByLabel('Label of free').fill('Free of charge');
    await page.getByLabel('Default value').fill('max');
    await page.getByText('Must be one of the allowed values').waitFor();
    await page.getByLabel('Default value').fill('pro');
    await schema.show('Try it');
    await preview.getByRole('radiogroup', { name: 'Plan' }).waitFor();
    await preview.getByText('You can change it later').waitFor();
    expect(await preview.getByRole('radio', { name: 'pro' }).isChecked()).toBe(true);
    await schema.show('Edit');
    await schema.open('Age');
    await page.getByLabel('Placeholder').fill('18');
    await page.getByLabel('Default value').fill('1,5');
    await page.getByText('Invalid input: expected number').waitFor();
    await page.getByLabel('Default value').fill('1.50');
    expect(await page.getByLabel('Default value').inputValue()).toBe('1.50');
    await page.getByRole('checkbox', { name: 'Hidden' }).check();
    await schema.show('Try it');
    await preview.getByRole('radio', { name: 'Free of charge' }).check();
    expect(await preview.getByLabel('Age').count()).toBe(0);
    await preview.getByLabel('Email').fill('ada@example.com');
    await schema.press('Send');
    expect(JSON.parse(await preview.locator('pre').innerText())).toEqual({ plan: 'free', age: 1.5 });

    const dialog = await schema.review();
    await dialog.getByText('“Plan” (plan) form option “Control” changed: none → “Radio buttons”').waitFor();
    await dialog.getByText('“Plan” (plan) form option “Labels of the choices” changed').waitFor();
    await dialog.getByText('“Age” (age) form option “Default value” changed: none → 1.5').waitFor();
    await dialog.getByRole('button', { name: /Save version/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { fields } = await schema.stored();
    expect(fields.slice(1)).toEqual([
      {
        key: 'plan',
        label: 'Plan',
        kind: 'select',
        required: false,
        enum: ['free', 'pro'],
        help: 'You can change it later',
        ui: 'radio',
        enumLabels: { free: 'Free of charge' },
        default: 'pro',
      },
      {
        key: 'age',
        label: 'Age',
        kind: 'number',
        required: false,
        placeholder: '18',
        default: 1.5,
        hidden: true,
      },
    ]);
    await page.getByText('No changes').waitFor();
    schema.visit.expectClean();
    await schema.visit.close();
  });

  it('of a checkbox include a consent', async () => {
    const schema = await SchemaPage.open(server);
    const { page } = schema;
    await schema.add('Yes or no');
    await page.getByLabel('Page with the text').fill('http://example.com/');
    await page.getByLabel('Version').fill('2');
    await page.getByText('Must be an https URL, or an http URL on localhost').waitFor();
    await schema.open('Full name');
    await schema.open('Yes or no');
    await page.getByText('Must be an https URL, or an http URL on localhost').waitFor();
    await page.getByLabel('Page with the text').fill('https://example.com/');
    await schema.show('Try it');
    await page.getByRole('complementary', { name: 'Preview' }).getByRole('link').waitFor();
    await schema.save();
    expect((await schema.stored()).fields[3]).toEqual({
      key: 'yesOrNo',
      label: 'Yes or no',
      kind: 'checkbox',
      required: false,
      consent: { version: '2', url: 'https://example.com/' },
    });
    schema.visit.expectClean();
    await schema.visit.close();
  });
});
