// @module-tag long

import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { type Visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import type { TestServer } from '../support/server/server.ts';
import { withMailServer } from './mail-server.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], enumLabels: { pro: 'Pro' } },
  { key: 'status', label: 'Status', kind: 'select', enum: ['new', 'urgent'], writers: 'staff' },
];

let server: TestServer;
let app: TestApp;
withMailServer((started) => {
  server = started;
});
beforeEach(async () => {
  app = await server.admin.buildApp({ fields: FIELDS });
  for (const [n, plan] of ['free', 'free', 'pro'].entries()) {
    await server.client.submit(app.sourceAppId, { email: `p${n}@example.com`, data: { plan } }).expect(200);
  }
});

const settingsPath = () => `/auth/apps/${app.sourceAppId}/form`;
const stored = async () => (await server.admin.get(settingsPath()).expect(200)).body;
const open = (path: string): Promise<Visit> => visitAs(server, app, path);
const control = (group: Locator, part: string, place = 1): Locator =>
  group.getByLabel(new RegExp(`: ${part} of condition ${place}$`));

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Saved. The settings apply now.').waitFor();
}

describe('the routes of notifications', () => {
  it('are built like the conditions of fields, tried on the newest records, and sentences of the page of emails', async () => {
    const { page, expectClean, close } = await open('/settings');
    await page.getByRole('button', { name: 'Add route' }).click();
    const group = page.getByRole('group', { name: 'Route 1: only if' });
    await control(group, 'Field').selectOption('Plan');
    await control(group, 'Value').selectOption('pro');
    await group.getByText('Would have matched 1 of the last 3.').waitFor();
    await group.getByRole('button', { name: 'Add condition' }).click();
    // Fields of the team and the email too.
    await control(group, 'Field', 2).selectOption('Status');
    await control(group, 'Field', 2).selectOption('Email');
    await control(group, 'Comparison', 2).selectOption('contains');
    await control(group, 'Value', 2).fill('@example.com');
    await group.getByText('Would have matched 1 of the last 3.').waitFor();
    await page.getByLabel('Addresses of route 1').fill('nobody');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Must be an email address').waitFor();
    await page.getByLabel('Addresses of route 1').fill('sales@example.com\nboss@example.com');
    await save(page);
    expect((await stored()).notify).toEqual({
      emails: [],
      when: 'each',
      routes: [
        {
          if: {
            all: [
              { field: 'plan', op: 'eq', value: 'pro' },
              { field: 'email', op: 'contains', value: '@example.com' },
            ],
          },
          emails: ['sales@example.com', 'boss@example.com'],
        },
      ],
    });
    expect(await axeViolationsInBothModes(page)).toEqual([]);

    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByRole('link', { name: 'Emails' }).click();
    const row = page.getByRole('row', { name: /sales@example\.com, boss@example\.com/ });
    await row.getByText('Only if Plan is Pro and Email contains @example.com.').waitFor();
    await row.getByText('Would have matched 1 of the last 3.').waitFor();
    expectClean();
    await close();
  });

  it('whose field was removed say so', async () => {
    const routes = [{ if: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] }, emails: ['sales@example.com'] }];
    await server.admin.put(settingsPath(), { notify: { when: 'each', routes } }).expect(200);
    await server.admin.putSchema(app.sourceAppId, { fields: [{ key: 'name', kind: 'text' }] }).expect(200);
    const { page, close } = await open('/emails');
    await page.getByText('It names a field that was removed, and this part never holds.').waitFor();
    await close();
    const settings = await open('/settings');
    const group = settings.page.getByRole('group', { name: 'Route 1: only if' });
    await group.getByText('Is not a field of this app').waitFor();
    await settings.page.getByRole('button', { name: 'Remove route 1' }).click();
    await save(settings.page);
    expect((await stored()).notify).toBeUndefined();
    await settings.close();
  });
});

describe('the conditions of a webhook', () => {
  it('are chosen in its dialog, and a sentence in the list', async () => {
    const { page, expectClean, close } = await open('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('https://example.com/hook');
    const group = dialog.getByRole('group', { name: 'Only if' });
    await group.getByRole('button', { name: 'Add condition' }).click();
    await control(group, 'Field').selectOption('Status');
    await control(group, 'Value').selectOption('urgent');
    await group.getByText('Would have matched 0 of the last 3.').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('checkbox', { name: "I've saved this secret" }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Only if Status is urgent. Would have matched 0 of the last 3.').waitFor();
    const query = { sourceAppId: app.sourceAppId };
    const { body } = await server.admin.get('/auth/webhooks').query(query).expect(200);
    expect(body.webhooks[0].if).toEqual({ all: [{ field: 'status', op: 'eq', value: 'urgent' }] });

    await page.getByRole('button', { name: 'Actions for https://example.com/hook' }).click();
    await page.getByRole('menuitem', { name: 'Change URL and events' }).click();
    await dialog.getByRole('button', { name: 'Remove condition 1' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only if Status is urgent').waitFor({ state: 'hidden' });
    const { body: after } = await server.admin.get('/auth/webhooks').query(query).expect(200);
    expect(after.webhooks[0]).not.toHaveProperty('if');
    expectClean();
    await close();
  });
});
