import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { pathAs, tableRows } from '../../support/browser/browser.ts';
import {
  downloadedLines,
  expectFits,
  expectUsable,
  type LargeApp,
  NEWEST,
  POLL,
  shown,
  shownEmails,
  waitForText,
} from './large-app.ts';
import { emailOf, LARGE, RARE } from './records.ts';

async function exportAs(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Flows that need no index of a field. */
export function findingWithoutIndexes(large: LargeApp): void {
  describe(`pages of ${shown(LARGE)} people`, () => {
    it('show the newest people first, with a long email and absent values', async () => {
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await waitForText(page, `All ${shown(LARGE)} people`);
      expect(await shownEmails(page)).toEqual(await large.emails({}, NEWEST, 0, 50));
      expect((await tableRows(page, 'Table of people'))[0]?.[0]).toBe(emailOf(LARGE - 1));
      await page.getByRole('region', { name: 'Statistics' }).getByText(shown(LARGE), { exact: true }).waitFor();
      await expectFits(page);
    });

    it('have a size, are opened by their number however deep, and stay after a reload', async () => {
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await page.getByLabel('Rows per page').selectOption('200 rows');
      await waitForText(page, `1–200 of ${shown(LARGE)}`);
      await page.getByLabel('Page number').fill(String(LARGE / 200));
      await page.getByRole('button', { name: 'Go' }).click();
      await waitForText(page, `${shown(LARGE - 199)}–${shown(LARGE)} of ${shown(LARGE)}`);
      expect(await shownEmails(page)).toEqual(await large.emails({}, NEWEST, LARGE - 200, 200));
      expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Previous' }).click();
      await waitForText(page, `${shown(LARGE - 399)}–${shown(LARGE - 200)} of ${shown(LARGE)}`);
      await page.reload();
      await waitForText(page, `${shown(LARGE - 399)}–${shown(LARGE - 200)} of ${shown(LARGE)}`);
      expect(await shownEmails(page)).toEqual(await large.emails({}, NEWEST, LARGE - 400, 200));
    });
  });

  describe('on a phone', () => {
    it(`${shown(LARGE)} people, a filter and a record with a long email fit the width`, async () => {
      const page = await large.open('/users?where=data.city:eq:Oslo', { width: 375 });
      await page.getByRole('region', { name: 'Table of people' }).waitFor();
      await page.getByRole('button', { name: 'Erase matching people' }).waitFor();
      await expectUsable(page, 'phone');
      await page.goto(`${large.server.listener.url}/dashboard${pathAs(large.app, '/users')}`);
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await page.getByRole('link', { name: emailOf(LARGE - 1) }).click();
      await page.getByRole('heading', { level: 1, name: emailOf(LARGE - 1) }).waitFor();
      await expectFits(page);
    });
  });

  describe('a search through everything', () => {
    it('finds a name wherever it is', async () => {
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await page.getByLabel('Search all data').fill('FEATHERSTONE');
      await waitForText(page, '1 matching person');
      expect(await shownEmails(page)).toEqual([emailOf(RARE.at)]);
    });

    it('shows its progress, is stopped, and continues', async () => {
      const page = await large.open('/users', { on: large.slow });
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      let parts = 0;
      let goOn = (): void => undefined;
      const stopped = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      // What follows the third part waits until the search was stopped.
      await page.route(/cursor=/, async (route) => {
        parts += 1;
        if (parts > 2) await stopped;
        await route.continue();
      });
      await page.goto(
        `${large.slow.listener.url}/dashboard${pathAs(large.app, '/users')}?where=data.city:eq:${RARE.city}`,
      );
      await waitForText(page, 'Searched part of the records: 0 matches on this page so far');
      await expectUsable(page, 'search in progress');
      await page.getByRole('button', { name: 'Stop' }).click();
      goOn();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
      await expectUsable(page, 'stopped search');
      const before = parts;
      expect(before).toBeLessThanOrEqual(3);
      expect(await page.getByRole('region', { name: 'Table of people' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Continue' }).click();
      await waitForText(page, '1 matching person');
      expect(parts).toBeGreaterThan(before);
      expect(await shownEmails(page)).toEqual([emailOf(RARE.at)]);
    });
  });

  describe('what is filtered', () => {
    it('is kept as a view with its columns', async () => {
      const page = await large.open('/users?where=data.plan:in:free,pro');
      const filter = { 'data.plan': { $in: ['free', 'pro'] } };
      await waitForText(page, 'More than 10,000 matching people');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Spent' }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('Save this view as').fill('Free and pro');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('list', { name: 'My views' }).waitFor();
      await expectFits(page);
      await page.goto(`${large.server.listener.url}/dashboard${pathAs(large.app, '/users')}`);
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('link', { name: 'Free and pro' }).click();
      await waitForText(page, 'More than 10,000 matching people');
      await expect.poll(() => shownEmails(page), POLL).toEqual(await large.emails(filter, NEWEST, 0, 50));
      await page.getByRole('columnheader', { name: 'Spent' }).waitFor();
    });

    it('is exported, one line for each person', async () => {
      const page = await large.open('/users?where=data.city:eq:Vienna&where=data.news:eq:true');
      const matches = await large.count({ 'data.city': 'Vienna', 'data.news': true });
      await waitForText(page, `${shown(matches)} matching people`);
      const [header, ...lines] = await downloadedLines(page, () => exportAs(page, 'CSV for programs'));
      expect(header).toContain('data.name,data.plan,data.age,data.born,data.news,data.city,data.spent,data.visits');
      expect(lines).toHaveLength(matches);
      expect(lines.filter((line) => !/,Vienna,/.test(line))).toEqual([]);
      await page.goto(`${large.server.listener.url}/dashboard${pathAs(large.app, '/users')}`);
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      const all = await downloadedLines(page, () => exportAs(page, 'NDJSON (one person per line)'), '\n');
      expect(new Set(all.map((line) => JSON.parse(line).email)).size).toBe(LARGE);
    });
  });
}
