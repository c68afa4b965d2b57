import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);
beforeEach(async () => {
  app = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Full name', kind: 'text' }] });
});

/** Sends an HTML form whose honeypot is filled. */
async function sendAsBot(email: string, entries: Record<string, string> = {}): Promise<void> {
  const body = new URLSearchParams({ email, _gotcha: 'filled', ...entries });
  const { status } = await fetch(`${server.listener.url}/v1/forms/${app.sourceAppId}`, {
    method: 'POST',
    body,
    redirect: 'manual',
  });
  expect(status).toBe(200);
}

async function open(path: string): Promise<Visit> {
  const opened = await visitAs(server, app, path);
  return opened;
}

const users = () => server.db.collection('users').find({ sourceAppId: app.sourceAppId }).toArray();

describe('held submissions', () => {
  it('are linked with their count only while there are any', { tags: 'long' }, async () => {
    const before = await open('/users');
    await before.page.getByText('No people yet').waitFor();
    expect(await before.page.getByRole('link', { name: /^Held/ }).count()).toBe(0);
    await before.close();

    await sendAsBot('bot@example.com');
    const { page, expectClean, close } = await open('/users');
    await page.getByRole('link', { name: 'Held (1)' }).waitFor();
    const listings = () =>
      server.db.collection('audit_events').countDocuments({ sourceAppId: app.sourceAppId, action: 'held.listed' });
    // Their number alone is no listing.
    expect(await listings()).toBe(0);
    await page.getByRole('link', { name: 'Held (1)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Held submissions' }).waitFor();
    await page.getByRole('row', { name: /bot@example.com/ }).waitFor();
    expect(await listings()).toBe(1);
    expectClean();
    await close();
  });

  it('show what was sent and why it is held, and are stored when they are released', async () => {
    const name = '<b>Ada</b> & "Co"';
    await sendAsBot('ada@example.com', { name, other: 'x' });
    const { page, expectClean, close } = await open('/held');
    const row = page.getByRole('row', { name: /ada@example.com/ });
    await row.getByText(`Full name: ${name} · other: x`).waitFor();
    await row.getByRole('cell', { name: 'The hidden field was filled in', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Release ada@example.com' }).click();
    await page.getByText('The submission of ada@example.com is stored.').waitFor();
    await page.getByText('Nothing is held').waitFor();
    expect(await users()).toMatchObject([{ email: 'ada@example.com', data: { name, other: 'x' } }]);
    await page.getByRole('link', { name: 'Show the record' }).click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
    expectClean();
    await close();
  });

  it('show each value with the label of its field and of its choice', { tags: 'long' }, async () => {
    await server.admin
      .putSchema(app.sourceAppId, {
        fields: [
          { key: 'name', label: 'Full name', kind: 'text' },
          { key: 'plan', label: 'Plan', kind: 'select', enum: ['pro'], enumLabels: { pro: 'Professional' } },
          { key: 'city', label: 'City', kind: 'text' },
          { key: 'note', label: 'Your note', kind: 'text' },
        ],
      })
      .expect(200);
    await sendAsBot('ada@example.com', { note: 'Hi', city: 'Oslo', plan: 'pro', name: 'Ada', other: 'x' });
    const { page, expectClean, close } = await open('/held');
    await page.getByText('Full name: Ada · Plan: Professional · City: Oslo · 2 more', { exact: true }).click();
    const values = await page
      .getByRole('row', { name: /ada@example.com/ })
      .locator('dl > div')
      .allInnerTexts();
    expect(values.map((text) => text.split('\n').filter((line) => line !== ''))).toEqual([
      ['Full name', 'Ada'],
      ['Plan', 'Professional'],
      ['City', 'Oslo'],
      ['Your note', 'Hi'],
      ['other', 'x'],
    ]);
    expectClean();
    await close();
  });

  it('stay held when the newest schema refuses them', { tags: 'long' }, async () => {
    await sendAsBot('ada@example.com');
    await server.admin
      .putSchema(app.sourceAppId, { fields: [{ key: 'name', label: 'Full name', kind: 'text', required: true }] })
      .expect(200);
    const { page, expectClean, close } = await open('/held');
    await page.getByRole('button', { name: 'Release ada@example.com' }).click();
    await page.getByText('The submission of ada@example.com was not stored').waitFor();
    await page.getByText('Full name is required').waitFor();
    await page.getByRole('row', { name: /ada@example.com/ }).waitFor();
    expect(await users()).toEqual([]);
    expectClean();
    await close();
  });

  it('are deleted after a confirmation', { tags: 'long' }, async () => {
    await sendAsBot('ada@example.com');
    await sendAsBot('bot@example.com');
    const { page, expectClean, close } = await open('/held');
    await page.getByRole('button', { name: 'Delete bot@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this submission?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: /bot@example.com/ }).waitFor();
    await page.getByRole('button', { name: 'Delete bot@example.com' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /bot@example.com/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /ada@example.com/ }).waitFor();
    expect(await users()).toEqual([]);
    expectClean();
    await close();
  });

  it('are shown page by page, the newest first', { tags: 'long' }, async () => {
    for (let index = 1; index <= 26; index += 1) await sendAsBot(`bot${index}@example.com`);
    const { page, expectClean, close } = await open('/held');
    await page.getByRole('row', { name: /bot26@/ }).waitFor();
    expect(await page.getByRole('row', { name: /bot1@/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Held (26)' }).waitFor();
    await page.getByText('26 submissions held').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('row', { name: /bot1@/ }).waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /bot1@/ }).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /bot1@/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?page=2');
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('row', { name: /bot26@/ }).waitFor();
    expectClean();
    await close();
  });
});
