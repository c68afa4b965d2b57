// @module-tag long

import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import {
  beginSession,
  closeBrowser,
  openPage,
  pathAs,
  tableRows,
  type Visit,
  visitAs,
} from '../support/browser/browser.ts';
import { untilReady } from '../support/database/index-slots.ts';
import type { TestApp } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { storeRecords } from './users-page.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const PLANS = ['free', 'pro', 'max'];
/** More than the first part that a list or a chart reads, however little time it has. */
const USERS = 1_500;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({}, undefined, { queryBudgetMs: 0, writesEndMs: 200 });
  app = await server.admin.buildApp({
    fields: [
      { key: 'plan', label: 'Plan', kind: 'select', enum: PLANS, indexed: true },
      { key: 'city', label: 'City', kind: 'text' },
      { key: 'age', label: 'Age', kind: 'number' },
    ],
  });
  // The users that were created last, which are read first, have one plan.
  const rows = Array.from({ length: USERS }, (_, n) =>
    [`p${n}@example.com`, n < 400 ? PLANS[n % 2] : 'max', 'Oslo', n % 90].join(','),
  );
  const { created } = await runImport(server.admin, app.sourceAppId, ['email,plan,city,age', ...rows].join('\n'));
  expect(created).toBe(USERS);
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

/** Opens the list of users. With this budget a server on a busy machine may have no time at all. */
async function open(search: string, as: TestApp = app): Promise<Visit> {
  return visitAs(server, as, `/apps/${app.sourceAppId}/users${search}`, { mayBeBusy: true });
}

/** Waits for something, and tries again as a person does when the page says that the time ended. */
async function untilShown({ page }: Visit, wanted: Locator, tryAgain = 'Try again'): Promise<void> {
  const button = page.getByRole('button', { name: tryAgain });
  await expect
    .poll(async () => {
      if (await wanted.isVisible()) return true;
      if (await button.isVisible()) await button.click({ timeout: 1_000 }).catch(() => undefined);
      return false;
    })
    .toBe(true);
}
const chart = ({ page }: Visit, label: string) => page.getByRole('region', { name: `Breakdown by ${label}` });
const end = async ({ expectClean, close }: Visit) => {
  expectClean();
  await close();
};

describe('a chart that saw a part of the people', () => {
  it('counts all of them by the index of its field', async () => {
    await untilReady(server, app.sourceAppId, ['plan']);
    const visited = await open('?by=data.plan');
    const bars = async () =>
      (await chart(visited, 'Plan').getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await chart(visited, 'Plan')
      .getByText('Counting all people takes too long: this shows the 1,000 people that were read.')
      .waitFor();
    // The first count is refused. The button stays, for another one.
    const counts = /total=exact/;
    await visited.page.route(counts, (route) => route.fulfill({ status: 503, json: { error: 'busy' } }));
    await chart(visited, 'Plan').getByRole('button', { name: 'Count all people' }).click();
    await chart(visited, 'Plan').getByText('Counting took too long: not all people are counted.').waitFor();
    await visited.page.unroute(counts);
    await untilShown(visited, chart(visited, 'Plan').getByText('Of 1,500 people.'), 'Count all people');
    expect(await bars()).toEqual(['max 1,100 73.3%', 'Other values 400 26.7%']);
    expect(await visited.page.getByRole('button', { name: 'Count all people' }).count()).toBe(0);
    await end(visited);
  });

  it('offers an index of its field and of those of the filter, which an admin can follow', async () => {
    const search = '?by=data.city&where=data.age:gte:0';
    const ofOperator = await open(search);
    const note = chart(ofOperator, 'City').getByRole('status');
    await untilShown(ofOperator, note.getByText('An administrator can index City.'));
    await note.getByText('An administrator can index Age.').waitFor();
    expect(await note.getByRole('button').count()).toBe(0);
    expect(await axeViolations(ofOperator.page)).toEqual([]);
    await end(ofOperator);

    const ofAdmin = await open(search, ADMIN);
    const link = chart(ofAdmin, 'City').getByRole('link', { name: 'Index City' });
    await untilShown(ofAdmin, link);
    await link.click();
    await ofAdmin.page.getByRole('heading', { level: 1, name: 'Fields' }).waitFor();
    const card = ofAdmin.page.getByRole('button', { name: /^City/, expanded: true });
    await card.waitFor();
    expect(await ofAdmin.page.getByRole('button', { name: /^Plan/, expanded: false }).count()).toBe(1);
    await ofAdmin.page.getByRole('checkbox', { name: 'Indexed' }).waitFor();
    ofAdmin.expectClean();
    await ofAdmin.close();
  });
});

describe('a list that is sorted in part', () => {
  it('says that the next pages continue, and offers an index where there can be one', async () => {
    const byAge = await open('?sort=data.age&order=asc', ADMIN);
    await byAge.page.getByText('the next pages show the others. With an index, all people are sorted.').waitFor();
    await byAge.page.getByRole('link', { name: 'Index Age' }).waitFor();
    expect(await axeViolations(byAge.page)).toEqual([]);
    await end(byAge);
    const byChange = await open('?sort=updatedAt&order=asc', ADMIN);
    await byChange.page.getByText(/the next pages show the others\.$/).waitFor();
    expect(await byChange.page.getByRole('link', { name: /^Index/ }).count()).toBe(0);
    await end(byChange);
  });
});

describe('the statistics of an app whose people were imported', () => {
  it('do not say that nothing was submitted yet', async () => {
    const visited = await open('');
    const statistics = visited.page.getByRole('region', { name: 'Statistics' });
    await statistics.getByText('1,500', { exact: true }).first().waitFor();
    expect(await statistics.getByText('Last submission').count()).toBe(0);
    await server.client.submit(app.sourceAppId, { email: 'p0@example.com', data: {} }).expect(200);
    await visited.page.reload();
    await statistics.getByText('Last submission').waitFor();
    await end(visited);
  });
});

describe('a long list', () => {
  it('is searched part by part, until somebody stops that', async () => {
    const searched = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Full name', kind: 'text' }] });
    await storeRecords({ server, app: searched }, 5_000, (index) => (index === 2_500 ? { name: 'rare' } : {}));
    const { page, close, expectClean } = await openPage('about:blank', { origins: [server.listener.url] });
    // The second part of the search waits until the first was seen.
    let release = (): void => undefined;
    const seen = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/cursor=/, async (route) => {
      await seen;
      await route.continue();
    });
    await beginSession(page.context(), server.listener.url, searched);
    await page.goto(`${server.listener.url}/dashboard${pathAs(searched, '/users')}?where=data.name:eq:rare`);
    await page.getByText('Searched part of the records').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    release();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('1 matching person', { exact: true }).waitFor();
    await page.getByText('Searched part of the records').waitFor({ state: 'detached' });
    const rows = await tableRows(page, 'Table of people');
    expect(rows.map(([email]) => email)).toEqual([expect.stringMatching(/^stored-2500@/)]);
    expectClean();
    await close();
  });
});
