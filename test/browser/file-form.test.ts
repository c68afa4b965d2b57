// @module-tag long

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage, visitAs } from '../support/browser/browser.ts';
import { type Site, startSite } from '../support/browser/site.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'interest', label: 'Interests', kind: 'array' },
  { key: 'notes', label: 'Notes', kind: 'text', ui: 'textarea' },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
  { key: 'ticket', label: 'Ticket', kind: 'select', ui: 'radio', enum: ['day', 'full'] },
  { key: 'terms', label: 'Terms', kind: 'checkbox', consent: { version: '1' } },
  { key: 'news', label: 'News', kind: 'checkbox' },
  { key: 'campaign', label: 'Campaign', kind: 'text', hidden: true },
];

let server: TestServer;
let site: Site;
let folder: string;
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite({ '/thanks': { html: '<h1>Back on the site</h1>' } }, 'localhost');
  folder = await mkdtemp(join(tmpdir(), 'file-form-'));
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

async function appWith(settings: object, fields: object[] = FIELDS): Promise<TestApp> {
  const app = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, { nullOrigin: true, ...settings }).expect(200);
  return app;
}

/** Opens a form that somebody saved on the disk. */
async function openForm({ sourceAppId }: TestApp, controls: string, javaScriptEnabled = true) {
  const path = join(folder, `${sourceAppId}.html`);
  const action = `${server.listener.url}/v1/forms/${sourceAppId}`;
  const form = `<form action="${action}" method="post" enctype="multipart/form-data">${controls}<button>Send</button></form>`;
  await writeFile(path, `<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title>${form}</html>`);
  return openPage(pathToFileURL(path).href, { javaScriptEnabled });
}

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
const records = ({ sourceAppId }: TestApp) => server.db.collection('users').find({ sourceAppId }).toArray();
const EMAIL = '<label>Email <input type="email" name="email" value="ada@example.com"></label>';

describe.each([true, false])('a form in a file with a mistake (JavaScript: %s)', (javaScriptEnabled) => {
  it('comes back with every entry, and all of them are stored after the correction', async () => {
    const app = await appWith({});
    const { page, expectClean, close } = await openForm(
      app,
      `${EMAIL}
      <label>Name <input name="name" value="Ada &quot;&lt;b&gt;"></label>
      <label>Age <input name="age" value="thirty-six"></label>
      <label><input type="checkbox" name="interest[]" value="a" checked> A</label>
      <label><input type="checkbox" name="interest[]" value="b" checked> B</label>
      <label><input type="checkbox" name="interest[]" value="c"> C</label>
      <label>Notes <textarea name="notes">\n\n two lines\nof notes </textarea></label>
      <label>Plan <select name="plan"><option value="">None</option><option selected>pro</option></select></label>
      <label><input type="radio" name="ticket" value="full" checked> Full</label>
      <label><input type="checkbox" name="terms" value="yes" checked> Terms</label>
      <input type="hidden" name="campaign" value="spring">
      <label>City <input name="city" value="Oslo"></label>
      <select name="pets[]" multiple><option selected>cat</option><option selected>dog</option></select>
      <input type="file" name="photo">`,
      javaScriptEnabled,
    );
    await send(page);
    await page.getByRole('alert').getByText('Age: must be a number').waitFor();
    expect(await page.getByLabel('Interests').all()).toHaveLength(2);
    expect(await page.getByLabel('Interests 2').inputValue()).toBe('b');
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada "<b>');
    expect(await page.getByLabel('Terms').isChecked()).toBe(true);
    expect(await records(app)).toEqual([]);
    await page.getByLabel('Age').fill('36');
    await send(page);
    await page.getByText('Your entries are stored').waitFor();
    const [record] = await records(app);
    expect(record).toMatchObject({
      email: 'ada@example.com',
      data: {
        name: 'Ada "<b>',
        age: 36,
        notes: '\n two lines\nof notes ',
        plan: 'pro',
        ticket: 'full',
        terms: true,
        interest: [{ value: 'a' }, { value: 'b' }],
        campaign: 'spring',
        city: 'Oslo',
        pets: ['cat', 'dog'],
      },
    });
    expect(record?.data).not.toHaveProperty('news');
    expect(record?.consents).toHaveLength(1);
    expectClean();
    await close();
  });

  it('comes back without its file, and stores the rest', async () => {
    const app = await appWith({});
    const controls = `${EMAIL}<input name="city" value="Oslo"><input type="file" name="photo" aria-label="Photo">`;
    const { page, expectClean, close } = await openForm(app, controls, javaScriptEnabled);
    await page.getByLabel('Photo').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') });
    await send(page);
    await page.getByRole('alert').getByText('photo: files cannot be sent with this form').waitFor();
    await send(page);
    await page.getByText('Your entries are stored').waitFor();
    expect(await records(app)).toMatchObject([{ email: 'ada@example.com', data: { city: 'Oslo' } }]);
    expectClean();
    await close();
  });
});

describe('an address of a form that the app does not allow', () => {
  it('is ignored, shown on the Connect page, and leads there once it is allowed', async () => {
    const app = await appWith({});
    const controls = `${EMAIL}<input type="hidden" name="_next" value="${site.origin}/thanks?from=form">`;
    const form = await openForm(app, controls);
    await send(form.page);
    await form.page.getByText('Your entries are stored').waitFor();
    expect(await records(app)).toHaveLength(1);

    const { page, expectClean, close } = await visitAs(server, app, '/share');
    const ignored = page.getByRole('list', { name: 'Ignored addresses' });
    await ignored.getByText(`Last ignored: ${site.origin} (once, just now)`).waitFor();
    expect(await ignored.innerText()).not.toContain('from=form');
    await ignored.getByRole('button', { name: `Allow the address ${site.origin}` }).click();
    await page.getByRole('button', { name: `Remove ${site.origin}` }).waitFor();
    await ignored.waitFor({ state: 'detached' });
    expectClean();
    await close();

    await form.page.goBack();
    await send(form.page);
    await form.page.getByText('Back on the site').waitFor();
    await form.close();
  });

  it('is named without a button where no setting could allow it', async () => {
    const app = await appWith({});
    for (const next of ['thanks.html', 'http://www.example.com/thanks']) {
      const { page, close } = await openForm(app, `${EMAIL}<input type="hidden" name="_next" value="${next}">`);
      await send(page);
      await page.getByText('Your entries are stored').waitFor();
      await close();
    }
    const { page, expectClean, close } = await visitAs(server, app, '/share');
    const ignored = page.getByRole('list', { name: 'Ignored addresses' });
    await ignored.getByText('Write the whole address, as https://www.example.com/thanks').waitFor();
    await ignored.getByText('People are sent to https addresses only').waitFor();
    expect(await ignored.getByRole('button').count()).toBe(0);
    expectClean();
    await close();
  });
});

describe('a plain form under proof of work', () => {
  it('says that it will be looked at; the menu and the page show how many are held, and why', async () => {
    const app = await appWith({ botProtection: 'proof-of-work', thanks: 'You are in' });
    for (const name of ['ada', 'grace']) {
      const { page, close } = await openForm(app, EMAIL.replace('ada@', `${name}@`), false);
      await send(page);
      await page.getByText('Your entries will be checked before they are stored').waitFor();
      expect(await page.getByText('You are in').count()).toBe(0);
      await close();
    }
    const own = await visitAs(server, app, '/users');
    await own.page.getByRole('link', { name: 'Held (2)' }).click();
    const why = own.page.getByRole('alert');
    await why.getByText('2 submissions held').waitFor();
    await why.getByText('came without a proof of work: the form was sent without JavaScript').waitFor();
    await why.getByRole('link', { name: 'Bot protection settings' }).click();
    await own.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    own.expectClean();
    await own.close();

    const admin = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    const opened = await visitAs(server, admin, `/apps/${app.sourceAppId}/users`);
    await opened.page.getByRole('link', { name: 'Held (2)' }).click();
    await opened.page.getByRole('button', { name: 'Release ada@example.com' }).click();
    await opened.page.getByText('1 submission held').waitFor();
    await opened.page.getByRole('link', { name: 'Held (1)' }).waitFor();
    opened.expectClean();
    await opened.close();
  });
});
