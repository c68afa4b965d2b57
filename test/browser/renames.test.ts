// @module-tag long
// @module-tag fault

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, visitAs } from '../support/browser/browser.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { rounds } from '../support/run/rounds.ts';
import { recordsOf } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { SchemaPage } from './schema-page.ts';
import { storeRecords } from './users-page.ts';

const RECORDS = rounds(20_000, 3_000);
const SHOWN = RECORDS.toLocaleString('en-GB');
const PROGRESS = new RegExp(`^Moving values of “plan” to “tier”: [\\d,]+ of ${SHOWN} people$`);

let server: TestServer;
beforeAll(async () => {
  // A move ends when a test says so.
  server = await startServer({}, undefined, { writesEndMs: 3_600_000 });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

/** Ends the wait of a move for writes of earlier versions. */
async function endLateWrites(sourceAppId: string): Promise<void> {
  const { _id: appId } = await appDocument(server, sourceAppId);
  const versions = server.db.collection('schema_versions');
  const isOver = { $set: { 'progress.knownAt': new Date(0) } };
  const end = async () => (await versions.updateMany({ appId, 'progress.isFinal': false }, isOver)).modifiedCount;
  await expect.poll(end).toBe(1);
}

async function renameField(schema: SchemaPage, label: string, key: string): Promise<void> {
  await schema.open(label);
  await schema.page.getByLabel('Key').fill(key);
  await schema.field(label).click();
}

const workOf = (page: Page) => page.getByRole('list', { name: 'Background work' });

it('A rename shows its progress until it has ended, and another one waits until then', async () => {
  const schema = await SchemaPage.open(server);
  const { page, app } = schema;
  await storeRecords({ server, app }, RECORDS, (n) => ({ name: `N${n}`, plan: 'pro', age: n }));
  const phone = { viewport: { width: 320, height: 640 } };
  const operator = await visitAs(server, app, '/users', phone);

  await renameField(schema, 'Plan', 'tier');
  await schema.save();
  await workOf(page).getByText(PROGRESS).waitFor();
  await workOf(page).getByRole('progressbar', { name: 'Values of tier' }).waitFor();
  await page.getByText('no other field can be renamed with its data, and no field can have the key “plan”').waitFor();

  await renameField(schema, 'Age', 'years');
  const dialog = await schema.review();
  await dialog.getByText('This rename has to wait').waitFor();
  await dialog.getByText(PROGRESS).waitFor();
  const saveButton = dialog.getByRole('button', { name: 'Save version 4' });
  expect(await saveButton.isDisabled()).toBe(true);
  // Without the data it is no rename for the service.
  await dialog.getByLabel('Start empty').check();
  await dialog.getByText('This rename has to wait').waitFor({ state: 'detached' });
  await dialog.getByLabel('Keep the data').check();
  await dialog.getByText('This rename has to wait').waitFor();

  // Operators cannot read the versions, which name the old key.
  await operator.page.reload();
  await workOf(operator.page)
    .getByText(new RegExp(`^Moving values to “tier”: [\\d,]+ of ${SHOWN} people$`))
    .waitFor();
  expect(await axeViolationsInBothModes(operator.page)).toEqual([]);
  expect(await operator.page.evaluate('document.documentElement.scrollWidth')).toBe(320);

  await endLateWrites(app.sourceAppId);
  const end = { state: 'detached', timeout: 60_000 } as const;
  await dialog.getByText('This rename has to wait').waitFor(end);
  await workOf(page).waitFor(end);
  await workOf(operator.page).waitFor(end);
  expect((await recordsOf(server, app.sourceAppId)).filter(({ data }) => 'tier' in data)).toHaveLength(RECORDS);
  await saveButton.click();
  await dialog.waitFor({ state: 'hidden' });
  await workOf(page)
    .getByText(/^Moving values of “age” to “years”/)
    .waitFor();
  schema.visit.expectClean();
  operator.expectClean();
  await operator.close();
  await schema.visit.close();
}, 120_000);

it('A rename that the service refuses meanwhile shows why', async () => {
  const schema = await SchemaPage.open(server);
  const { page, app } = schema;
  await server.client.submit(app.sourceAppId, { email: 'ada@x.org', data: { age: 36 } }).expect(200);
  // The editor does not know of the move, as when that began after the last poll.
  let isRefused = false;
  page.on('response', (response) => {
    isRefused ||= response.status() === 409;
  });
  await page.route('**/indexes', (route) => (isRefused ? route.continue() : route.abort()));
  await renameField(schema, 'Plan', 'tier');
  await schema.save();
  await renameField(schema, 'Age', 'years');
  const dialog = await schema.review();
  await dialog.getByText('The stored record matches').waitFor();
  await dialog.getByRole('button', { name: 'Save version 4' }).click();
  await dialog.getByText('This rename has to wait').waitFor();
  expect(isRefused).toBe(true);
  await endLateWrites(app.sourceAppId);
  await dialog.getByText('This rename has to wait').waitFor({ state: 'detached', timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Save version 4' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await schema.visit.close();
}, 90_000);
