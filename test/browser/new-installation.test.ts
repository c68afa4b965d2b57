import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { closeBrowser, logIn, visit } from '../support/browser/browser.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const run = promisify(execFile);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

describe('a new installation', () => {
  it('gets from the first login to the first person without documentation', async () => {
    const admin = await visit(server);
    const { page } = admin;
    await logIn(page, { sourceAppId: 'admin', password: 'the-admin-password-of-the-tests' });
    await page.getByRole('button', { name: 'Create app' }).first().click();
    await page.getByLabel('App ID').fill('first-app');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const password = await page.getByRole('dialog').locator('code').innerText();
    await page.getByRole('checkbox', { name: "I've saved this password" }).check();
    await page.getByRole('button', { name: 'Define fields' }).click();

    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('menuitem', { name: 'Date', exact: true }).click();
    await page.getByLabel('Label').fill('Birthday');
    await page.getByRole('checkbox', { name: 'Required' }).check();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.getByText('Schema version 2 · live').waitFor();

    await page.getByRole('link', { name: 'Share the form' }).click();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByText('"birthday"').waitFor();
    const command = await page.getByRole('tabpanel', { name: 'Terminal' }).locator('pre').innerText();
    await run('sh', ['-c', `${command} --silent`]);

    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn(page, { sourceAppId: 'first-app', password });
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.getByRole('list', { name: 'Submissions' }).getByText('ada@example.com').waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    await page.getByRole('columnheader', { name: 'Birthday' }).waitFor();
    admin.expectClean();
    await admin.close();
  });
});
