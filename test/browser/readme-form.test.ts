// @module-tag long

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginSession, closeBrowser } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let folder: string;
let page: Page;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'readme-form-'));
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
const { button, heading } = withStaffPage(
  () => [server.listener.url, 'file://'],
  (opened) => {
    page = opened;
  },
);

it('the form of the README submits to an app from the template that the README names', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const [, template = ''] = /from the template \*\*(.+?)\*\*/.exec(readme) ?? [];
  const [, html = ''] = /```html\n([\s\S]*?)\n```/.exec(readme) ?? [];
  const { url } = server.listener;
  const file = join(folder, 'index.html');
  await writeFile(file, html.replaceAll('http://localhost:3000', url));
  const send = async (): Promise<void> => {
    await page.goto(pathToFileURL(file).href);
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByLabel('Name').fill('Grace Hopper');
    await page.getByLabel('Message').fill('Do you ship to Norway?');
    await button('Send').click();
  };

  await beginSession(page.context(), url, { sourceAppId: 'admin', password: ADMIN_PASSWORD });
  await page.goto(`${url}/dashboard/new-form`);
  await page.getByRole('radio', { name: template, exact: true }).check();
  await button('Create form').click();
  await heading('Your form is ready');
  await send();
  await heading('The form was not accepted');
  await page.goto(`${url}/dashboard/apps/contact/share`);
  await button('Allow files').click();
  await page.getByText('Pages opened from a file can submit').waitFor();
  await send();
  await page.waitForURL(`${url}/f/contact/thanks`);
  await page.goto(`${url}/dashboard/apps/contact/inbox`);
  await page.getByRole('list', { name: 'Submissions' }).getByText('Do you ship to Norway?').waitFor();
  const { body } = await server.admin.get('/auth/admin/users?sourceAppId=contact').expect(200);
  expect(body.users).toMatchObject([
    { email: 'grace@example.com', data: { name: 'Grace Hopper', message: 'Do you ship to Norway?', status: 'new' } },
  ]);
});
