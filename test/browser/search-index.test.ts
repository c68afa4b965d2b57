// @module-tag long

import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { visitAs } from '../support/browser/browser.ts';
import { holdJob } from '../support/database/held-job.ts';
import type { TestServer } from '../support/server/server.ts';
import { withServer } from './app-page.ts';
import { storeRecords } from './users-page.ts';

const USERS = 10_000;

let server: TestServer;
withServer(
  (started) => {
    server = started;
  },
  { writesEndMs: 300 },
);

it('offers a fast search to managers of a large app, shows its progress, finds names, and ends it', async () => {
  const app = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Name', kind: 'text' }] });
  await server.client.submit(app.sourceAppId, { email: 'as@example.com', data: { name: 'Chloé Schmidt' } }).expect(200);
  const small = await visitAs(server, app, '/users');
  await small.page.getByText('as@example.com').waitFor();
  expect(await small.page.getByRole('button', { name: 'Make search fast' }).count()).toBe(0);
  await small.close();
  await storeRecords({ server, app }, USERS - 1, (n) => ({ name: `Ada ${n}` }), { createdAt: new Date() });

  const { page, expectClean, close } = await visitAs(server, app, '/users');
  const note = page.getByText('A search reads all people.');
  await note.waitFor();
  const left = async (text: Locator) => (await text.boundingBox())?.x;
  const count = page.getByText('All 10,000 people', { exact: true });
  // A scroll bar may appear between the two.
  await expect.poll(async () => (await left(note)) === (await left(count))).toBe(true);
  const build = await holdJob(server, 'search-words');
  await page.getByRole('button', { name: 'Make search fast' }).click();
  await page.getByText(/^Making search fast/).waitFor();
  const bar = page.getByRole('progressbar', { name: 'Search index' });
  await bar.waitFor();
  await page.getByText('Until then a search reads all people.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await build();
  await bar.waitFor({ state: 'detached' });
  const { body } = await server.admin.get(`/auth/apps/${app.sourceAppId}/search`).expect(200);
  expect(body).toEqual({ enabled: true, state: 'ready', done: USERS, total: USERS });
  await page.getByLabel('Search all data').fill('schm CHLOE');
  await page.getByText('as@example.com').waitFor();

  await page.getByText('Search is fast: it uses an index.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove the search index' }).click();
  await page.getByRole('button', { name: 'Make search fast' }).waitFor();
  expect((await server.admin.get(`/auth/apps/${app.sourceAppId}/search`).expect(200)).body.enabled).toBe(false);
  expectClean();
  await close();
});
