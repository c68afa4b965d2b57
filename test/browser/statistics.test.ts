// @module-tag long

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { timeZoneOf } from '../../src/features/search/time-zone.ts';
import { visitAs } from '../support/browser/browser.ts';
import { storeRecords, withUsersPage } from './users-page.ts';

const users = withUsersPage();
const DAY_MS = 86_400_000;

/** Stores records that were created some days ago. */
const storeOn = (daysAgo: number, count: number, data: object) =>
  storeRecords(users, count, () => ({ ...data }), {
    createdAt: new Date(Date.now() - daysAgo * DAY_MS),
    email: () => `${randomUUID()}@example.com`,
  });

/** The number of labels below the chart that cover the one before. */
const OVERLAPS = `[...document.querySelectorAll('[data-statistics] figure > div:last-of-type > span')]
  .map((label) => label.getBoundingClientRect())
  .filter(({ left }, index, all) => index > 0 && all[index - 1].right > left).length`;

const statistics = () => users.page.getByRole('region', { name: 'Statistics' });
const figures = async () => (await statistics().locator('> div').allInnerTexts()).map((text) => text.split('\n'));
/** The days with new users: how many days ago, and how many users. */
async function days(): Promise<number[][]> {
  const counts = (await statistics().locator('table tr td').allInnerTexts()).map(Number);
  return counts.flatMap((count, index) => (count > 0 ? [[counts.length - 1 - index, count]] : []));
}
const shortDay = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * DAY_MS).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });

describe('the statistics of a list', () => {
  it('count people, and show new ones by day between axes with ticks', async () => {
    await storeOn(40, 1, {});
    await storeOn(3, 2, {});
    await storeOn(0, 7, {});
    await users.logIn();
    await statistics().getByRole('figure').waitFor();
    expect(await figures()).toEqual([
      ['People', '10'],
      ['New in 30 days', '9'],
    ]);
    expect(await days()).toEqual([
      [3, 2],
      [0, 7],
    ]);
    const ticks = statistics().getByRole('figure').locator('> div[aria-hidden]');
    expect(await ticks.first().locator('span').allInnerTexts()).toEqual(['0', '2', '4', '6', '8']);
    const weeks = [28, 21, 14, 7, 0];
    expect(await ticks.last().locator('span').allInnerTexts()).toEqual(weeks.map(shortDay));
    for (const width of [1280, 375]) {
      await users.page.setViewportSize({ width, height: 720 });
      const overlaps = await users.page.evaluate(OVERLAPS);
      expect(overlaps, `labels at ${width} px`).toBe(0);
    }
  });

  it('follow the filters', async () => {
    await storeOn(40, 2, { plan: 'pro' });
    await storeOn(9, 3, { plan: 'pro' });
    await storeOn(1, 1, { plan: 'pro' });
    await storeOn(1, 20, { plan: 'free' });
    await users.logIn();
    await users.goTo('/users?where=data.plan:eq:pro');
    await statistics().getByRole('figure').waitFor();
    await expect.poll(figures).toEqual([
      ['Matching people', '6'],
      ['New in 30 days', '4'],
    ]);
    expect(await days()).toEqual([
      [9, 3],
      [1, 1],
    ]);
    await users.page.getByRole('button', { name: 'Remove filter: Plan is pro' }).click();
    await expect.poll(days).toEqual([
      [9, 3],
      [1, 21],
    ]);
  });

  it('count at least the new people, while the others are not counted', async () => {
    await storeOn(2, 60, { plan: 'pro' });
    await users.logIn();
    await users.goTo('/users?q=pro');
    await expect
      .poll(async () => (await figures()).slice(0, 2))
      .toEqual([
        ['Matching people', '60+'],
        ['New in 30 days', '60'],
      ]);
  });

  it('have no chart when all new people came on one day, as after an import', async () => {
    await storeOn(2, 30, { plan: 'pro' });
    await users.logIn();
    await statistics().waitFor();
    const date = new Date(Date.now() - 2 * DAY_MS).toLocaleDateString('en-GB', {
      dateStyle: 'medium',
      timeZone: 'UTC',
    });
    await expect.poll(figures).toEqual([
      ['People', '30'],
      ['New in 30 days', '30'],
      ['All created on', date],
    ]);
    expect(await statistics().getByRole('figure').count()).toBe(0);
  });

  it("count the days of the reader's time zone, and name it", async () => {
    const timezoneId = 'Pacific/Kiritimati';
    const zone = timeZoneOf(timezoneId);
    const midnight = zone.instantOf(Math.floor(zone.localTime(Date.now()) / DAY_MS - 3) * DAY_MS);
    for (const [at, count] of [
      [midnight - 2 * DAY_MS - 1, 2],
      [midnight, 5],
      [midnight + DAY_MS - 1, 1],
    ] as const) {
      const createdAt = new Date(at);
      await storeRecords(users, count, () => ({ plan: 'pro' }), {
        createdAt,
        email: () => `${randomUUID()}@example.com`,
      });
    }
    const { page, close, expectClean } = await visitAs(users.server, users.app, '/users', { timezoneId });
    const shown = page.getByRole('region', { name: 'Statistics' });
    const nameOf = (at: number) =>
      new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: timezoneId });
    const rows = async () =>
      (await shown.locator('table tr').allInnerTexts())
        .map((row) => row.split('\t'))
        .filter(([, count]) => count !== '0');
    const expected = [
      [nameOf(midnight - 2 * DAY_MS - 1), '2'],
      [nameOf(midnight), '6'],
    ];
    await expect.poll(rows).toEqual(expected);
    await shown.getByRole('figure').getByText(`New people per day (${timezoneId})`).first().waitFor();

    await page.getByLabel('Break down by').selectOption('Created');
    const chart = page.getByRole('region', { name: 'Breakdown by Created' });
    await chart.getByText(`Time zone: ${timezoneId}.`).waitFor();
    await chart.getByRole('button', { name: new RegExp(`^${nameOf(midnight)}: 6 people`) }).click();
    await page.getByText('6 matching people', { exact: true }).waitFor();
    await expect.poll(async () => (await shown.locator('> div').allInnerTexts()).at(-1)).toContain(nameOf(midnight));
    expectClean();
    await close();
  });
});
