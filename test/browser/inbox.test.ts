import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, goWithin, openPage, visitAs } from '../support/browser/browser.ts';
import { joinApp, PASSWORD } from '../support/server/accounts.ts';
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
    await first.getByLabel('Status').dispatchEvent('pointerdown');
    await first.getByLabel('Status').selectOption('Done');
    await page.getByText('The status is stored').waitFor();
    const { body } = await server.admin
      .get(`/auth/users?sourceAppId=${team.sourceAppId}&where=data.status:eq:done`)
      .expect(200);
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['first@example.com']);
    // The keys work after a choice by pointer; after one by keyboard the control keeps the focus.
    await page.keyboard.press('k');
    await newest.waitFor();
    await newest.getByLabel('Status').focus();
    await page.keyboard.press('ArrowDown');
    await expect
      .poll(async () => {
        const { body: found } = await server.admin
          .get(`/auth/users?sourceAppId=${team.sourceAppId}&where=data.status:eq:done`)
          .expect(200);
        return found.users.length;
      })
      .toBe(2);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Status');
    // The notice of the second change replaced that of the first.
    await page.getByText("The change of o'hara").waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
    // The end of the page can be scrolled above it, also on a phone.
    await page.setViewportSize({ width: 375, height: 500 });
    const left = await page.evaluate(`(() => {
      scrollTo(0, document.body.scrollHeight);
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      return box('.mantine-Notifications-notification').top - box('main section').bottom;
    })()`);
    expect(left).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.keyboard.press('Tab');
    await page.keyboard.press('u');
    await page.getByText('Choose a message to read it here.').waitFor();
    expectClean();
    await close();
  });

  it.each(['en-GB', 'de-DE'])('has toolbars of one line at 1280 px: %s', { tags: 'long' }, async (locale) => {
    await server.admin
      .put(`/auth/apps/${app.sourceAppId}/schema`, {
        rejectUnknown: false,
        fields: [{ key: 'status', kind: 'select', enum: ['new', 'in progress', 'done'], writers: 'staff' }],
      })
      .expect(200);
    await submit('ada@example.com', { name: 'Ada' });
    await arrived(1);
    const { page, expectClean, close } = await openPage(`${server.listener.url}/dashboard/`, {
      session: { origin: server.listener.url, app },
      locale,
    });
    await page.getByRole('main').getByText('ada@example.com').click();
    await page.getByRole('article').getByRole('combobox').waitFor();
    const tops = async (controls: Locator) =>
      new Set(
        (await controls.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))).map(Math.round),
      );
    const tools = page.locator('article header + div').locator('a, button, select');
    expect(await tools.count()).toBe(5);
    expect((await tops(tools)).size).toBe(1);
    expect((await tops(page.locator('search').locator('input, button'))).size).toBe(1);
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
    expect(await page.getByText('Unread').count()).toBe(0);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await submit('new@example.com', { message: 'Just arrived' });
    await arrived(2);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await rows.nth(1).waitFor();
    // The list may come before the time of the last look.
    await expect.poll(() => rows.nth(0).innerText()).toContain('Unread');
    expect(await rows.nth(1).innerText()).not.toContain('Unread');
    await page.getByLabel('Search all data').fill('seen');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.nth(0).innerText()).toContain('old@example.com');
    await looked('inbox');
    const device = await visitAs(server, app, '/inbox');
    const there = device.page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    await there.nth(1).waitFor();
    await expect.poll(() => device.page.getByText('Unread').count()).toBe(0);
    await device.close();
    await page.getByLabel('Search all data').fill('nobody wrote this');
    await page.getByText('No submissions match').waitFor();
    expectClean();
    await close();
  });

  it('archives a message and moves it back, and is searched there too', { tags: 'long' }, async () => {
    for (const name of ['First', 'Second', 'Third']) await submit(`${name.toLowerCase()}@example.com`, { name });
    await arrived(3);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    const folders = page.getByRole('navigation', { name: 'Messages' });
    const messageOf = (name: string) => page.getByRole('article', { name: `Message of ${name}@example.com` });
    const done = () =>
      server.db.collection('submissions').distinct('email', { sourceAppId: app.sourceAppId, done: true });
    await rows.getByText('third@example.com').click();
    await messageOf('third').getByRole('button', { name: 'Archive' }).click();
    // The next one opens.
    await messageOf('second').waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await done()).toEqual(['third@example.com']);
    await page.keyboard.press('e');
    await messageOf('first').waitFor();
    await page.keyboard.press('e');
    // There is no next one.
    await page.getByRole('heading', { name: 'All messages are archived' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/inbox$/);
    await expect.poll(async () => (await done()).length).toBe(3);

    // Only the last notice stays.
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await rows.getByText('first@example.com').waitFor();
    expect(await rows.count()).toBe(1);
    expect(await done()).toEqual(['second@example.com', 'third@example.com']);

    await page.getByLabel('Search all data').fill('Third');
    await page.getByText('No submissions match').waitFor();
    await page.getByText('Only open messages were searched.').waitFor();
    await page.getByRole('link', { name: 'Search all messages' }).click();
    await rows.getByText('third@example.com').waitFor();
    expect(await folders.getByRole('link', { name: 'All' }).getAttribute('aria-current')).toBe('page');
    expect(await rows.nth(0).innerText()).toContain('Archived');
    await page.getByLabel('Search all data').fill('');
    await expect.poll(() => rows.count()).toBe(3);
    await folders.getByRole('link', { name: 'Archived' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?done=true');
    await page.reload();
    await rows.getByText('third@example.com').click();
    await messageOf('third').getByRole('button', { name: 'Move to the inbox' }).click();
    await messageOf('second').waitFor();
    await expect.poll(done).toEqual(['second@example.com']);
    await folders.getByRole('link', { name: 'Open' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).search).toBe('');
    // A link of an archived message leads to it.
    const { body } = await server.admin.get(`/auth/submissions?sourceAppId=${app.sourceAppId}&done=true`).expect(200);
    await goWithin(page, `/apps/${app.sourceAppId}/inbox/${body.submissions[0].id}`);
    await page.getByRole('heading', { name: 'This message is not on this page of the inbox' }).waitFor();
    await page.getByRole('link', { name: 'Search all messages' }).click();
    await messageOf('second').waitFor();
    expectClean();
    await close();
  });

  it('says that a message was not moved', { tags: 'long' }, async () => {
    await submit('ada@example.com', { name: 'Ada' });
    await arrived(1);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    const row = page.getByRole('list', { name: 'Submissions' }).getByText('ada@example.com');
    await row.click();
    await page.getByRole('article').waitFor();
    const { body } = await server.admin.get(`/auth/users?sourceAppId=${app.sourceAppId}`).expect(200);
    await server.admin.delete(`/auth/users/${body.users[0].id}?sourceAppId=${app.sourceAppId}`).expect(200);
    await page.keyboard.press('e');
    await page.getByText('The message was not moved').waitFor();
    await page.getByText('Submission not found').waitFor();
    await page.getByRole('heading', { name: 'No submissions yet' }).waitFor();
    expectClean();
    await close();
  });

  it('lets viewers read only', { tags: 'long' }, async () => {
    await submit('ada@example.com', { name: 'Ada' });
    await arrived(1);
    const viewer = await joinApp(server, app.sourceAppId, 'viewer');
    const logIn = { email: viewer.email, password: PASSWORD };
    const { page, expectClean, close } = await visitAs(server, logIn, `/apps/${app.sourceAppId}/inbox`);
    await page.getByText('ada@example.com').click();
    await page.getByRole('article').getByRole('link', { name: 'Reply' }).waitFor();
    await page.keyboard.press('e');
    expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0);
    expect(await page.getByRole('article').count()).toBe(1);
    expectClean();
    await close();
  });

  it('shows each message as unread until it is opened, is archived, or all are marked', { tags: 'long' }, async () => {
    await submit('old@example.com', { name: 'Before the first visit' });
    await arrived(1);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
    const unread = async () => {
      await rows.first().waitFor();
      return (await rows.filter({ hasText: 'Unread' }).allInnerTexts()).map((text) => /(\w+)@/.exec(text)?.[1]);
    };
    await looked('inbox');
    expect(await unread()).toEqual([]);
    for (const name of ['one', 'two', 'three', 'four']) await submit(`${name}@example.com`, { name });
    await arrived(5);
    await page.reload();
    await expect.poll(unread).toEqual(['four', 'three', 'two', 'one']);
    const weightOf = (name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('[title="${name}@example.com"]')).fontWeight`);
    expect([await weightOf('four'), await weightOf('old')]).toEqual(['700', '500']);
    await looked('inbox');
    await rows.getByText('three@example.com').click();
    await expect.poll(unread).toEqual(['four', 'two', 'one']);
    // Also after another visit, although the account has looked.
    await page.reload();
    await page.getByRole('article').waitFor();
    await expect.poll(unread).toEqual(['four', 'two', 'one']);
    const { body } = await server.admin.get(`/auth/submissions?sourceAppId=${app.sourceAppId}`).expect(200);
    const two = body.submissions.find(({ email }: { email: string }) => email === 'two@example.com');
    const path = `/auth/submissions/${two.id}?sourceAppId=${app.sourceAppId}`;
    await server.admin.patch(path, { done: true }).expect(200);
    await page.getByRole('navigation', { name: 'Messages' }).getByRole('link', { name: 'All' }).click();
    await expect.poll(unread).toEqual(['four', 'one']);
    await page.getByRole('button', { name: 'Actions for Inbox' }).click();
    await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
    await expect.poll(unread).toEqual([]);
    await page.reload();
    expect(await unread()).toEqual([]);

    // Of more than 500 opened ones, the time of the oldest is kept instead of it.
    const stored = (change: string): Promise<{ since: string; opened: unknown[] }> =>
      page.evaluate(`(() => {
        const key = Object.keys(localStorage).find((name) => name.startsWith('messages read by'));
        const stored = JSON.parse(localStorage.getItem(key));
        ${change}
        localStorage.setItem(key, JSON.stringify(stored));
        return stored;
      })()`);
    await stored(`
      stored.since = '2000-01-01T00:00:00.000Z';
      stored.opened = Array.from({ length: 500 }, (_, at) => [String(at), new Date(1e12 + at).toISOString()]);
    `);
    await page.reload();
    await expect.poll(unread).toEqual(['four', 'three', 'one', 'old']);
    await rows.getByText('four@example.com').click();
    await expect.poll(unread).toEqual(['three', 'one', 'old']);
    const { since, opened } = await stored('');
    expect([since, opened.length]).toEqual([new Date(1e12).toISOString(), 500]);
    expectClean();
    await close();
  });

  it('breaks a long email after a sign, and cuts a longer part', { tags: 'long' }, async () => {
    const long = 'ada.of.the.department@mathematics.and.physics.of.a.university.example.com';
    const longer = `${'m'.repeat(60)}@example.com`;
    const usual = 'frances-b.allen@ordinary.example';
    await submit(long, { name: 'Ada' });
    await submit(longer, { name: 'Mary' });
    await submit(usual, { name: 'Frances' });
    await arrived(3);
    const { page, expectClean, close } = await visitAs(server, app, '/inbox');
    await page.setViewportSize({ width: 375, height: 800 });
    const email = (text: string) => page.getByTitle(text, { exact: true }).filter({ visible: true }).first();
    /** The lines of the visible email, and whether it is within the page. */
    const layoutOf = (text: string): Promise<{ lines: string[]; fits: boolean }> =>
      page.evaluate(`(() => {
        const found = [...document.querySelectorAll('[title="${text}"]')].find((one) => one.checkVisibility());
        const lines = new Map();
        for (const node of found.childNodes) {
          if (!(node instanceof Text) || node.data === '') continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const top = Math.round(range.getBoundingClientRect().top);
          lines.set(top, (lines.get(top) ?? '') + node.data);
        }
        return { lines: [...lines.values()], fits: found.getBoundingClientRect().right <= innerWidth };
      })()`);
    await page.getByRole('list', { name: 'Submissions' }).getByText(long).waitFor();
    for (const text of [long, longer]) {
      const { lines, fits } = await layoutOf(text);
      expect(lines.length).toBeGreaterThan(1);
      for (const line of lines.slice(0, -1)) expect(line).toMatch(/[@.]$/);
      expect(fits).toBe(true);
    }
    expect(await layoutOf(usual)).toEqual({ lines: ['frances-b.allen@', 'ordinary.example'], fits: true });
    const cut = { lines: [`${'m'.repeat(60)}@`, 'example.com'], fits: true };
    await email(longer).click();
    await page.getByRole('article').waitFor();
    expect(await layoutOf(longer)).toEqual(cut);
    await page.getByRole('link', { name: 'Show the record' }).click();
    await page.getByRole('heading', { level: 1, name: longer }).waitFor();
    expect(await layoutOf(longer)).toEqual(cut);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
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
