// @module-tag long

import { describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { follow } from '../support/browser/browser.ts';
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

const goTo = (path: string) => schema.page.goto(`${server.listener.url}${path}`);

describe('a field that only the team sets', () => {
  it('is made in the schema editor, with a default, and is not in the preview of the form', async () => {
    const { page } = schema;
    await schema.open('Plan');
    await page.getByRole('checkbox', { name: 'Required' }).check();
    const reset = page.getByRole('checkbox', { name: 'Set back by a new submission' });
    await page.getByLabel('Autofill').waitFor();
    expect(await reset.count()).toBe(0);
    const option = page.getByRole('checkbox', { name: 'Only your team can set this' });
    await option.check();
    await reset.check();
    await page.getByText('Needs a default').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Required' }).count()).toBe(0);
    await page.getByLabel('Default value').fill('pro');
    await page.getByLabel('Label of pro').fill('Professional');
    expect(await page.getByLabel('Autofill').count()).toBe(0);
    const dialog = await schema.review();
    await dialog.getByText('“Plan” (plan) can now be set by your team only').waitFor();
    await dialog.getByRole('button', { name: /Save version/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { fields } = await schema.stored();
    expect(fields[1]).toEqual({
      key: 'plan',
      label: 'Plan',
      kind: 'select',
      required: false,
      writers: 'staff',
      enum: ['free', 'pro'],
      enumLabels: { pro: 'Professional' },
      default: 'pro',
      resetOnSubmit: true,
    });
    await schema.show('Try it');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await preview.getByLabel('Full name').waitFor();
    expect(await preview.getByLabel('Plan').count()).toBe(0);
  });

  it('is in the table and the record of the team, and in nothing that people get', async () => {
    const { page, app } = schema;
    const fields: FieldDefinitionInput[] = [
      { key: 'name', kind: 'text' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], writers: 'staff', default: 'free' },
    ];
    await server.admin.putSchema(app.sourceAppId, { fields }).expect(200);
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);

    await goTo(`/dashboard/apps/${app.sourceAppId}/connect`);
    await page.getByRole('button', { name: 'Send a test submission' }).click();
    await page.getByText('test-from-dashboard@example.com').first().waitFor();
    for (const tab of ['Plain HTML', 'Terminal', 'JSON Schema']) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      const code = await page.getByRole('tabpanel', { name: tab }).locator('pre').innerText();
      expect(code).toContain('name');
      expect(code).not.toContain('plan');
    }
    await follow(page, 'Form');
    await follow(page, 'Texts', 'Form');
    const preview = page.locator('[data-preview]');
    await preview.getByLabel('name').waitFor();
    expect(await preview.getByLabel('Plan').count()).toBe(0);

    await goTo(`/dashboard/apps/${app.sourceAppId}/users?where=data.plan:eq:free`);
    await page.getByRole('link', { name: 'ada@example.com' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Plan').selectOption('pro');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The change of ada@example.com is stored').waitFor();
    const { body } = await server.admin.get(`/auth/users?sourceAppId=${app.sourceAppId}&where=data.plan:eq:pro`);
    expect(body.users).toMatchObject([{ email: 'ada@example.com', data: { name: 'Ada', plan: 'pro' } }]);

    await goTo(`/f/${app.sourceAppId}`);
    await page.getByLabel('name').waitFor();
    expect(await page.getByLabel('Plan').count()).toBe(0);
  });
});
