import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectFits, expectUsable, type LargeApp, POLL, shown, waitForText } from './large-app.ts';
import { emailOf, LARGE } from './records.ts';

const DAY_MS = 86_400_000;

/** Continues a search that reads part by part until something appears. */
async function searchUntil(page: Page, text: string): Promise<void> {
  const on = page.getByRole('button', { name: 'Search on' });
  await expect
    .poll(async () => {
      if ((await page.getByText(text).count()) > 0) return true;
      if ((await on.count()) > 0 && (await on.isEnabled())) await on.click();
      return false;
    }, POLL)
    .toBe(true);
}

/** The data of one person in several apps. */
export function person(large: LargeApp): void {
  describe('a person', () => {
    it('is found by an admin among all people, exported, and erased in all apps', async () => {
      const { server, other } = large;
      const email = emailOf(777);
      const users = server.db.collection('users');
      const inOther = () => users.countDocuments({ sourceAppId: other.sourceAppId });
      const before = { large: await large.count(), other: await inOther() };
      await server.client.submit(other.sourceAppId, { email, data: { name: 'The same' } }).expect(200);
      const page = await large.open('/privacy', { role: 'admin' });
      await page.getByLabel('Email, or a part of it').fill(email.slice(0, -4));
      await page.getByRole('button', { name: 'Find' }).click();
      await searchUntil(page, email);
      await searchUntil(page, other.sourceAppId);
      await page.getByRole('button', { name: `Show data of ${email}` }).click();
      const held = page.getByRole('list', { name: 'Held data' }).getByRole('listitem');
      await expect.poll(() => held.count(), POLL).toBe(2);
      await expectFits(page);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export everything' }).click();
      const { entries } = JSON.parse(await readFile(await (await download).path(), 'utf8'));
      expect(entries.map((entry: { sourceAppId: string }) => entry.sourceAppId).sort()).toEqual(
        [large.app.sourceAppId, other.sourceAppId].sort(),
      );
      await page.getByRole('button', { name: 'Erase in all apps' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase in all apps' });
      await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
      await dialog.getByRole('button', { name: 'Erase permanently' }).click();
      await page.getByText('Nothing is stored about this person.').waitFor();
      await page.getByText(/^Receipt .*: 2 records/).waitFor();
      await expectUsable(page, 'person erased');
      expect(await users.countDocuments({ email })).toBe(0);
      expect({ large: await large.count(), other: await inOther() }).toEqual({ ...before, large: before.large - 1 });
    });
  });
}

/** Flows that erase many users. */
export function erasing(large: LargeApp): void {
  describe('people who match', () => {
    it('are erased after their number was typed, and not when it has changed meanwhile', async () => {
      const { server, app } = large;
      const filter = { 'data.plan': 'team', 'data.news': true };
      const [all, matches] = await Promise.all([large.count(), large.count(filter)]);
      expect(matches).toBeGreaterThan(LARGE / 40);
      const path = `/apps/${app.sourceAppId}/users?where=data.plan:eq:team&where=data.news:eq:true`;
      const page = await large.open(path, { role: 'admin' });
      await waitForText(page, `${shown(matches)} matching people`);
      await page.getByRole('button', { name: 'Erase matching people' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase people' });
      const erase = (count: number) => dialog.getByRole('button', { name: `Erase ${shown(count)} people permanently` });
      await erase(matches).waitFor();
      const late = { email: 'late@example.com', data: { plan: 'team', news: true } };
      await server.client.submit(app.sourceAppId, late).expect(200);
      await dialog.getByLabel('Number of people').fill(String(matches));
      await erase(matches).click();
      await dialog.getByText(`${matches + 1} records match; nothing was erased`).waitFor();
      await expectUsable(page, 'number has changed');
      expect(await large.count()).toBe(all + 1);
      expect(await erase(matches + 1).isDisabled()).toBe(true);
      await dialog.getByLabel('Number of people').fill(shown(matches + 1));
      await erase(matches + 1).click();
      await page.getByText(`${shown(matches + 1)} people were erased`).waitFor();
      await page.getByText('No people match').waitFor();
      await expectUsable(page, 'erased');
      expect(await large.count(filter)).toBe(0);
      expect(await large.count()).toBe(all - matches);
    });
  });

  describe('retention', () => {
    it('tells how many people it will erase, and erases no others', async () => {
      const { app } = large;
      const days = 350;
      const page = await large.open('/privacy');
      await page.getByRole('checkbox', { name: 'Erase people automatically' }).check();
      await page.getByLabel('Days').fill(String(days));
      await page.getByLabel('Counted from').selectOption('the creation');
      const all = await large.count();
      const old = await large.count({ createdAt: { $lt: new Date(Date.now() - days * DAY_MS) } });
      await page.getByRole('button', { name: 'Check and save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase people automatically' });
      const told = await dialog.getByText(/ (?:people|person)$/).innerText();
      // The dialog counts to the minute; a record is created every 6 minutes or more.
      const toldCount = Number(told.replace(/\D/g, ''));
      expect(Math.abs(toldCount - old)).toBeLessThanOrEqual(1);
      expect(old).toBeGreaterThan(LARGE / 10);
      await expectFits(page);
      await dialog.getByLabel('App ID').fill(app.sourceAppId);
      await dialog.getByRole('button', { name: 'Save retention' }).click();
      await page.getByText(`Now: People are erased ${days} days after the creation.`).waitFor();
      await expect
        .poll(() => large.count({ createdAt: { $lt: new Date(Date.now() - days * DAY_MS - 600_000) } }), POLL)
        .toBe(0);
      expect(Math.abs((await large.count()) - (all - old))).toBeLessThanOrEqual(2);
      await page.getByRole('checkbox', { name: 'Erase people automatically' }).uncheck();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Now: People are kept until somebody erases them.').waitFor();
      await expectUsable(page, 'retention ended');
    });
  });
}
