// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', minLength: 2 },
  { key: 'age', label: 'Age', kind: 'number', min: 18 },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], required: true },
  { key: 'news', label: 'News', kind: 'checkbox' },
  { key: 'visits', label: 'Visits', kind: 'array' },
];

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = { '/thanks': { html: '<h1>Back on the site</h1>' } };
beforeAll(async () => {
  server = await sharedServer();
  // A redirect may go to http on localhost only.
  site = await startSite(pages, 'localhost');
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

async function formOf(settings: object = {}) {
  const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: FIELDS as never });
  const given = { origins: [site.origin], ...settings };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, given).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();

/** A form as somebody writes it, which also works without the script. */
const htmlOf = (app: string, more = '') => `
<form data-user-collection="${app}" method="post" action="${server.listener.url}/v1/forms/${app}">
  <label>Email <input name="email" type="email"></label>
  <label for="name">Name</label> <input id="name" name="name">
  <input id="age" name="data[age]"> <label for="age">Age</label>
  <label><input type="radio" name="data.plan" value="free"> Free</label>
  <label><input type="radio" name="data.plan" value="pro" checked> Pro</label>
  <input type="hidden" name="news" value="false"><label><input type="checkbox" name="news" value="true"> News</label>
  <input name="visits[]" aria-label="First visit"><input name="visits[]" aria-label="Second visit">
  ${more}
  <button name="button-name" formnovalidate>Send</button>
</form>
<script src="${server.listener.url}/embed/v1.js"></script>`;

async function open(html: string, options: object = {}) {
  pages['/page'] = { html };
  const opened = await openPage(`${site.origin}/page`, options);
  await opened.page.evaluate(`window.seen = [];
    for (const name of ['submitted', 'refused']) {
      addEventListener('user-collection:' + name, ({ detail }) => seen.push([name, detail]));
    }`);
  return opened;
}
const seen = (page: Page) => page.evaluate('seen') as Promise<[string, Record<string, unknown>][]>;

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Age').fill('20');
  await page.getByLabel('News').check();
  await page.getByLabel('First visit').fill('one');
}

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

describe('a form that somebody wrote', () => {
  it.each([true, false])('is stored with names of every form (script: %s)', async (javaScriptEnabled) => {
    const app = await formOf({ next: javaScriptEnabled ? undefined : `${site.origin}/thanks` });
    pages['/page'] = { html: htmlOf(app) };
    const { page, close } = await openPage(`${site.origin}/page`, { javaScriptEnabled });
    await fill(page);
    await send(page);
    await page.getByText(javaScriptEnabled ? 'Thank you' : 'Back on the site').waitFor();
    expect(await records(app)).toMatchObject([
      { email: 'ada@example.com', data: { name: 'Ada', age: 20, plan: 'pro', news: true, visits: [{ value: 'one' }] } },
    ]);
    await close();
  });

  it('shows each problem at its control, with the focus on the first, and removes it again', async () => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app));
    await fill(page);
    await page.getByLabel('Name').fill('A');
    await page.getByLabel('Age').fill('1,5');
    await send(page);
    await page.getByText('Must be a number').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('name');
    const order = `[...document.querySelector('form').children].map((one) => one.textContent.trim() || one.id).join()`;
    expect(await page.evaluate(order)).toMatch(/Name,name,Must have at least 2 characters,age,Age,Must be a number/);
    const described = await page.getByLabel('Age').getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described?.trim()}"]`).innerText()).toBe('Must be a number');
    expect(await records(app)).toEqual([]);

    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Age').fill('18');
    await send(page);
    await page.getByRole('status').getByText('Thank you').waitFor();
    expect(await page.locator('.user-collection-problem, [aria-invalid]').count()).toBe(0);
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect((await seen(page)).map(([name]) => name)).toEqual(['refused', 'submitted']);
    await close();
  });

  it('shows what counts where it marks only the fields with conditions', async () => {
    const app = await formOf();
    const fields = [
      { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'uses', kind: 'multiselect', enum: ['home', 'work'] },
      { key: 'company', kind: 'text', showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] } },
      {
        key: 'size',
        kind: 'select',
        enum: ['small', 'large'],
        required: true,
        showIf: { all: [{ field: 'uses', op: 'contains', value: 'work' }] },
      },
    ];
    await server.admin.putSchema(app, { rejectUnknown: true, fields: fields as never }).expect(200);
    const { page, close } = await open(`
      <style>label, p { display: block }</style>
      <form data-user-collection="${app}"><label>Email <input name="email" type="email"></label>
        <label>Plan <select name="data[plan]"><option>free</option><option>pro</option></select></label>
        <label>Uses <select name="uses" multiple><option>home</option><option>work</option></select></label>
        <p data-field="company" style="display: none"><label>Company <input name="company"></label></p>
        <label data-field="size"><input type="radio" name="data.size" value="small"> Small</label>
        <span data-field="size"><label><input type="radio" name="data.size" value="large"> Large</label></span>
        <button>Send</button></form><script src="${server.listener.url}/embed/v1.js"></script>`);
    const [company, small, large] = ['Company', 'Small', 'Large'].map((label) => page.getByLabel(label));
    for (const control of [company, small, large]) await control?.waitFor({ state: 'hidden' });
    await page.getByLabel('Plan').selectOption('pro');
    await company?.fill('Engines');
    await page.getByLabel('Uses').selectOption(['home', 'work']);
    await small?.check();
    await large?.check();
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('Thank you').waitFor();
    const data = { plan: 'pro', uses: ['home', 'work'], company: 'Engines', size: 'large' };
    expect(await records(app)).toMatchObject([{ data }]);
    await close();
  });

  it('tells that it is stored when `next` is a download, which leaves the page as it is', async () => {
    pages['/brochure'] = { html: '', headers: { 'Content-Disposition': 'attachment; filename="brochure.html"' } };
    const app = await formOf({ next: `${site.origin}/brochure` });
    const { page, close } = await open(htmlOf(app));
    // The wait for another page is over at once.
    await page.evaluate(
      `{ const wait = setTimeout; window.setTimeout = (run, ms) => wait(run, ms === 5_000 ? 0 : ms); }`,
    );
    await fill(page);
    const download = page.waitForEvent('download');
    await send(page);
    expect((await download).suggestedFilename()).toBe('brochure.html');
    await page.getByRole('status').getByText('Thank you').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
    await close();
  });

  it('tells that it is stored when a button has the name of a method of forms', async () => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app, '<button type="reset" name="reset">Reset</button>'));
    await fill(page);
    await send(page);
    await page.getByRole('status').getByText('Thank you').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
    await close();
  });

  it('tells problems that no control has', async () => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app, '<input type="hidden" name="other" value="x">'));
    await fill(page);
    await send(page);
    expect(await page.getByRole('alert').innerText()).toContain('data.other: ');
    await close();
  });

  it('continues on the page that it names, and else on that of the app', async () => {
    const app = await formOf({ next: `${site.origin}/elsewhere` });
    const { page, close } = await open(htmlOf(app, '<input type="hidden" name="_next" value="/thanks">'));
    await fill(page);
    await send(page);
    await page.getByText('Back on the site').waitFor();
    pages['/page'] = { html: htmlOf(app) };
    await page.goto(`${site.origin}/page`);
    await fill(page);
    await send(page);
    await page.waitForURL(`${site.origin}/elsewhere`);
    await close();
  });

  it('is empty and can be sent again where it continues at a place in its page', async () => {
    const app = await formOf();
    const next = `<input type="hidden" name="_next" value="${site.origin}/page#sent">`;
    const { page, expectClean, close } = await open(`${htmlOf(app, next)}<p id="sent" tabindex="-1">Thank you</p>`);
    for (const name of ['Ada', 'Grace']) {
      await fill(page);
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Email').fill(`${name}@example.com`);
      await send(page);
      await expect.poll(() => records(app).then((all) => all.some(({ data }) => data.name === name))).toBe(true);
      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('');
      expect(page.url()).toBe(`${site.origin}/page#sent`);
    }
    expectClean();
    await close();
  });

  it('is stored, and goes nowhere that the app does not allow', async () => {
    const app = await formOf();
    const { page, expectClean, close } = await open(
      htmlOf(app, '<input type="hidden" name="_next" value="javascript:alert(1)">'),
    );
    await fill(page);
    await send(page);
    await page.getByRole('status').getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${site.origin}/page`);
    expect(await records(app)).toHaveLength(1);
    expectClean();
    await close();
  });

  it('is sent once on a double click, with its button disabled meanwhile', async () => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app));
    let requests = 0;
    let respond: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(`**/v1/forms/${app}?*`, async (route) => {
      if (route.request().method() === 'POST') {
        requests += 1;
        await held;
      }
      await route.continue();
    });
    await fill(page);
    const button = page.getByRole('button', { name: 'Send' });
    await button.dblclick();
    await expect.poll(() => requests).toBe(1);
    expect(await button.isDisabled()).toBe(true);
    await page.evaluate('document.querySelector("form").requestSubmit()');
    respond();
    await page.getByText('Thank you').waitFor();
    expect(await button.isEnabled()).toBe(true);
    expect(requests).toBe(1);
    await close();
  });

  it('counts once when it is sent again after its answer was lost, and again when it is a new one', async () => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app));
    let losses = 2;
    await page.route(`**/v1/forms/${app}?*`, async (route) => {
      if (route.request().method() !== 'POST' || losses === 0) return route.continue();
      losses -= 1;
      await route.fetch();
      await route.abort();
    });
    await fill(page);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await send(page);
      await page.getByRole('alert').getByText('Check your connection').waitFor();
    }
    expect((await seen(page)).map(([, { status }]) => status)).toEqual([0, 0]);
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect((await records(app))[0]?.data.visits).toHaveLength(1);

    await fill(page);
    await send(page);
    await expect.poll(async () => (await records(app))[0]?.data.visits.length).toBe(2);
    await close();
  });

  it('is left to the site when its own script handled it', async () => {
    const app = await formOf();
    const own = `<script>document.querySelector('form').addEventListener('submit', (event) => event.preventDefault());</script>`;
    const { page, close } = await open(htmlOf(app) + own);
    await fill(page);
    await send(page);
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
    expect(await records(app)).toEqual([]);
    await close();
  });
});
