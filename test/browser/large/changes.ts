import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathAs, tableRows } from '../../support/browser/browser.ts';
import { rounds } from '../../support/run/rounds.ts';
import {
  downloadedLines,
  expectFits,
  expectUsable,
  type LargeApp,
  POLL,
  shown,
  shownEmails,
  waitForText,
} from './large-app.ts';
import { emailOf, LARGE } from './records.ts';

const MOVE_MS = 120_000;

/** Flows that change single users. */
export function editing(large: LargeApp): void {
  describe('a value', () => {
    it('is changed in the table and in the record; filters, index and audit log know it', async () => {
      let index = LARGE - 5;
      while ((await large.stored(emailOf(index)))?.data.plan === 'pro') index -= 1;
      const email = emailOf(index);
      const before = await large.stored(email);
      const page = await large.open('/users');
      await waitForText(page, `1–50 of ${shown(LARGE)}`);
      await page.getByRole('button', { name: 'Edit in table' }).click();
      await page.getByRole('button', { name: `edit Plan of ${email}` }).click();
      const form = page.getByRole('dialog', { name: `Edit ${email}` });
      await form.getByLabel('Plan').selectOption('Professional');
      await expectFits(page);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: `Professional , edit Plan of ${email}` }).waitFor();
      await page.getByRole('link', { name: email }).click();
      await page.getByRole('definition').getByText('Professional').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await form.getByLabel('Age').fill('101');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
      await page.getByRole('definition').getByText('101', { exact: true }).waitFor();
      await expectFits(page);
      expect((await large.stored(email))?.data).toEqual({ ...before?.data, plan: 'pro', age: 101 });

      await page.goto(
        `${large.server.listener.url}/dashboard${pathAs(large.app, '/users')}?where=data.plan:eq:pro&where=data.age:eq:101`,
      );
      await waitForText(page, '1 matching person');
      expect(await shownEmails(page)).toEqual([email]);
      await page.getByRole('link', { name: 'Team' }).click();
      const row = page.getByRole('row', { name: /Person changed/ }).filter({ hasText: String(before?._id) });
      await row.first().getByText(`Operator ${large.app.sourceAppId}`).waitFor();
      await expectFits(page);
    });
  });
}

/** The lines of the imported file, their changes of users, and the lines that are refused. */
const IMPORTED = { lines: rounds(20_000, 8_000), updated: rounds(8_000, 4_000), refusedEvery: 200 };

function importedFile(): string {
  const lines = Array.from({ length: IMPORTED.lines }, (_, line) => {
    const email = line < IMPORTED.updated ? emailOf(10_000 + line) : `imported.${line}@import.example`;
    if (line % IMPORTED.refusedEvery === 0)
      return line % 400 === 0 ? `nobody;X;pro;30;Rome` : `${email};X;gold;30;Rome`;
    return `${email};Imported ${line};${line % 2 ? 'pro' : 'team'};${20 + (line % 50)};Quito`;
  });
  return `Email;Full name;Plan;Age;City\n${lines.join('\n')}\n`;
}

/** An import of many lines. */
export function importing(large: LargeApp): void {
  describe('a file of many lines', () => {
    it('is imported with its progress; the refused lines can be downloaded', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'user-collection-import-'));
      const path = join(folder, 'people.csv');
      await writeFile(path, importedFile());
      const before = await large.count();
      const page = await large.open('/import');
      await page.locator('input[type=file]').setInputFiles(path);
      await expect.poll(() => page.getByLabel('Field of City', { exact: true }).inputValue(), POLL).toBe('data.city');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const progress = page.getByRole('progressbar', { name: 'Progress of the import' });
      await progress.waitFor();
      // The page scrolls to what happens.
      await page.getByText('You can leave this page: the import continues').waitFor();
      const { y = 0 } = (await progress.boundingBox()) ?? {};
      expect(y).toBeLessThan(900);
      await expectUsable(page, 'import in progress');
      const refused = IMPORTED.lines / IMPORTED.refusedEvery;
      const updated = IMPORTED.updated - IMPORTED.updated / IMPORTED.refusedEvery;
      const created = IMPORTED.lines - refused - updated;
      const counts = `${shown(created)} created, ${shown(updated)} updated, 0 unchanged, ${refused} rejected`;
      await page.getByText(`${shown(IMPORTED.lines)} lines: ${counts}`, { exact: true }).waitFor();
      await page.getByText('Line 2: Email must be an email address').waitFor();
      await expectUsable(page, 'import ended');
      const link = page.getByRole('link', { name: 'Rejected lines' });
      const [header, ...lines] = await downloadedLines(page, () => link.click());
      expect(header).toBe('line,reason,Email,Full name,Plan,Age,City');
      expect(lines).toHaveLength(refused);
      expect(lines[0]).toBe('2,Email must be an email address,nobody,X,pro,30,Rome');
      expect(await large.count()).toBe(before + created);
      expect(await large.count({ 'data.city': 'Quito' })).toBe(created + updated);
      expect((await large.stored(emailOf(10_001)))?.data).toMatchObject({ name: 'Imported 1', plan: 'pro', age: 21 });

      await page.getByRole('link', { name: 'People' }).first().click();
      await waitForText(page, `All ${shown(before + created)} people`);
      await page.goto(`${large.server.listener.url}/dashboard${pathAs(large.app, '/users')}?where=data.plan:eq:pro`);
      const matches = await large.count({ 'data.plan': 'pro' });
      // Up to that number the page counts without being asked.
      if (matches > 10_000) await page.getByRole('button', { name: 'Count exactly' }).click();
      await waitForText(page, `${shown(matches)} matching people`);
      await rm(folder, { recursive: true });
    });
  });
}

/** The rename of fields of all records. */
export function renaming(large: LargeApp): void {
  describe('fields that are renamed', () => {
    it('keep the values of all people; the dashboard shows how far the move is', async () => {
      const { sourceAppId } = large.app;
      const [all, cities, ages, romans] = await Promise.all([
        large.count(),
        large.count({ 'data.city': { $exists: true } }),
        large.count({ 'data.age': { $exists: true } }),
        large.count({ 'data.city': 'Rome', 'data.age': { $gte: 85 } }),
      ]);
      const page = await large.open(`/apps/${sourceAppId}`, { role: 'admin' });
      for (const [label, key] of [
        ['City', 'town'],
        ['Age', 'years'],
      ] as const) {
        const field = page
          .getByRole('region', { name: 'Fields' })
          .getByRole('button', { name: new RegExp(`^${label} `) });
        await field.click();
        // What is rarely set stays open for the next field.
        if (key === 'town') await page.getByRole('button', { name: 'More options' }).click();
        await page.getByLabel('Key').fill(key);
        await field.click();
      }
      await page.getByRole('button', { name: 'Review and save' }).click();
      const dialog = page.getByRole('dialog', { name: /Save version/ });
      await dialog.getByText(/stored records match/).waitFor();
      expect(await dialog.getByLabel('Keep the data').count()).toBe(2);
      await expectUsable(page, 'rename');
      await dialog.getByRole('button', { name: /Save version/ }).click();
      await dialog.waitFor({ state: 'hidden' });

      await page.goto(`${large.server.listener.url}/dashboard/apps/${sourceAppId}/users`);
      const progress = page.getByRole('list', { name: 'Background work' });
      await progress.getByText('Moving values of “city” to “town”: ').waitFor();
      await progress.getByRole('progressbar', { name: 'Values of years' }).waitFor();
      await expectUsable(page, 'rename in progress');
      await page.goto(`${page.url()}?where=data.years:gte:85&where=data.town:eq:Rome`);
      await waitForText(page, `${shown(romans)} matching people`);
      await progress.waitFor({ state: 'detached', timeout: MOVE_MS });
      expect(await large.count({ 'data.town': { $exists: true } })).toBe(cities);
      expect(await large.count({ 'data.years': { $exists: true } })).toBe(ages);
      expect(await large.count({ $or: [{ 'data.city': { $exists: true } }, { 'data.age': { $exists: true } }] })).toBe(
        0,
      );
      expect(await large.count()).toBe(all);
      await page.reload();
      await waitForText(page, `${shown(romans)} matching people`);
      expect((await tableRows(page, 'Table of people')).map((cells) => cells[6])).toEqual(
        Array(Math.min(50, romans)).fill('Rome'),
      );
    });
  });
}
