// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, tableRows, type Visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let [quiet, busy] = [] as unknown as [TestApp, TestApp];
beforeAll(async () => {
  server = await startServer();
  [quiet, busy] = [await server.admin.buildApp(), await server.admin.buildApp()];
  for (const n of [1, 2, 3]) {
    await server.client.submit(quiet.sourceAppId, { email: `${n}@example.com` }).expect(200);
  }
  await server.client.submit(busy.sourceAppId, { email: 'ada@example.com' }).expect(200);
  const body = new URLSearchParams({ email: 'bot@example.com', _gotcha: 'x' });
  await fetch(`${server.client.url}/v1/forms/${busy.sourceAppId}`, { method: 'POST', body, redirect: 'manual' });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

async function end({ page, expectClean, close }: Visit): Promise<void> {
  expect(await axeViolationsInBothModes(page)).toEqual([]);
  expectClean();
  await close();
}

describe('the overview', () => {
  it('of all apps begins with those where something waits, and leads there', async () => {
    const visited = await visitAs(server, ADMIN, '/overview');
    const { page } = visited;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const rows = async () =>
      (await tableRows(page, 'Table of what happens')).map(([app, _, ...cells]) => [app, ...cells]);
    await expect.poll(rows).toEqual([
      [busy.sourceAppId, '1', '1', 'just now', '1 held submission'],
      [quiet.sourceAppId, '3', '3', 'just now', '–'],
    ]);
    await page.getByRole('link', { name: '1 held submission' }).click();
    await page.getByRole('heading', { level: 1, name: 'Held submissions' }).waitFor();
    await page.goBack();
    await page
      .getByRole('region', { name: 'Table of what happens' })
      .getByRole('link', { name: quiet.sourceAppId })
      .click();
    await page.getByRole('heading', { level: 1, name: quiet.sourceAppId }).waitFor();
    await page.getByText('Nothing fails, and nothing waits for you.').waitFor();
    await end(visited);
  });

  it('of an app tells its operator what came, and leads to it', async () => {
    const visited = await visitAs(server, busy, '/overview');
    const { page } = visited;
    await page
      .getByRole('list', { name: 'Needs attention' })
      .getByRole('link', { name: '1 held submission' })
      .waitFor();
    await page.getByRole('link', { name: 'Today 1' }).waitFor();
    expect(await page.getByRole('table', { name: 'Submissions per day (UTC)' }).getByRole('row').count()).toBe(30);
    await page.getByRole('link', { name: 'People 1' }).click();
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    await end(visited);
  });

  it('of an app without a submission says what to do', async () => {
    const empty = await server.admin.buildApp();
    const visited = await visitAs(server, empty, '/overview');
    const { page } = visited;
    await page.getByText('No submission yet').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Share the form' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Share the form' }).waitFor();
    await end(visited);
  });
});
