// @module-tag long

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

const chooseFile = ({ page }: Visit, name: string, content: string) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

const valuesOf = async ({ sourceAppId }: TestApp) =>
  (await server.db.collection('users').find({ sourceAppId }).sort({ email: 1 }).toArray()).map(({ data }) => data);

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text' as const },
  { key: 'score', label: 'Score', kind: 'number' as const },
  { key: 'born', label: 'Born', kind: 'date' as const },
  { key: 'seen', label: 'Seen', kind: 'date' as const },
  { key: 'news', label: 'News', kind: 'checkbox' as const },
];

describe('an import that rejected values', () => {
  it('is shown as a failure if it rejected every line, and can leave the values out', async () => {
    const app = await server.admin.buildApp({ fields: FIELDS });
    const visited = await visitAs(server, app, '/import');
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'a.csv', 'email,name,score\na@example.com,Ada,n/a\nb@example.com,Bob,n/a\n');
    await page.getByRole('button', { name: 'Dry run' }).click();
    const first = page.getByRole('article').first();
    await first.getByText('All lines rejected', { exact: true }).waitFor();
    await first.getByText('Completed', { exact: true }).waitFor({ state: 'detached' });
    await first.getByRole('list', { name: 'Reasons' }).getByText('2 lines: score must be a number').waitFor();
    const omit = page.getByLabel('Leave out values that do not fit');
    expect(await omit.isChecked()).toBe(false);
    await first.getByRole('button', { name: 'Leave these values out' }).click();
    await page
      .getByText('2 created, 0 updated, 0 unchanged, 0 rejected. Nothing was stored. 2 values were left out')
      .waitFor();
    expect(await omit.isChecked()).toBe(true);
    expect(await valuesOf(app)).toEqual([]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 lines: 2 created, 0 updated, 0 unchanged, 0 rejected. 2 values were left out').waitFor();
    expect(await valuesOf(app)).toEqual([{ name: 'Ada' }, { name: 'Bob' }]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Values left out' }).first().click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^line,path,.*\r\n2,.*score.*\r\n3,.*score/);
    expectClean();
    await close();
  });

  it('is repeated for the rejected lines only, after the page was left too', async () => {
    const app = await server.admin.buildApp({ fields: [...FIELDS, { key: 'notes', label: 'Notes', kind: 'array' }] });
    const visited = await visitAs(server, app, '/import');
    const { page, expectClean, close } = visited;
    const lines = ['a@example.com;Ada;7;first', 'b@example.com;"Bob; or ""B"".";tall;second'];
    await chooseFile(visited, 'a.csv', `email;name;score;notes\n${lines.join('\n')}\n`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 lines: 1 created, 0 updated, 0 unchanged, 1 rejected').waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Leave these values out' }).click();
    await page.getByText('1 line: 1 created, 0 updated, 0 unchanged, 0 rejected. 1 value was left out').waitFor();
    const [ada, bob] = await valuesOf(app);
    expect([ada?.notes.length, bob?.notes.length, bob?.name, bob?.score]).toEqual([1, 1, 'Bob; or "B".', undefined]);
    expectClean();
    await close();
  });
});

describe('the settings of columns', () => {
  it('are proposed where columns differ, and show what they make of values', async () => {
    const app = await server.admin.buildApp({ fields: FIELDS });
    const visited = await visitAs(server, app, '/import');
    const { page, expectClean, close } = visited;
    const lines = [
      'a@example.com;1.234,50;31.12.24;12/31/24 3:04 PM;Ja',
      'b@example.com;-;1.2.23;1/15/24 11:00 AM;Nein',
      'c@example.com;tall;3.4.22;2/1/24 12:30 AM;Ja',
    ];
    await chooseFile(visited, 'a.csv', ['E-Mail;Score;Born;Seen;News', ...lines].join('\n'));
    const zone = await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone');
    await expect.poll(() => page.getByLabel('Time zone').inputValue()).toBe(zone);
    await page.getByRole('button', { name: 'Settings of Score' }).click();
    const read = page.getByRole('list', { name: 'How the first values of Score are read' });
    await expect
      .poll(() => read.getByRole('listitem').allTextContents())
      .toEqual([
        '1.234,50 → 1234.5',
        '- → cannot be read: must be a number',
        'tall → cannot be read: must be a number',
      ]);
    await page.getByText('2 of the first 3 values cannot be read').waitFor();
    const settings = page.getByRole('region', { name: 'Settings of Score' });
    await settings.getByLabel('Texts that mean no value').fill('-, Tall');
    await expect
      .poll(() => read.getByRole('listitem').allTextContents())
      .toEqual(['1.234,50 → 1234.5', '- → no value', 'tall → no value']);
    await page.getByRole('button', { name: 'Settings of Seen' }).press('Enter');
    const seen = page.getByRole('region', { name: 'Settings of Seen' });
    expect(await seen.getByLabel('Date format').inputValue()).toBe('M/D/YY h:mm A');
    await seen.getByLabel('Time zone').fill('Europe/Berlin');
    await seen.getByText('31 Dec 2024, 15:04:00').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('3 lines: 3 created').waitFor();
    expect(await valuesOf(app)).toEqual([
      { score: 1234.5, born: '2024-12-31', seen: '2024-12-31T15:04:00+01:00', news: true },
      { born: '2023-02-01', seen: '2024-01-15T11:00:00+01:00', news: false },
      { born: '2022-04-03', seen: '2024-02-01T00:30:00+01:00', news: true },
    ]);
    expectClean();
    await close();
  });
});

describe('fields that are created from columns', () => {
  const FILE = [
    'Kontakt;Full name;Age;"Which plan?⏎(one)";Topics;Joined;News',
    'a@example.com;Ada;36;Basic;News;31.12.2024;Ja',
    'b@example.com;Bob;41;Pro;News;01.02.2023;Nein',
    'c@example.com;Eve;n/a;Basic;"Events;News";03.04.2022;Ja',
    'd@example.com;Max;52;Pro;Events;05.06.2021;Nein',
  ]
    .join('\n')
    .replace('⏎', '\n');

  it('have proposed names, kinds and choices, and are used without another choice of the file', async () => {
    const app = await server.admin.buildApp({ fields: [] });
    const visited = await visitAs(server, ADMIN, `/apps/${app.sourceAppId}/import`);
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'a.csv', FILE);
    await expect.poll(() => page.getByLabel('Field of Kontakt').inputValue()).toBe('email');
    await page.getByRole('button', { name: 'Create fields for 6 columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create fields for 6 columns' });
    const kindOf = (column: string) => dialog.getByLabel(`Kind of the field for ${column}`).inputValue();
    await dialog.getByText('Age', { exact: true }).waitFor();
    expect(await Promise.all(['Full name', 'Age', 'Which plan?', 'Topics', 'Joined', 'News'].map(kindOf))).toEqual([
      'text',
      'number',
      'select',
      'multiselect',
      'date',
      'checkbox',
    ]);
    await dialog.getByLabel('Name of the field for Joined').fill('Member since');
    await dialog.getByLabel('Choices, one in each line, of the field for Which plan?').fill('Basic\nPro\nMax');
    await dialog.getByRole('button', { name: 'Create 6 fields' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Field of Joined').inputValue()).toBe('data.memberSince');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('4 lines: 4 created, 0 updated, 0 unchanged, 0 rejected').waitFor();
    expect((await valuesOf(app))[2]).toEqual({
      fullName: 'Eve',
      whichPlanOne: 'Basic',
      topics: ['News', 'Events'],
      memberSince: '2022-04-03',
      news: true,
    });
    expectClean();
    await close();
  });

  it('are created for one column too, beside those of a version that was saved meanwhile', async () => {
    const app = await server.admin.buildApp({ fields: [] });
    const visited = await visitAs(server, ADMIN, `/apps/${app.sourceAppId}/import`);
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'a.csv', FILE);
    await page.getByRole('button', { name: 'Create a field from Age' }).click();
    await server.admin
      .putSchema(app.sourceAppId, { fields: [{ key: 'age', label: 'Years', kind: 'text' }] })
      .expect(200);
    await page.getByRole('button', { name: 'Create 1 field', exact: true }).click();
    await expect.poll(() => page.getByLabel('Field of Age').inputValue()).toBe('data.age2');
    await page.getByText('5 columns are left out').waitFor();
    expectClean();
    await close();
  });

  it('are not offered to those who may not write the schema', async () => {
    const app = await server.admin.buildApp({ fields: [] });
    const visited = await visitAs(server, app, '/import');
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'a.csv', FILE);
    await page.getByText('6 columns are left out').waitFor();
    expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    expectClean();
    await close();
  });
});

describe('the import page', () => {
  it.each([375, 1280])('has no overflow at %i px', async (width) => {
    const app = await server.admin.buildApp({ fields: FIELDS });
    const visited = await visitAs(server, ADMIN, `/apps/${app.sourceAppId}/import`, {
      viewport: { width, height: 900 },
    });
    const { page, close } = visited;
    const overflow = () =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    const shot = async (name: string) => {
      const folder = process.env.SHOTS;
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
    };
    const long = `${'A very long question '.repeat(12)}?`;
    await chooseFile(
      visited,
      'a.csv',
      `email;Score;Born;${long};Plan\n${'a@example.com;tall;31.12.24;x y;Pro\n'.repeat(4)}`,
    );
    await page.getByRole('button', { name: 'Settings of Score' }).click();
    await page.getByRole('button', { name: 'Settings of Born' }).click();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('All lines rejected', { exact: true }).waitFor();
    await page.getByText('The first values are read as').nth(1).waitFor();
    expect(await overflow()).toBe(0);
    await shot('page');
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot('dark');
    await page.getByRole('button', { name: /^Create fields for/ }).click();
    await page.getByRole('dialog').getByLabel('Kind of the field for Plan').waitFor();
    expect(await overflow()).toBe(0);
    await shot('dialog');
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await close();
  });
});
