// @module-tag long

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import { zipOf } from '../support/samples/archives.ts';
import type { TestApp } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { ADMIN_PASSWORD, QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdfOf } from '../support/server/uploads.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Full name', kind: 'text' },
      { key: 'born', label: 'Born', kind: 'date' },
      { key: 'height', label: 'Height', kind: 'number' },
    ],
  });
});

async function open(path: string, as = app): Promise<Visit> {
  const opened = await visitAs(server, as, path);
  return opened;
}

const chooseFile = ({ page }: Visit, name: string, content: string | Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

const users = () => server.db.collection('users').find({ sourceAppId: app.sourceAppId }).sort({ email: 1 }).toArray();

const FILE = 'E-Mail;Full name;Birthday;Other\nada@example.com;Ada;10/12/1815;x\nnobody;Bob;;\n';

describe('the import page', () => {
  it('undoes an import in the list, after a question, and shows what that did', async () => {
    const { sourceAppId } = app;
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    const lines = 'ada@example.com,Countess\nbob@example.com,Bob\ncarl@example.com,Carl\n';
    await runImport(server.admin, sourceAppId, `email,name\n${lines}`, { fileName: 'people.csv' });
    await runImport(server.admin, sourceAppId, `email,name\n${lines}`, { fileName: 'same.csv' });
    await server.client.submit(sourceAppId, { email: 'carl@example.com', data: { height: 2 } }).expect(200);
    const { page, expectClean, close } = await open('/import');
    const rowOf = (name: string) => page.getByRole('article', { name: `Import of ${name}` });
    await rowOf('same.csv').getByText('0 created, 0 updated').waitFor();
    expect(await rowOf('same.csv').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await rowOf('people.csv').getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await dialog.getByText('erased people cannot be restored').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await rowOf('people.csv').getByText('Undone: 1 person erased, 1 person restored, 1 person kept.').waitFor();
    expect(await rowOf('people.csv').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await users()).map(({ email, data }) => [email, data])).toEqual([
      ['ada@example.com', { name: 'Ada' }],
      ['carl@example.com', { name: 'Carl', height: 2 }],
    ]);
    expectClean();
    await close();
  });

  it('takes the archive of an export, with its files', async () => {
    await server.admin.putSchema(app.sourceAppId, { fields: [CV] }).expect(200);
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    const archive = await zipOf([
      { path: 'users.csv', content: 'email,data.cv\nada@example.com,files/cv.pdf\n' },
      { path: 'files/cv.pdf', content: pdfOf(1_000) },
    ]);
    await chooseFile(visited, 'people.zip', archive);
    await page.getByText('as an export writes it').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 line: 1 created, 0 updated, 0 unchanged, 0 rejected', { exact: true }).waitFor();
    expect((await users()).map(({ data }) => data.cv[0].name)).toEqual(['cv.pdf']);
    expectClean();
    await close();
  });

  it('proposes the fields of columns, checks the file in a dry run, and imports it', async () => {
    const visited = await open('/users');
    const { page, expectClean, close } = visited;
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
    await page.getByRole('heading', { name: 'No imports yet' }).waitFor();
    expect(await page.locator('main svg[viewBox="0 0 96 72"]').getAttribute('aria-hidden')).toBe('true');
    await chooseFile(visited, 'people.csv', Buffer.from(`\uFEFF${FILE}`, 'utf16le'));
    const fieldOf = (column: string) => page.getByLabel(`Field of ${column}`, { exact: true });
    await expect.poll(() => fieldOf('E-Mail').inputValue()).toBe('email');
    expect(await fieldOf('Full name').inputValue()).toBe('data.name');
    expect(await fieldOf('Birthday').inputValue()).toBe('');
    await page.getByText('2 columns are left out: Birthday and Other.').waitFor();
    await fieldOf('Birthday').selectOption('Born');
    await page.getByText('1 column is left out: Other. To import it too, choose a field for it').waitFor();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page
      .getByText(
        'An import of 2 lines would have this result: 0 created, 0 updated, 0 unchanged, 2 rejected. Nothing was stored',
      )
      .waitFor();
    await page.getByText('Line 2: Birthday must be a date like 2026-01-31').waitFor();
    await page.getByText('Line 3: E-Mail must be an email address').waitFor();
    expect(await page.getByText('Every line was rejected').count()).toBe(0);
    expect(await users()).toEqual([]);

    await page.getByRole('button', { name: 'Use DD/MM/YYYY' }).click();
    expect(await page.getByLabel('Date format').inputValue()).toBe('DD/MM/YYYY');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 lines: 1 created, 0 updated, 0 unchanged, 1 rejected', { exact: true }).waitFor();
    expect((await users()).map(({ email, data }) => ({ email, data }))).toEqual([
      { email: 'ada@example.com', data: { name: 'Ada', born: '1815-12-10' } },
    ]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Rejected lines' }).first().click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(
      'line,reason,E-Mail,Full name,Birthday,Other\r\n3,E-Mail must be an email address,nobody,Bob,,\r\n',
    );
    expectClean();
    await close();
  });

  it('proposes the decimal comma and the date format from the values, and keeps what was chosen', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    const file =
      'email;name;born;height;other\na@example.com;A;31.01.1990;1,75;2.5\nb@example.com;B;1.2.1991;2,0;3.5\n';
    await chooseFile(visited, 'people.csv', file);
    await expect.poll(() => page.getByLabel('Date format').inputValue()).toBe('D.M.YYYY');
    await page.getByText('Proposed from the values').first().waitFor();
    expect(await page.getByLabel('Numbers').inputValue()).toBe(',');
    await page.getByLabel('Field of height').selectOption('');
    await page.getByLabel('Field of other').selectOption('Height');
    expect(await page.getByLabel('Numbers').inputValue()).toBe('.');
    await page.getByLabel('Field of other').selectOption('');
    await page.getByLabel('Field of height').selectOption('Height');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 lines: 2 created').waitFor();
    expect((await users()).map(({ data }) => data)).toEqual([
      { name: 'A', born: '1990-01-31', height: 1.75 },
      { name: 'B', born: '1991-02-01', height: 2 },
    ]);
    await page.getByLabel('Date format').fill('');
    await page.getByLabel('Numbers').selectOption('1.5');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('this result: 0 created, 0 updated, 0 unchanged, 2 rejected').waitFor();
    expectClean();
    await close();
  });

  it('says what to change when a dry run rejects every line for one reason', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    const rows = Array.from({ length: 30 }, (_, n) => `p${n}@example.com,0${1 + (n % 9)}/02/1990,tall`);
    await chooseFile(visited, 'people.csv', ['E-Mail,Born,How tall', ...rows].join('\n'));
    await page.getByText('The dates of the file can be read in two ways').waitFor();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText(/^Every line was rejected, the first 20 because: Born must be a date like/).waitFor();
    await page.getByText('Set “Date format” to the format of Born, such as DD/MM/YYYY.').waitFor();
    await page.getByRole('button', { name: 'Use DD/MM/YYYY' }).click();
    await page.getByLabel('Field of How tall').selectOption('Height');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('the first 20 because: How tall must be a number').waitFor();
    await page.getByText('or choose another field for it.').waitFor();
    await page.getByLabel('Field of How tall').selectOption('');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('30 lines: 30 created').waitFor();
    expectClean();
    await close();
  });

  it('names the file of an import, unless the name could be of a person', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    const names = async () =>
      Promise.all((await page.getByRole('article').all()).map((article) => article.getAttribute('aria-label')));
    for (const name of ['customers 2026.csv', 'ada@example.com.csv']) {
      await chooseFile(visited, name, 'email\nada@example.com\n');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('1 line: 1 created').or(page.getByText('1 line: 0 created')).first().waitFor();
      await expect.poll(async () => (await names()).length).toBe(name.startsWith('ada') ? 2 : 1);
    }
    expect(await names()).toEqual([expect.stringMatching(/^Import of 20/), 'Import of customers 2026.csv']);
    const first = page.getByRole('article', { name: 'Import of customers 2026.csv' });
    await first.getByText('customers 2026.csv', { exact: true }).waitFor();
    await first.getByText('The people stay, even when you delete this entry.').waitFor();
    expect(JSON.stringify(await server.db.collection('imports').find().toArray())).not.toContain('ada@example.com');
    expectClean();
    await close();
  });

  it('says what happens next while a file is sent, after a dry run and after an import', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    let answer: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/auth/imports/*/content*', async (route) => {
      await isRead;
      await route.continue();
    });
    await chooseFile(visited, 'people.csv', 'email\nada@example.com\n');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Keep this page open until the import appears below.').waitFor();
    answer();
    await page.getByText('To store the people, press “Import” above.').waitFor();
    await page.getByRole('button', { name: 'Remove the file' }).click();
    await page.getByText('To store the people, choose the file again and press “Import”.').waitFor();
    await chooseFile(visited, 'people.csv', 'email\nada@example.com\n');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The people stay, even when you delete this entry.').waitFor();
    expectClean();
    await close();
  });

  it('deletes an import after a confirmation', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'people.ndjson', '{"email":"ada@example.com","data":{"name":"Ada"}}\n');
    await page.getByText('Each line has an email and its data').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 line: 1 created').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this import?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 line: 1 created').waitFor({ state: 'detached' });
    expect(await users()).toHaveLength(1);
    const left = () => server.db.collection('imports').countDocuments({ sourceAppId: app.sourceAppId });
    await expect.poll(left, { timeout: 5_000 }).toBe(0);
    expectClean();
    await close();
  });

  it('says why a file cannot be imported', async () => {
    const visited = await open('/import');
    const { page, expectClean, close } = visited;
    await chooseFile(visited, 'empty.csv', '');
    await page.getByText('The file is empty.').waitFor();
    await chooseFile(visited, 'other.csv', 'a,b\n1,2\n');
    await page.getByText('Choose the column that has the email.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Field of a').selectOption('Email');
    await page.getByLabel('Time zone').fill('Moon/Base');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Time zone must be an IANA time zone').waitFor();
    expectClean();
    await close();
  });

  it('imports into any app for an admin, in parts', async () => {
    const visited = await open(`/apps/${app.sourceAppId}/import`, { sourceAppId: 'admin', password: ADMIN_PASSWORD });
    const { page, expectClean, close } = visited;
    const rows = Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com,${'x'.repeat(1_000)}\n`);
    await chooseFile(visited, 'big.csv', `email,name\n${rows.join('')}`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('3,000 lines: 3,000 created').waitFor();
    expect(await users()).toHaveLength(3_000);
    expectClean();
    await close();
  });
});
