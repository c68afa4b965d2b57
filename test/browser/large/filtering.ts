import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { tableRows } from '../../support/browser/browser.ts';
import { expectFits, expectUsable, type LargeApp, NEWEST, POLL, shown, shownEmails, waitForText } from './large-app.ts';
import { LARGE } from './records.ts';

/** The page of 50 users at three quarters of all. */
const DEEP_PAGE = (LARGE / 50) * 0.75;

const chart = (page: Page, label: string) => page.getByRole('region', { name: `Breakdown by ${label}` });

/** Flows that the indexes of fields serve. */
export function findingWithIndexes(large: LargeApp): void {
  const table = (page: Page) => page.getByRole('region', { name: 'Table of people' });
  const sortBy = (page: Page, label: string) =>
    table(page).getByRole('columnheader', { name: label }).getByRole('button').click();

  describe('an order', () => {
    it('of an indexed field is that of all people, on every page', async () => {
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await sortBy(page, 'Age');
      const filter = { 'data.age': { $exists: true } };
      const sort = { 'data.age': 1, _id: 1 } as const;
      await expect.poll(() => shownEmails(page), POLL).toEqual(await large.emails(filter, sort, 0, 50));
      await page.getByLabel('Page number').fill(String(DEEP_PAGE));
      await page.getByRole('button', { name: 'Go' }).click();
      await waitForText(page, `${shown(DEEP_PAGE * 50 - 49)}–${shown(DEEP_PAGE * 50)} of ${shown(LARGE)}`);
      expect(await shownEmails(page)).toEqual(await large.emails(filter, sort, DEEP_PAGE * 50 - 50, 50));
    });

    it('of a field without an index is that of all matches, and says when it is not', async () => {
      const page = await large.open('/users?where=data.plan:eq:enterprise');
      const filter = { 'data.plan': 'enterprise', 'data.born': { $exists: true } };
      const sort = { 'data.born': 1, _id: 1 } as const;
      await waitForText(page, `${shown(await large.count({ 'data.plan': 'enterprise' }))} matching people`);
      await sortBy(page, 'Born');
      await expect.poll(() => shownEmails(page), POLL).toEqual(await large.emails(filter, sort, 0, 50));
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(/^51–100 of/).waitFor();
      expect(await shownEmails(page)).toEqual(await large.emails(filter, sort, 50, 50));

      const slow = await large.open('/users?sort=data.born&order=asc', { on: large.slow });
      await waitForText(slow, /^Sorting all people takes too long\./);
      const days = (await tableRows(slow, 'Table of people')).map(([, , , , born = '']) => Date.parse(`${born} UTC`));
      expect(days).toHaveLength(50);
      expect(days).toEqual([...days].sort((one, other) => one - other));
      const boxes = [slow.getByText('Sorting all people takes too long'), table(slow)].map((one) => one.boundingBox());
      const [notice, rows] = await Promise.all(boxes);
      expect(notice?.y).toBeLessThan(rows?.y ?? 0);
      await expectUsable(slow, 'sorted in part');
    });
  });

  describe('a number of matches', () => {
    it('is counted exactly on demand; without the time for that, the page says so', async () => {
      const page = await large.open('/users?where=data.plan:eq:free');
      await waitForText(page, 'More than 10,000 matching people');
      await page.getByRole('button', { name: 'Count exactly' }).click();
      await waitForText(page, `${shown(await large.count({ 'data.plan': 'free' }))} matching people`);

      const slow = await large.open('/users?q=example', { on: large.slow });
      // How many depends on the machine: what was counted in the time of a request.
      await slow.getByText(/^At least [\d,]+ matching people$/).waitFor();
      await slow.getByRole('button', { name: 'Count exactly' }).click();
      await waitForText(slow, 'Counting took too long: not all people are counted.');
      await slow.getByText(/^At least [\d,]+ matching people$/).waitFor();
      await expectUsable(slow, 'counted in part');
    });
  });

  describe('the filter builder', () => {
    it('combines one of, a range, a day, a part and no value', async () => {
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      const form = page.getByRole('dialog');
      const add = async (field: string, words: string): Promise<void> => {
        await page.getByRole('button', { name: 'Add filter' }).click();
        await form.getByLabel('Field').selectOption(field);
        await form.getByLabel('Condition').selectOption(words);
      };
      const apply = () => form.getByRole('button', { name: 'Apply' }).click();
      await add('Plan', 'is one of');
      await form.getByRole('checkbox', { name: 'Professional' }).check();
      await form.getByRole('checkbox', { name: 'team' }).check();
      await expectFits(page);
      await apply();
      await add('Age', 'between');
      await form.getByLabel('From').fill('20');
      await form.getByLabel('To', { exact: true }).fill('69');
      await apply();
      await add('Born', 'on or after');
      await form.getByLabel('Date').fill('1950-06-01');
      await apply();
      await add('Full name', 'contains');
      await form.getByLabel('Text').fill('son');
      await apply();
      await add('Newsletter', 'is empty');
      await apply();
      const filter = {
        'data.plan': { $in: ['pro', 'team'] },
        'data.age': { $gte: 20, $lte: 69 },
        'data.born': { $gte: '1950-06-01' },
        'data.name': /son/i,
        'data.news': { $exists: false },
      };
      const matches = await large.count(filter);
      expect(matches).toBeGreaterThan(LARGE / 400);
      await waitForText(page, `${shown(matches)} matching people`);
      await expect.poll(() => shownEmails(page), POLL).toEqual(await large.emails(filter, NEWEST, 0, 50));
      const chips = await page.getByRole('list', { name: 'Filters' }).getByRole('listitem').allInnerTexts();
      expect(chips).toEqual([
        'Plan is one of Professional, team',
        'Age at least 20',
        'Age at most 69',
        'Born on or after 1 Jun 1950',
        'Full name contains son',
        'Newsletter is empty',
        'Remove all filters',
      ]);
      await expectFits(page);
    });
  });

  describe('the breakdown of what is filtered', () => {
    it('counts all people, and a bar that is pressed filters', async () => {
      const page = await large.open('/users?where=data.age:gte:60');
      const older = { 'data.age': { $gte: 60 } };
      await page.getByLabel('Break down by').selectOption('Plan');
      const total = await large.count(older);
      await chart(page, 'Plan')
        .getByText(`Of ${shown(total)} people.`)
        .waitFor();
      const counts = await Promise.all(
        ['free', 'pro', 'team', 'enterprise'].map((plan) => large.count({ ...older, 'data.plan': plan })),
      );
      const bars = (await chart(page, 'Plan').getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s+/));
      expect(Object.fromEntries(bars.map(([name, count]) => [name, count]))).toMatchObject(
        Object.fromEntries(
          ['free', 'Professional', 'team', 'enterprise'].map((name, at) => [name, shown(counts[at] ?? 0)]),
        ),
      );
      expect(await page.getByRole('button', { name: 'Count exactly' }).count()).toBe(0);
      await expectFits(page);
      await chart(page, 'Plan').getByRole('button', { name: /^team/ }).click();
      await waitForText(page, `${shown(counts[2] ?? 0)} matching people`);
      await page.getByLabel('Break down by').selectOption('Spent');
      const spent = chart(page, 'Spent').getByRole('button').first();
      const label = (await spent.getAttribute('aria-label')) ?? '';
      const [, low = '', high = '', count = ''] = /^(\S+) – under (\S+): (\S+) (?:people|person)/.exec(label) ?? [];
      await expectFits(page);
      await spent.click();
      const range = { $gte: Number(low.replace(/,/g, '')), $lt: Number(high.replace(/,/g, '')) };
      expect(count).toBe(shown(await large.count({ ...older, 'data.plan': 'team', 'data.spent': range })));
      await waitForText(page, `${count} matching people`);
    });
  });
}
