import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, tableRows, type Visit, visit } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const FIELDS = [
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'visits', label: 'Visits', kind: 'array' },
] as const;

let server: TestServer;
let app: TestApp;
let open: Visit;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp({ fields: FIELDS.map((field) => ({ ...field })) as never });
  open = await visit(server);
});
afterEach(async () => {
  open.expectClean();
  await open.close();
});

const submit = (email: string, data: object) => server.client.submit(app.sourceAppId, { email, data }).expect(200);
const emails = async () => (await tableRows(open.page, 'Table of users')).map(([email]) => email);
const waitForRange = (range: string) => open.page.getByText(range, { exact: true }).waitFor();

describe('the user list', () => {
  it('explains what to do while it is empty and shows new users without a reload', async () => {
    await logIn(open.page, app);
    await open.page.getByText('No users yet').waitFor();
    await submit('first@example.com', { name: 'First' });
    await open.page.getByRole('link', { name: 'first@example.com' }).waitFor();
    expect(await tableRows(open.page, 'Table of users')).toEqual([
      [
        'first@example.com',
        'First',
        expect.stringContaining('–'),
        expect.stringContaining('–'),
        expect.stringContaining('–'),
        'just now',
      ],
    ]);
    await submit('second@example.com', {});
    await open.page.getByRole('status').getByText('1 new user').waitFor();
    expect(await emails()).toEqual(['second@example.com', 'first@example.com']);
  });

  it('has the labels of the schema as headers and sorts by a click on them', async () => {
    for (const [name, age] of [
      ['b', 3],
      ['a', 20],
      ['c', 1],
    ] as const)
      await submit(`${name}@example.com`, { age });
    await logIn(open.page, app);
    await waitForRange('1–3 of 3');
    expect(await open.page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Email',
      'Full name',
      'Plan',
      'Age',
      'Visits',
      'Created',
    ]);
    expect(await emails()).toEqual(['c@example.com', 'a@example.com', 'b@example.com']);
    const age = open.page.getByRole('columnheader', { name: 'Age' });
    await age.getByRole('button').click();
    await open.page
      .getByRole('columnheader', { name: 'Age' })
      .and(open.page.locator('[aria-sort=ascending]'))
      .waitFor();
    await expect.poll(emails).toEqual(['c@example.com', 'b@example.com', 'a@example.com']);
    await age.getByRole('button').click();
    await expect.poll(emails).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });

  it('searches, filters by a field and keeps both in the URL', async () => {
    for (const name of ['ada', 'alan', 'grace'])
      await submit(`${name}@example.com`, { plan: name === 'ada' ? 'pro' : 'free' });
    await logIn(open.page, app);
    await waitForRange('1–3 of 3');
    await open.page.getByLabel('Search all data').fill('A@EX');
    await waitForRange('1–1 of 1');
    expect(await emails()).toEqual(['ada@example.com']);
    await open.page.getByLabel('Search all data').fill('a');
    await waitForRange('1–3 of 3');
    await open.page.getByRole('button', { name: 'Add filter' }).click();
    const form = open.page.getByRole('dialog');
    await form.getByLabel('Field').selectOption('Plan');
    await form.getByLabel('Value').selectOption('free');
    await form.getByRole('button', { name: 'Apply' }).click();
    await waitForRange('1–2 of 2');
    await open.page.reload();
    await waitForRange('1–2 of 2');
    expect(await open.page.getByLabel('Search all data').inputValue()).toBe('a');
    expect(await emails()).toEqual(['alan@example.com', 'grace@example.com']);
    await open.page.getByLabel('Search all data').fill('(.*');
    await open.page.getByText('No users match').waitFor();
    await open.page.getByRole('button', { name: 'Show all users' }).click();
    await waitForRange('1–3 of 3');
  });

  it('has pages and returns to the same page from a record', async () => {
    for (let index = 0; index < 26; index += 1) await submit(`user${index}@example.com`, {});
    await logIn(open.page, app);
    await open.page.getByLabel('Rows per page').selectOption('25');
    await waitForRange('1–25 of 26');
    await open.page.getByRole('button', { name: 'Next' }).click();
    await waitForRange('26–26 of 26');
    expect(await emails()).toEqual(['user0@example.com']);
    expect(await open.page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await open.page.getByRole('link', { name: 'user0@example.com' }).click();
    await open.page.getByRole('heading', { level: 1, name: 'user0@example.com' }).waitFor();
    await open.page.getByRole('main').getByRole('link', { name: 'Users' }).click();
    await waitForRange('26–26 of 26');
  });

  it('stores which columns are visible', async () => {
    await submit('ada@example.com', { name: 'Ada' });
    await logIn(open.page, app);
    await waitForRange('1–1 of 1');
    await open.page.getByRole('button', { name: 'Columns' }).click();
    await open.page.getByRole('checkbox', { name: 'Age' }).uncheck();
    await open.page.getByRole('checkbox', { name: 'Updated' }).check();
    await open.page.reload();
    await waitForRange('1–1 of 1');
    expect(await open.page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Email',
      'Full name',
      'Plan',
      'Visits',
      'Created',
      'Updated',
    ]);
  });

  it('shows user counts and a chart of new users per day', async () => {
    for (const name of ['a', 'b', 'c']) await submit(`${name}@example.com`, {});
    await logIn(open.page, app);
    const statistics = open.page.getByRole('region', { name: 'Statistics' });
    await statistics.getByText('New in 30 days').waitFor();
    await statistics.getByText('New users per day (peak 3)').waitFor();
    const days = await statistics.locator('table tr td').allInnerTexts();
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toBe('3');
    expect(days.slice(0, -1)).toEqual(Array(29).fill('0'));
  });

  it('exports all users or those that match the search', async () => {
    await submit('ada@example.com', { name: '=1+1' });
    await submit('alan@example.com', { name: 'Alan' });
    await logIn(open.page, app);
    await waitForRange('1–2 of 2');
    await open.page.getByRole('button', { name: 'Export' }).click();
    await open.page.getByRole('menu').getByText('All 2 users').waitFor();
    const csv = open.page.waitForEvent('download');
    await open.page.getByRole('menuitem', { name: 'CSV for spreadsheets' }).click();
    const rows = (await readFile(await (await csv).path(), 'utf8')).trimEnd().split('\r\n');
    expect((await csv).suggestedFilename()).toMatch(/\.csv$/);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^\uFEFFid,email,/);
    expect(rows[2]).toContain("'=1+1");

    await open.page.getByLabel('Search all data').fill('alan');
    await waitForRange('1–1 of 1');
    await open.page.getByRole('button', { name: 'Export' }).click();
    await open.page.getByRole('menu').getByText('1 matching user').waitFor();
    const json = open.page.waitForEvent('download');
    await open.page.getByRole('menuitem', { name: /^JSON/ }).click();
    const exported = JSON.parse(await readFile(await (await json).path(), 'utf8'));
    expect(exported.map((user: { email: string }) => user.email)).toEqual(['alan@example.com']);
  });

  it('offers a retry when the service cannot be reached', async () => {
    await submit('ada@example.com', {});
    await logIn(open.page, app);
    await waitForRange('1–1 of 1');
    const other = await visit(server);
    await logIn(other.page, app);
    await other.page.context().setOffline(true);
    await other.page.getByLabel('Search all data').fill('ada');
    await other.page.getByText('Could not reach the service').waitFor();
    await other.page.context().setOffline(false);
    await other.page.getByRole('button', { name: 'Try again' }).click();
    await other.page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    await other.close();
  });
});
