// @module-tag long

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage, pathAs } from '../support/browser/browser.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

describe('CSV for spreadsheets', () => {
  it.each([
    ['de-DE', 'Export', /^CSV für Tabellenkalkulationen.*Mit Semikolons/, /^\uFEFFid;email;/],
    ['en-US', 'Export', /^CSV for spreadsheets.*With commas/, /^\uFEFFid,email,/],
  ])('has the separator of %s, and says so', async (locale, name, item, header) => {
    const origin = server.listener.url;
    const app = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Name', kind: 'text' }] });
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    const { page, expectClean, close } = await openPage(`${origin}/dashboard${pathAs(app, '/users')}`, {
      origins: [origin],
      session: { origin, app },
      locale,
    });
    await page.getByRole('button', { name, exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toMatch(header);
    expectClean();
    await close();
  });
});
