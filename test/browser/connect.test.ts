// @module-tag long

import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { logIn, visit } from '../support/browser/browser.ts';
import type { TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { ConnectPage } from './connect-page.ts';
import { ADMIN } from './schema-page.ts';

let server: TestServer;
let connect: ConnectPage;
withServer((started) => {
  server = started;
});
withPage(async () => {
  connect = await ConnectPage.open(server);
  return connect;
});

const region = (name: string): Locator => connect.page.getByRole('region', { name });
const path = () => `/auth/apps/${connect.app.sourceAppId}/form`;
const settings = async () => (await server.admin.get(path()).expect(200)).body;
const refuse = (origin: string) =>
  server.client.submit(connect.app.sourceAppId, { email: 'a@example.com' }).set('Origin', origin).expect(403);

describe('allowed websites', () => {
  it('takes the origin of any address of a website, removes it, and offers the one with www.', async () => {
    const { page } = connect;
    const address = page.getByLabel('Address of your website');
    await address.fill('no website');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('Enter the address of a website').waitFor();
    await address.fill('shop.example.com/contact?x=1');
    await address.press('Enter');
    await page.getByText('Pages on https://shop.example.com can submit').waitFor();
    expect((await settings()).origins).toEqual(['https://shop.example.com']);

    await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click();
    await page.getByText('Pages on your website cannot submit yet').waitFor();
    expect((await settings()).origins).toEqual([]);

    await address.fill('example.com');
    await address.press('Enter');
    await page.getByRole('button', { name: 'Allow it too' }).click();
    await page.getByText('Pages on https://example.com and https://www.example.com can submit').waitFor();
  });

  it('can be every website, and the list comes back', async () => {
    const { page } = connect;
    await server.admin.put(path(), { origins: ['https://www.example.com'] }).expect(200);
    await page.getByText('Pages on https://www.example.com can submit').waitFor();
    await page.getByRole('switch', { name: 'Allow every website' }).click();
    await page.getByText('Pages on every website can submit').waitFor();
    expect((await settings()).origins).toEqual(['*']);
    await page.getByRole('switch', { name: 'Allow every website' }).click();
    await page.getByText('Pages on https://www.example.com can submit').waitFor();
  });

  it('shows refused origins with their count while the page is open; allowing one keeps others', async () => {
    await refuse('https://www.example.com');
    await refuse('https://www.example.com');
    await refuse('capacitor://localhost');
    await refuse('null');
    const refused = connect.page.getByRole('list', { name: 'Refused websites' });
    await refused.getByText('Last refused: https://www.example.com (2 times, just now)').waitFor();
    await refused.getByText('or a website with Referrer-Policy: no-referrer or same-origin').waitFor();

    // Someone else allows another website at the same moment.
    await server.admin.put(path(), { origins: ['https://other.example.com'], title: 'Theirs' }).expect(200);
    await connect.allowRefused('https://www.example.com');
    await connect.allowRefused('capacitor://localhost');
    expect(await settings()).toMatchObject({
      origins: ['https://other.example.com', 'https://www.example.com', 'capacitor://localhost'],
      title: 'Theirs',
    });
  });
});

describe('what works now', () => {
  it('names a closed and a full form, and bot protection', async () => {
    await server.client.submit(connect.app.sourceAppId, { email: 'nobody' }).expect(400);
    await server.admin
      .put(path(), {
        closesAt: '2026-01-31T08:30:00Z',
        maxRecords: 5,
        botProtection: 'proof-of-work',
        nullOrigin: true,
      })
      .expect(200);
    const status = region('What works now');
    await status.getByText('The form has been closed since 31 Jan 2026, 08:30').waitFor();
    await status.getByText('0 of at most 5 records are stored').waitFor();
    await status.getByText('Bot protection needs JavaScript').waitFor();
    await status.getByText('Pages opened from a file can submit').waitFor();
    await status.getByText('Required in each submission: Email').waitFor();
    await region('Put the form on your website').getByText('submissions of this form are held').waitFor();
  });
});

describe('the live test', () => {
  it('submits a marked record, shows the refusal, and announces the submission that follows', async () => {
    const { page } = connect;
    const test = region('Try it');
    await test.getByRole('button', { name: 'Send a test submission' }).click();
    await test.getByText('The test submission is stored.').waitFor();
    expect(await connect.users()).toMatchObject([{ email: 'test-from-dashboard@example.com', data: { age: 18 } }]);
    await test.getByText('Waiting for a submission from your site').waitFor();

    await server.admin.put(path(), { closesAt: '2026-01-31T08:30:00Z' }).expect(200);
    await test.getByRole('button', { name: 'Send a test submission' }).click();
    await test.getByText('The test submission was refused').waitFor();
    await server.admin.put(path(), {}).expect(200);

    const stored = await connect.users();
    await server.client
      .submit(connect.app.sourceAppId, { email: 'ada@example.com', data: { ...stored[0]?.data, visits: [] } })
      .expect(200);
    await connect.openReceived('ada@example.com');
    expect(page.url()).toContain('/users/');
  });
});

describe('the live test of a schema that no example value fits', () => {
  it('names the problem with the label of the field, and leads to the form where a file is required', async () => {
    const field = { key: 'code', label: 'Your code', kind: 'text', regex: '^X-[0-9]{9}$', required: true } as const;
    await server.admin.putSchema(connect.app.sourceAppId, { fields: [field] }).expect(200);
    await connect.page.reload();
    const test = region('Try it');
    await test.getByRole('button', { name: 'Send a test submission' }).click();
    await test
      .getByRole('listitem')
      .filter({ hasText: /^Your code / })
      .waitFor();

    const file = { key: 'cv', label: 'CV', kind: 'file' as const, types: ['pdf' as const], required: true };
    await server.admin.putSchema(connect.app.sourceAppId, { fields: [file] }).expect(200);
    await connect.page.reload();
    await test.getByText('A test needs a file.').waitFor();
    expect(await test.getByRole('button', { name: 'Send a test submission' }).isDisabled()).toBe(true);
    await test.getByRole('link', { name: 'Open the form page' }).waitFor();
  });
});

describe('with proof of work', () => {
  it('proves the work of the test, and announces a form without a proof as held', async () => {
    await server.admin.put(path(), { botProtection: 'proof-of-work' }).expect(200);
    await connect.page.getByText('Bot protection needs JavaScript').waitFor();
    await connect.page.getByRole('button', { name: 'Send a test submission' }).click();
    await connect.page.getByText('The test submission is stored.').waitFor();
    const [stored] = await connect.users();
    expect(stored?.email).toBe('test-from-dashboard@example.com');

    const entries = { ...stored?.data, visits: 'first', email: 'plain@example.com' };
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(entries)) body.append(name, String(value));
    const url = `${server.listener.url}/v1/forms/${connect.app.sourceAppId}`;
    expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(200);
    await connect.page.getByText('Bot protection holds a submission of plain@example.com').waitFor();
    await connect.page.getByRole('link', { name: 'Show held submissions' }).click();
    await connect.page.getByRole('cell', { name: 'Sent without proof of work', exact: true }).waitFor();
  });
});

describe('the audit log', () => {
  it('has no list for the polling of the open page, and one for each arrival', async () => {
    const { sourceAppId } = connect.app;
    const hold = async (email: string) => {
      const body = new URLSearchParams({ email, _gotcha: 'filled' });
      const url = `${server.listener.url}/v1/forms/${sourceAppId}`;
      expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(200);
    };
    const logged = async () => {
      await server.services.audit.flush();
      const found = server.db.collection('audit_events').find({ sourceAppId, action: /listed$/ });
      return (await found.toArray()).map(({ action, actor, count }) => [actor.kind, action, count]).sort();
    };
    await server.admin.putSchema(sourceAppId, { fields: [] }).expect(200);
    await hold('before@example.com');
    await connect.page.reload();
    const admin = await visit(server, `/apps/${sourceAppId}/share`);
    await logIn(admin.page, ADMIN);
    const pages = [connect.page, admin.page];
    const polled = (part: string) =>
      Promise.all(pages.map((page) => page.waitForResponse((response) => response.url().includes(part))));
    for (const part of ['/auth/held', '/auth/stats', '/auth/held', '/auth/stats']) await polled(part);
    expect(await logged()).toEqual([]);

    await hold('after@example.com');
    for (const page of pages) await page.getByText('Bot protection holds a submission of after@example.com').waitFor();
    await polled('/auth/held/counts');
    expect(await logged()).toEqual([
      ['admin', 'held.listed', 1],
      ['operator', 'held.listed', 1],
    ]);
    admin.expectClean();
    await admin.close();
  });
});

describe('an administrator', () => {
  it('connects the form of any app', async () => {
    const admin = await visit(server, `/apps/${connect.app.sourceAppId}/share`);
    await logIn(admin.page, ADMIN);
    await admin.page.getByRole('button', { name: 'Send a test submission' }).click();
    await admin.page.getByText('The test submission is stored.').waitFor();
    await refuse('https://www.example.com');
    await admin.page.getByRole('button', { name: 'Allow https://www.example.com' }).click();
    await admin.page.getByText('Pages on https://www.example.com can submit').waitFor();
    await admin.page.getByRole('link', { name: 'Show the record' }).click();
    await admin.page.getByRole('heading', { name: 'test-from-dashboard@example.com' }).waitFor();
    admin.expectClean();
    await admin.close();
  });
});
