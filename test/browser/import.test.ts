import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
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
  it('proposes the fields of columns, checks the file in a dry run, and imports it', async () => {
    const visited = await open('/users');
    const { page, expectClean, close } = visited;
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
    await chooseFile(visited, 'people.csv', Buffer.from(`\uFEFF${FILE}`, 'utf16le'));
    const fieldOf = (column: string) => page.getByLabel(`Field of ${column}`, { exact: true });
    await expect.poll(() => fieldOf('E-Mail').inputValue()).toBe('email');
    expect(await fieldOf('Full name').inputValue()).toBe('data.name');
    expect(await fieldOf('Birthday').inputValue()).toBe('');
    await fieldOf('Birthday').selectOption('Born');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('2 lines: 0 created, 0 updated, 0 unchanged, 2 rejected. Nothing was written').waitFor();
    await page.getByText('Line 2: data.born must be a date like 2026-01-31').waitFor();
    expect(await users()).toEqual([]);

    await page.getByLabel('Date format').fill('DD/MM/YYYY');
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
      'line,reason,E-Mail,Full name,Birthday,Other\r\n3,email must be an email address,nobody,Bob,,\r\n',
    );
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
    await page.getByText('timeZone must be an IANA time zone').waitFor();
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
