import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);
beforeEach(async () => {
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Your name', kind: 'text' },
      { key: 'message', label: 'Message', kind: 'text' },
      { key: 'topic', label: 'Topic', kind: 'select', enum: ['a', 'b'], enumLabels: { a: 'Question' } },
    ],
  });
  await server.admin.put(`/auth/apps/${app.sourceAppId}/history`, { submissions: true }).expect(200);
});

const submit = (email: string, data: object) => server.client.submit(app.sourceAppId, { email, data }).expect(200);

/** Waits until the submissions of the app are kept. */
const arrived = (count: number) =>
  expect.poll(() => server.db.collection('submissions').countDocuments({ sourceAppId: app.sourceAppId })).toBe(count);

/** Waits until the newest record, or submission, is stored as seen. */
const looked = (list: 'users' | 'inbox') =>
  expect
    .poll(async () => {
      const found = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
      const collection = server.db.collection(list === 'inbox' ? 'submissions' : list);
      const newest = await collection.findOne({ appId: found?._id }, { sort: { updatedAt: -1 } });
      return server.db.collection('looks').countDocuments({ appId: found?._id, list, at: newest?.updatedAt });
    })
    .toBe(1);

/** The first characters of the element that begins with a text, from left to right. */
const fromLeft = (page: Page, selector: string, text: string) =>
  page.evaluate(`(() => {
    const found = [...document.querySelectorAll('${selector}')];
    const { firstChild } = found.find(({ textContent }) => textContent.startsWith('${text}'));
    const leftOf = (at) => {
      const range = document.createRange();
      range.setStart(firstChild, at);
      range.setEnd(firstChild, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [...'${text}'].map((_, at) => at).sort((a, b) => leftOf(a) - leftOf(b));
  })()`);

describe('the inbox', () => {
  it('is the first page, and has each message of somebody who writes twice', async () => {
    await submit('ada@example.com', { name: 'Ada', message: 'First <b>message</b>', topic: 'a' });
    await submit('ada@example.com', { name: 'שלום!', message: 'Second\nmessage' });
    await arrived(2);
    const { page, expectClean, close } = await visitAs(server, app, '/');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/apps/${app.sourceAppId}/inbox`);
    await page.getByText('Each is deleted after 90 days').waitFor();
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.nth(1).innerText()).toContain('Ada · First <b>message</b> · Question');
    await rows.nth(0).getByRole('link').click();
    const message = page.getByRole('article', { name: 'Message of ada@example.com' });
    await message.getByText('Second\nmessage').waitFor();
    // Hebrew begins at the right, and its end, the exclamation mark, is at the left.
    for (const selector of ['li span', 'dd']) {
      expect(await fromLeft(page, selector, 'שלום!')).toEqual([4, 3, 2, 1, 0]);
    }
    // The other one stands below it.
    await message.getByRole('region', { name: 'Other messages of this person' }).locator('summary').click();
    await message.getByText('First <b>message</b>', { exact: true }).waitFor();
    await message.getByRole('link', { name: 'Show the record' }).click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
    await page.getByRole('link', { name: 'Show 2' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expectClean();
    await close();
  });

  it('answers, sets the status of the team, and is read by keyboard', { tags: 'long' }, async () => {
    const team = await server.admin.buildApp({
      fields: [
        { key: 'message', label: 'Message', kind: 'text', maxLength: 5_000 },
        {
          key: 'status',
          label: 'Status',
          kind: 'select',
          enum: ['new', 'done'],
          enumLabels: { new: 'New one', done: 'Done' },
          default: 'new',
          writers: 'staff',
        },
      ],
    });
    await server.admin.put(`/auth/apps/${team.sourceAppId}/history`, { submissions: true }).expect(200);
    const send = (email: string, message: string) =>
      server.client.submit(team.sourceAppId, { email, data: { message } }).expect(200);
    await send('first@example.com', 'The first');
    // Neither the address nor the text can add a recipient or a header.
    await send("o'hara+x?cc=eve@example.com", 'Hello & welcome?\r\nBcc: eve@example.com');
    await expect
      .poll(() => server.db.collection('submissions').countDocuments({ sourceAppId: team.sourceAppId }))
      .toBe(2);
    const { page, expectClean, close } = await visitAs(server, team, '/inbox');
    await page.getByText('Choose a message to read it here.').waitFor();
    await page.keyboard.press('j');
    const newest = page.getByRole('article', { name: /hara/ });
    await newest.waitFor();
    const link = new URL((await newest.getByRole('link', { name: 'Reply' }).getAttribute('href')) ?? '');
    expect(decodeURIComponent(link.pathname)).toBe("o'hara+x?cc=eve@example.com");
    expect([...link.searchParams.keys()]).toEqual(['subject', 'body']);
    expect(link.searchParams.get('subject')).toBe(`Re: ${team.sourceAppId}`);
    expect(link.searchParams.get('body')).toMatch(/wrote:\r\n> Message: Hello & welcome\?\s+> Bcc: eve@example.com$/);

    await page.keyboard.press('j');
    const first = page.getByRole('article', { name: 'Message of first@example.com' });
    await first.waitFor();
    expect(await first.getByRole('button', { name: 'Older message' }).isDisabled()).toBe(true);
    await first.getByLabel('Status').selectOption('Done');
    await page.getByText('The status is stored').waitFor();
    const { body } = await server.admin
      .get(`/auth/users?sourceAppId=${team.sourceAppId}&where=data.status:eq:done`)
      .expect(200);
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['first@example.com']);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('k');
    await newest.waitFor();
    await page.keyboard.press('u');
    await page.getByText('Choose a message to read it here.').waitFor();
    expectClean();
    await close();
  });

  it('marks what arrived since the last look on any device, and searches', { tags: 'long' }, async () => {
    await submit('old@example.com', { message: 'Seen before' });
    await arrived(1);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await rows.getByText('Seen before').first().waitFor();
    await looked('inbox');
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await submit('new@example.com', { message: 'Just arrived' });
    await arrived(2);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await rows.nth(1).waitFor();
    // The list may come before the time of the last look.
    await expect.poll(() => rows.nth(0).innerText()).toContain('New');
    expect(await rows.nth(1).innerText()).not.toContain('New');
    await page.getByLabel('Search all data').fill('seen');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.nth(0).innerText()).toContain('old@example.com');
    await looked('inbox');
    const device = await visitAs(server, app, '/inbox');
    const there = device.page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await there.nth(1).waitFor();
    await expect.poll(() => device.page.getByText('New', { exact: true }).count()).toBe(0);
    await device.close();
    await page.getByLabel('Search all data').fill('nobody wrote this');
    await page.getByText('No submissions match').waitFor();
    expectClean();
    await close();
  });

  it('is filtered, and exported as filtered', { tags: 'long' }, async () => {
    await submit('ada@example.com', { message: 'First', topic: 'a' });
    await submit('ada@example.com', { message: 'Second', topic: 'b' });
    await arrived(2);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox?where=data.topic%3Aeq%3Ab');
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await rows.getByText('Second').first().waitFor();
    expect(await rows.count()).toBe(1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'NDJSON' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).data)).toEqual([{ message: 'Second', topic: 'b' }]);
    expectClean();
    await close();
  });

  it('is beside a list of people that shows who wrote again', { tags: 'long' }, async () => {
    await submit('ada@example.com', { name: 'Ada' });
    await submit('eve@example.com', { name: 'Eve' });
    const { page, expectClean, close } = await visitAs(server, app, '/users');
    await page.getByRole('row', { name: /eve@example.com/ }).waitFor();
    await looked('users');
    expect(await page.getByRole('columnheader', { name: 'Updated' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Share', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Share the form' }).waitFor();
    await submit('ada@example.com', { message: 'Again' });
    await page.getByRole('link', { name: 'People' }).click();
    const unread = page
      .getByRole('row')
      .filter({ has: page.locator('[aria-description="Changed since your last visit"]') });
    await unread.filter({ hasText: 'ada@example.com' }).waitFor();
    await page.getByRole('columnheader', { name: 'Updated' }).waitFor();
    expect(await unread.count()).toBe(1);
    expectClean();
    await close();
  });

  it('fits a phone, and goes back to where somebody was', { tags: 'long' }, async () => {
    for (let n = 0; n < 30; n += 1)
      await submit(`p${n}@example.com`, { name: `Person ${n}`, message: 'x '.repeat(n * 9) });
    await arrived(30);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await rows.nth(0).getByRole('link').click();
    await page.getByRole('article').waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    // A phone shows the message in place of the list.
    expect(await rows.filter({ visible: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Back to the inbox' }).click();
    await page.getByRole('button', { name: 'Older', exact: true }).click();
    await expect.poll(() => rows.count()).toBe(5);
    await rows.nth(4).getByRole('link').click();
    await page.getByRole('article').getByRole('link', { name: 'Show the record' }).click();
    await page.getByRole('heading', { level: 1, name: 'p0@example.com' }).waitFor();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => rows.filter({ visible: true }).count()).toBe(5);
    await page.getByLabel('Search all data').fill('Person 2');
    await rows.getByText('p29@example.com').waitFor();
    expectClean();
    await close();
  });

  it('says how to keep submissions', { tags: 'long' }, async () => {
    await server.admin.put(`/auth/apps/${app.sourceAppId}/history`, { submissions: false }).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    await page.getByRole('link', { name: 'Change what is kept' }).click();
    await page.getByRole('checkbox', { name: /Keep submissions/ }).waitFor();
    expectClean();
    await close();
  });
});
