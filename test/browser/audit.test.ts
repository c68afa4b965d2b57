// @module-tag long

import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, visitAs } from '../support/browser/browser.ts';
import { joinApp } from '../support/server/accounts.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
});

/** Erases a new record, and returns its id. */
async function erase(email: string): Promise<string> {
  const { body } = await server.client.submit(app.sourceAppId, { email }).expect(200);
  await operator.delete(`/auth/users/${body.id}`).expect(200);
  return body.id;
}

/** Opens the details of events. */
async function open(...rows: Locator[]): Promise<void> {
  for (const row of rows) await row.getByRole('button', { expanded: false }).click();
}

describe('the audit log page', () => {
  it('says who did what, and is filtered by action and date in its URL', async () => {
    const id = await erase('ada@example.com');
    await operator.get('/auth/users/export').expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/users', { timezoneId: 'Pacific/Auckland' });
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByText('Who changed something, and who looked at many people.').waitFor();
    const row = page.getByRole('row', { name: /Person erased/ });
    await row.getByText(id).waitFor();
    expect(await row.getByText('127.0.0.1').count()).toBe(0);
    await open(row, page.getByRole('row', { name: /People exported/ }));
    await row.getByText(id).waitFor();
    await row.getByText(`Operator ${app.sourceAppId}`).waitFor();
    await row.getByText(/^from .*127\.0\.0\.1$/).waitFor();
    await page
      .getByRole('row', { name: /People exported/ })
      .getByText('format: csv')
      .waitFor();
    await page
      .getByRole('row', { name: /App created/ })
      .getByText('Administrator admin')
      .waitFor();
    expect(await page.content()).not.toContain('ada@example.com');

    // A line stays one, and the keyboard opens and closes it.
    const toggle = row.getByRole('button');
    await toggle.focus();
    await page.keyboard.press('Enter');
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    await row.getByText(/^from .*127\.0\.0\.1$/).waitFor({ state: 'detached' });
    expect((await row.boundingBox())?.height).toBeLessThan(48);
    await page.keyboard.press('Space');
    await row.getByText(/^from .*127\.0\.0\.1$/).waitFor();

    await page.getByLabel('Action').selectOption('Person erased');
    await page.getByRole('row', { name: /App created/ }).waitFor({ state: 'detached' });
    await row.waitFor();
    const asked = page.waitForRequest(/since=/);
    await page.getByLabel('Since').fill('2090-01-01');
    expect(new URL((await asked).url()).searchParams.get('since')).toBe('2089-12-31T11:00:00.000Z');
    await page.getByText('No events match').waitFor();
    expect(page.url()).toContain('?action=user.erased&since=2090-01-01');
    await page.reload();
    await page.getByText('No events match').waitFor();
    await page.getByRole('button', { name: 'Show all events' }).click();
    await page.getByRole('row', { name: /App created/ }).waitFor();
    expectClean();
    await close();
  });

  it('names accounts and how they logged in, and says that an account was erased', async () => {
    const { sourceAppId } = app;
    const join = async (email: string, name: string) => {
      const path = `/auth/apps/${sourceAppId}/invitations`;
      const { body } = await server.admin.post(path, { email, role: 'manager' }).expect(200);
      const given = { token: new URL(body.link).hash.slice(1), name, password: 'a password of twelve' };
      const client = new Client(server.listener.url);
      const accepted = await client.post('/auth/invitations/accept', given).expect(200);
      return { client, id: accepted.body.account.id as string };
    };
    const ada = await join('ada@staff.example.com', 'Ada Lovelace');
    const bob = await join('bob@staff.example.com', 'Bob');
    await bob.client.put(`/auth/apps/${sourceAppId}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    await ada.client.patch(`/auth/apps/${sourceAppId}/members/${bob.id}`, { role: 'viewer' }).expect(200);
    await operator.put(`/auth/apps/${sourceAppId}/form`, {}).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const changed = page.getByRole('row', { name: /Role of a member changed/ });
    await changed.getByText('Ada Lovelace', { exact: true }).waitFor();
    const shared = page.getByRole('row', { name: /Form settings changed/ });
    await open(changed, shared);
    await changed.getByText('ada@staff.example.com', { exact: true }).waitFor();
    await changed.getByText('with an invitation', { exact: true }).waitFor();
    await changed.getByText('Bob (bob@staff.example.com)', { exact: true }).waitFor();
    await shared.getByText('shared password', { exact: true }).waitFor();
    await changed.getByText('Role: manager → viewer', { exact: true }).waitFor();
    await shared.getByText(`Operator ${sourceAppId}`, { exact: true }).waitFor();
    await server.admin.delete(`/auth/accounts/${bob.id}`).expect(200);
    await page.reload();
    await changed.getByText('Deleted account', { exact: true }).waitFor();
    await changed.getByTitle(bob.id, { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /Retention changed/ })
      .getByText('Deleted account', { exact: true })
      .waitFor();
    expect(await page.locator('main').innerText()).not.toContain(bob.id);
    expect(await page.content()).not.toContain('bob@staff.example.com');
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expectClean();
    await close();
  });

  it('names API keys and webhooks, also deleted ones, with their ids as titles', async () => {
    const key = await createKey(server, operator, ['users:write']);
    const url = 'https://receiver.example.com/events';
    const webhook = await operator.post('/auth/webhooks', { url, events: ['user.created'] }).expect(200);
    const { body } = await server.client.submit(app.sourceAppId, { email: 'ada@example.com' }).expect(200);
    await key.send('patch', `/auth/users/${body.id}`, { set: { name: 'Grace' } }).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const row = (action: string) => page.getByRole('row', { name: new RegExp(action) });
    await row('Person changed').getByText('API key test', { exact: true }).waitFor();
    await row('Person changed').getByTitle(key.id, { exact: true }).waitFor();
    await row('API key created').getByText('test', { exact: true }).waitFor();
    await row('Webhook created').getByText(url, { exact: true }).waitFor();
    await row('Webhook created').getByTitle(webhook.body.id, { exact: true }).waitFor();
    await operator.delete(`/auth/keys/${key.id}`).expect(200);
    await operator.delete(`/auth/webhooks/${webhook.body.id}`).expect(200);
    await page.reload();
    await row('Person changed').getByText('Deleted API key', { exact: true }).waitFor();
    await row('Person changed').getByTitle(key.id, { exact: true }).waitFor();
    for (const action of ['created', 'deleted']) {
      await row(`API key ${action}`).getByText('Deleted API key', { exact: true }).waitFor();
      await row(`Webhook ${action}`).getByText('Deleted webhook', { exact: true }).waitFor();
    }
    const text = await page.locator('main').innerText();
    for (const hidden of [key.id, webhook.body.id, url]) expect(text).not.toContain(hidden);
    expectClean();
    await close();
  });

  it('names views, changes of many people, imports and invitations, also deleted ones', async () => {
    const { sourceAppId } = app;
    const view = await operator.post('/auth/views', { name: 'Our people', query: '', shared: true }).expect(200);
    const file = await runImport(operator, undefined, 'email\nada@example.com\n', { fileName: 'people.csv' });
    const change = await beginChange(operator, sourceAppId, 1, { set: { name: 'Grace' } });
    await untilChange(operator, sourceAppId, change);
    const path = `/auth/apps/${sourceAppId}/invitations`;
    const invited = await server.admin.post(path, { email: 'eve@staff.example.com', role: 'viewer' }).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const row = (action: string) => page.getByRole('row', { name: new RegExp(action) });
    await row('View created').getByText('Our people', { exact: true }).waitFor();
    for (const action of ['created', 'file received', 'started']) {
      await row(`Import ${action}`).getByText('people.csv', { exact: true }).waitFor();
    }
    const changed = row('People changed');
    await changed.getByText(/^Change of 1 person, \d+ \w+ \d{4}, \d\d:\d\d$/).waitFor();
    expect(await changed.getByText('people: 1').count()).toBe(0);
    await row('Member invited').getByText('eve@staff.example.com', { exact: true }).waitFor();
    await operator.delete(`/auth/views/${view.body.id}`).expect(200);
    await operator.delete(`/auth/imports/${file.id}`).expect(200);
    await server.admin.delete(`${path}/${invited.body.id}`).expect(200);
    await page.reload();
    for (const action of ['created', 'deleted']) {
      await row(`View ${action}`).getByText('Deleted or private view', { exact: true }).waitFor();
      await row(`Import ${action}`).getByText('Deleted import', { exact: true }).waitFor();
    }
    await row('Member invited').getByText('Closed invitation', { exact: true }).waitFor();
    await row('Member invited').getByTitle(invited.body.id, { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('says what an id names, and links to the record of it', async () => {
    await operator.put(`/auth/apps/${app.sourceAppId}/history`, { submissions: true }).expect(200);
    const { body } = await server.client.submit(app.sourceAppId, { email: 'ada@example.com' }).expect(200);
    const kept = async () => (await operator.get('/auth/submissions').expect(200)).body.submissions;
    await expect.poll(async () => (await kept()).length).toBe(1);
    const [{ id }] = await kept();
    await operator.patch(`/auth/submissions/${id}`, { done: true }).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const row = page.getByRole('row', { name: /Submission moved/ });
    await row.getByText(`Submission ${id}`, { exact: true }).waitFor();
    await open(row);
    await row.getByText('to the archive', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'ada@example.com' }).click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
    expect(page.url()).toContain(`/users/${body.id}`);
    await operator.delete(`/auth/users/${body.id}`).expect(200);
    await page.goBack();
    await page.reload();
    await open(row);
    await row.getByText('Record that no longer exists').waitFor();
    expectClean();
    await close();
  });

  it('shows what an erasure removed, without the kinds of which it removed nothing', async () => {
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com' }).expect(200);
    await operator.post('/auth/people/erase', { email: 'ada@example.com' }).expect(200);
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const row = page.getByRole('row', { name: /Person erased/ });
    await open(row);
    await row.getByText(/^records: 1 · imports may bring the person back$/).waitFor();
    expectClean();
    await close();
  });

  it('is filtered by person in its URL: members, whoever acted, and administrators', async () => {
    const { sourceAppId } = app;
    const ada = await joinApp(server, sourceAppId, 'manager');
    const bob = await joinApp(server, sourceAppId, 'manager');
    await ada.client.patch('/auth/account', { name: 'Ada '.repeat(25).trim() }).expect(200);
    for (const { client } of [ada, bob]) await client.put(`/auth/apps/${sourceAppId}/form`, {}).expect(200);
    await bob.client.put(`/auth/apps/${sourceAppId}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    const ofBob = ['Retention changed', 'Form settings changed', 'Invitation accepted'];
    // A session with the password of the app may not list the members.
    for (const session of [app, { sourceAppId: 'admin', password: ADMIN_PASSWORD }]) {
      const path = session === app ? '/audit' : `/audit?sourceAppId=${sourceAppId}`;
      const { page, expectClean, close } = await visitAs(server, session, path);
      // The first line; what was changed follows.
      const actions = async () =>
        (await page.getByRole('row').locator('td:nth-child(2)').allInnerTexts()).map((text) => text.split('\n')[0]);
      await page.getByRole('row', { name: /App created/ }).waitFor();
      const person = page.getByLabel('Person');
      expect(await person.locator('option').first().innerText()).toBe('Everybody');
      await person.selectOption(bob.id);
      await expect.poll(actions).toEqual(ofBob);
      expect(await person.locator('option:checked').innerText()).toMatch(/^Member \d+ \(member-\d+@example.com\)$/);
      expect(page.url()).toContain(`actor=${bob.id}`);
      await page.reload();
      await expect.poll(actions).toEqual(ofBob);
      await person.selectOption('Administrators');
      await page.getByRole('row', { name: /Retention changed/ }).waitFor({ state: 'detached' });
      await expect.poll(actions).toContain('App created');
      await page.goto(page.url().replace('actor=admin', `actor=${'0'.repeat(24)}`));
      await page.getByText('No events match').waitFor();
      await page.setViewportSize({ width: 375, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      await page.setViewportSize({ width: 1280, height: 740 });
      await page.getByRole('button', { name: 'Show all events' }).click();
      await person.locator('option:checked', { hasText: 'Everybody' }).waitFor({ state: 'attached' });
      await page
        .getByRole('row', { name: /Retention changed/ })
        .first()
        .waitFor();
      expectClean();
      await close();
    }
  });

  it('shows older events on request', async () => {
    const first = await erase('first@example.com');
    for (let number = 0; number < 50; number += 1) await erase(`p${number}@example.com`);
    const { page, expectClean, close } = await visitAs(server, app, '/audit?action=user.erased');
    await page.getByRole('button', { name: 'Show older events' }).waitFor();
    expect(await page.getByText(first).count()).toBe(0);
    await page.getByRole('button', { name: 'Show older events' }).click();
    await page.getByText(first).waitFor();
    await page.getByRole('button', { name: 'Show older events' }).waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  it('shows administrators all apps, or one, also after its deletion', async () => {
    await erase('ada@example.com');
    await server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    await server.admin.get('/auth/admin/users').expect(200);
    const { page, expectClean, close } = await visitAs(
      server,
      { sourceAppId: 'admin', password: ADMIN_PASSWORD },
      '/audit',
    );
    await page
      .getByRole('row', { name: /People listed/ })
      .getByText('All apps')
      .first()
      .waitFor();
    await page.getByLabel('App ID').fill(app.sourceAppId);
    await page
      .getByRole('row', { name: /People listed/ })
      .first()
      .waitFor({ state: 'detached' });
    const deleted = page.getByRole('row', { name: /App deleted/ });
    await open(deleted);
    await deleted.getByText('people: 0').waitFor();
    await page.getByRole('row', { name: /Person erased/ }).waitFor();
    expectClean();
    await close();
  });

  it('names the settings and the fields of changes, and shows other paths as they are stored', async () => {
    const { sourceAppId } = app;
    const path = `/auth/apps/${sourceAppId}`;
    const pages = [{ page: 1, title: 'Your seat' }];
    await operator.put(`${path}/form`, { maxRecords: 5, theme: { accent: '#0a7d38' }, pages }).expect(200);
    const seats = { key: 'seats', kind: 'number', label: 'Seats' } as const;
    for (const label of ['Seats', 'Places']) {
      await server.admin.putSchema(sourceAppId, { fields: [{ ...seats, label }] }).expect(200);
    }
    const { page, expectClean, close } = await visitAs(server, app, '/audit');
    const [form, schema] = ['Form settings changed', 'Schema replaced'].map((name) =>
      page.getByRole('row', { name }).first(),
    ) as [Locator, Locator];
    await open(form, schema);
    await form.getByText('Maximum number of records: – → 5', { exact: true }).waitFor();
    await form.getByText('Accent color: – → #0a7d38', { exact: true }).waitFor();
    await form.getByText('pages.0.title: – → Your seat', { exact: true }).waitFor();
    await schema.getByText('Field “Places”: label: Seats → Places', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  it('exports the events of its filters', async () => {
    const id = await erase('ada@example.com');
    const { page, expectClean, close } = await visitAs(server, app, '/audit?action=user.erased');
    await page.getByText(id).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'NDJSON (one event per line)' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/-audit-.*\.ndjson$/);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ action: 'user.erased', target: id }]);
    expectClean();
    await close();
  });

  it('has its filters in one row on a desktop, and fits a phone with an open event', async () => {
    await erase('ada@example.com');
    const admin = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    const path = `/audit?sourceAppId=${app.sourceAppId}`;
    const { page, expectClean, close } = await visitAs(server, admin, path);
    const row = page.getByRole('row', { name: /Person erased/ });
    await open(row);
    const controls = page.getByRole('search').locator('select, input');
    const ends = await controls.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().bottom)));
    expect(ends).toHaveLength(4);
    expect(new Set(ends).size).toBe(1);
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    const table = page.getByRole('region', { name: 'Table of events' });
    expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    expectClean();
    await close();
  });
});
