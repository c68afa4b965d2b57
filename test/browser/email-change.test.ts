// @module-tag long

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { closeBrowser, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);
beforeEach(async () => {
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
});

const submit = async (email: string): Promise<string> =>
  (await server.client.submit(app.sourceAppId, { email, data: { name: 'Ada' } }).expect(200)).body.id;

it('corrects an email, by keyboard, and shows the record that has it already', async () => {
  const id = await submit('ada@exmaple.com');
  const other = await submit('eve@example.com');
  const { page, expectClean, close } = await visitAs(server, app, `/users/${id}`);
  await page.getByRole('button', { name: 'Actions for ada@exmaple.com' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Change email' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change the email' });
  const input = dialog.getByLabel('New email');
  const send = dialog.getByRole('button', { name: 'Change email' });
  await expect.poll(() => input.inputValue()).toBe('ada@exmaple.com');
  expect(await send.isDisabled()).toBe(true);
  await input.fill('eve@example.com');
  await input.press('Enter');
  const taken = dialog.getByRole('alert').getByRole('link', { name: 'Open that record' });
  expect(await taken.getAttribute('href')).toContain(other);
  await input.fill('ada@');
  await send.click();
  await dialog.getByText('Must be an email address').waitFor();
  await input.fill('ada@example.com');
  await input.press('Enter');
  await page.getByRole('heading', { name: 'ada@example.com' }).waitFor();
  const history = page.getByRole('list', { name: 'History' });
  await history.getByText('The history does not keep emails').waitFor();
  expect(await history.getByRole('button', { name: /Undo/ }).count()).toBe(0);
  expectClean();
  await close();
});

it('is changed although the record was changed meanwhile, if the operator says so', async () => {
  const id = await submit('ada@exmaple.com');
  const { page, expectClean, close } = await visitAs(server, app, `/users/${id}`);
  await page.getByRole('button', { name: 'Actions for ada@exmaple.com' }).click();
  await page.getByRole('menuitem', { name: 'Change email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the email' });
  await dialog.getByLabel('New email').fill('ada@example.com');
  const path = `/auth/users/${id}?sourceAppId=${app.sourceAppId}`;
  await server.admin.patch(path, { set: { name: 'A.' } }).expect(200);
  await dialog.getByRole('button', { name: 'Change email' }).click();
  await dialog.getByText('Change the email anyway?').waitFor();
  await dialog.getByRole('button', { name: 'Change email' }).click();
  await page.getByRole('heading', { name: 'ada@example.com' }).waitFor();
  expect((await server.admin.get(path).expect(200)).body).toMatchObject({
    email: 'ada@example.com',
    data: { name: 'A.' },
  });
  expectClean();
  await close();
});
