import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { logIn, tableRows, visit } from '../support/browser/browser.ts';
import { withUsersPage } from './users-page.ts';

const FIELDS = [
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'visits', label: 'Visits', kind: 'array' },
] as const;

/** More than the pause between two polls of the list. */
const POLL_MS = 6_000;

const users = withUsersPage(FIELDS);
const waitForRange = (range: string) => users.waitForText(range);

describe('the person list', () => {
  it('explains what to do while it is empty and shows new people without a reload', async () => {
    const untilNextPoll = () => users.page.clock.fastForward(POLL_MS);
    await users.page.clock.install();
    await users.logIn();
    await users.page.getByText('No people yet').waitFor();
    await users.submit('first@example.com', { name: 'First' });
    await untilNextPoll();
    await users.page.getByRole('link', { name: 'first@example.com' }).waitFor();
    expect(await tableRows(users.page, 'Table of people')).toEqual([
      [
        'first@example.com',
        'First',
        expect.stringContaining('–'),
        expect.stringContaining('–'),
        expect.stringContaining('–'),
        'just now',
      ],
    ]);
    await users.submit('second@example.com', {});
    await untilNextPoll();
    await users.page.getByRole('status').getByText('1 new person').waitFor();
    expect(await users.emails()).toEqual(['second@example.com', 'first@example.com']);
  });

  it('has the labels of the schema as headers and sorts by a click on them', { tags: 'long' }, async () => {
    for (const [name, age] of [
      ['b', 3],
      ['a', 20],
      ['c', 1],
    ] as const)
      await users.submit(`${name}@example.com`, { age });
    await users.logIn();
    await waitForRange('1–3 of 3');
    expect(await users.page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Email',
      'Full name',
      'Plan',
      'Age',
      'Visits',
      'Created',
    ]);
    expect(await users.emails()).toEqual(['c@example.com', 'a@example.com', 'b@example.com']);
    const age = users.page.getByRole('columnheader', { name: 'Age' });
    await age.getByRole('button').click();
    await users.page
      .getByRole('columnheader', { name: 'Age' })
      .and(users.page.locator('[aria-sort=ascending]'))
      .waitFor();
    await expect.poll(users.emails).toEqual(['c@example.com', 'b@example.com', 'a@example.com']);
    await age.getByRole('button').click();
    await expect.poll(users.emails).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });

  it('says where letters with accents are in the order of a text', { tags: 'long' }, async () => {
    for (const [email, name] of [
      ['a', 'Zoe'],
      ['b', 'Änne'],
      ['c', 'adam'],
      ['d', 'Bert'],
    ])
      await users.submit(`${email}@example.com`, { name });
    await users.logIn();
    await waitForRange('1–4 of 4');
    const note = users.page.getByText('letters such as ä and é come after z. Capital and small letters count the same');
    await users.page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
    await users.page.locator('[aria-sort=ascending]').waitFor();
    expect(await note.count()).toBe(0);
    await users.page.getByRole('columnheader', { name: 'Full name' }).getByRole('button').click();
    await note.waitFor();
    const names = async () => (await tableRows(users.page, 'Table of people')).map(([, name]) => name);
    await expect.poll(names).toEqual(['adam', 'Bert', 'Zoe', 'Änne']);
  });

  it('searches, filters by a field and keeps both in the URL', { tags: 'long' }, async () => {
    for (const name of ['ada', 'alan', 'grace'])
      await users.submit(`${name}@example.com`, { plan: name === 'ada' ? 'pro' : 'free' });
    await users.logIn();
    await waitForRange('1–3 of 3');
    await users.page.getByLabel('Search all data').fill('ADA@EX');
    await waitForRange('1–1 of 1');
    expect(await users.emails()).toEqual(['ada@example.com']);
    await users.page.getByLabel('Search all data').fill('com exa');
    await waitForRange('1–3 of 3');
    await users.page.getByRole('button', { name: 'Add filter' }).click();
    const form = users.page.getByRole('dialog');
    await form.getByLabel('Field').selectOption('Plan');
    await form.getByLabel('Value').selectOption('free');
    await form.getByRole('button', { name: 'Apply' }).click();
    await waitForRange('1–2 of 2');
    await users.page.reload();
    await waitForRange('1–2 of 2');
    expect(await users.page.getByLabel('Search all data').inputValue()).toBe('com exa');
    expect(await users.emails()).toEqual(['grace@example.com', 'alan@example.com']);
    await users.page.getByLabel('Search all data').fill('(.*');
    await users.page.getByText('No people match').waitFor();
    await users.page.getByRole('button', { name: 'Show all people' }).click();
    await waitForRange('1–3 of 3');
  });

  it('has pages and returns to the same page from a record', { tags: 'long' }, async () => {
    for (let index = 0; index < 26; index += 1) await users.submit(`user${index}@example.com`, {});
    await users.logIn();
    await users.page.getByLabel('Rows per page').selectOption('25');
    await waitForRange('1–25 of 26');
    await users.page.getByRole('button', { name: 'Next' }).click();
    await waitForRange('26–26 of 26');
    expect(await users.emails()).toEqual(['user0@example.com']);
    expect(await users.page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await users.page.getByRole('link', { name: 'user0@example.com' }).click();
    await users.page.getByRole('heading', { level: 1, name: 'user0@example.com' }).waitFor();
    await users.page.getByRole('main').getByRole('link', { name: 'People' }).click();
    await waitForRange('26–26 of 26');
  });

  it('stores which columns are visible', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await waitForRange('1–1 of 1');
    await users.page.getByRole('button', { name: 'Columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Age' }).uncheck();
    await users.page.getByRole('checkbox', { name: 'Updated' }).check();
    await users.page.reload();
    await waitForRange('1–1 of 1');
    expect(await users.page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Email',
      'Full name',
      'Plan',
      'Visits',
      'Created',
      'Updated',
    ]);
  });

  it('has no scrollbar of its own while it is short', { tags: 'long' }, async () => {
    for (const name of ['a', 'b', 'c'])
      await users.submit(`${name}@example.com`, { name: 'Name', plan: 'pro', age: 20, visits: ['/'] });
    await users.page.setViewportSize({ width: 1280, height: 800 });
    await users.logIn();
    await waitForRange('1–3 of 3');
    const overflow = `[document.querySelector('section[aria-label="Table of people"]')].map((table) => [
      table.scrollHeight - table.clientHeight, table.scrollWidth - table.clientWidth])[0]`;
    expect(await users.page.evaluate(overflow)).toEqual([0, 0]);
  });

  it('shows the first person on a phone without scrolling', { tags: 'long' }, async () => {
    for (const name of ['a', 'b', 'c']) await users.submit(`${name}@example.com`, { name: 'Name' });
    const phone = { width: 375, height: 667 };
    await users.page.setViewportSize(phone);
    for (const logIn of [users.logIn, users.logInAsAdmin]) {
      await logIn();
      await users.goTo(`/apps/${users.app.sourceAppId}/users`);
      await waitForRange('1–3 of 3');
      await users.page.getByRole('region', { name: 'Statistics' }).waitFor();
      const first = await users.page.getByRole('row', { name: /c@example.com/ }).boundingBox();
      expect((first?.y ?? phone.height) + (first?.height ?? 0)).toBeLessThanOrEqual(phone.height);
    }
  });

  it('names the part of a link that the service refuses in words, not by a path of the API', {
    tags: 'long',
  }, async () => {
    const schema = { rejectUnknown: true, fields: FIELDS.slice(0, 1).map((field) => ({ ...field })) };
    await users.server.admin.putSchema(users.app.sourceAppId, schema as never).expect(200);
    await users.logIn();
    await users.goTo('/users?where=data.name:eq:Ada&where=data.name:like:A');
    const alert = users.page.getByRole('alert');
    await alert.getByText('must compare by one of').waitFor();
    expect(await alert.innerText()).not.toContain('where');
    expect(await alert.innerText()).toContain('The filter “Full name like A”');
  });

  it('ends with its content on a phone', { tags: 'long' }, async () => {
    await users.submit('a@example.com', { name: 'Name' });
    await users.page.setViewportSize({ width: 375, height: 667 });
    await users.logIn();
    await waitForRange('1–1 of 1');
    await users.page.getByRole('region', { name: 'Statistics' }).waitFor();
    const heights = '[document.documentElement.scrollHeight, document.body.scrollHeight]';
    const [page, content] = (await users.page.evaluate(heights)) as [number, number];
    expect(page).toBe(Math.max(content, 667));
  });

  it('exports all people or those that match the search', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', { name: '=1+1' });
    await users.submit('alan@example.com', { name: 'Alan' });
    await users.logIn();
    await waitForRange('1–2 of 2');
    await users.page.getByRole('button', { name: 'Export' }).click();
    await users.page.getByRole('menu').getByText('All 2 people').waitFor();
    const csv = users.page.waitForEvent('download');
    await users.page.getByRole('menuitem', { name: 'CSV for spreadsheets' }).click();
    const rows = (await readFile(await (await csv).path(), 'utf8')).trimEnd().split('\r\n');
    expect((await csv).suggestedFilename()).toMatch(/\.csv$/);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^\uFEFFid,email,/);
    expect(rows[2]).toContain("'=1+1");

    await users.page.getByLabel('Search all data').fill('alan');
    await waitForRange('1–1 of 1');
    await users.page.getByRole('button', { name: 'Export' }).click();
    await users.page.getByRole('menu').getByText('1 matching person').waitFor();
    const json = users.page.waitForEvent('download');
    await users.page.getByRole('menuitem', { name: /^JSON/ }).click();
    const exported = JSON.parse(await readFile(await (await json).path(), 'utf8'));
    expect(exported.map((user: { email: string }) => user.email)).toEqual(['alan@example.com']);
  });

  it('stays when a part of it cannot be loaded, and offers to load the page again', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', {});
    const other = await visit(users.server);
    let isAway = true;
    const parts = /\/assets\/users-[^/]*\.js$/;
    await other.page.route(parts, (route) => (isAway ? route.abort() : route.continue()));
    await logIn(other.page, users.app);
    await other.page.getByRole('alert').getByText('Something went wrong').first().waitFor();
    await other.page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    isAway = false;
    await other.page.getByRole('button', { name: 'Reload page' }).first().click();
    await other.page.getByText('1–1 of 1', { exact: true }).waitFor();
    await other.close();
  });

  it('offers a retry when the service cannot be reached', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', {});
    await users.logIn();
    await waitForRange('1–1 of 1');
    const other = await visit(users.server);
    await logIn(other.page, users.app);
    await other.page.getByText('1–1 of 1', { exact: true }).waitFor();
    await other.page.context().setOffline(true);
    await other.page.getByLabel('Search all data').fill('ada');
    await other.page.getByText('Could not reach the service').waitFor();
    await other.page.context().setOffline(false);
    await other.page.getByRole('button', { name: 'Try again' }).click();
    await other.page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    await other.close();
  });
});
