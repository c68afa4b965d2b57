import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';
import { EVERY_KIND, EVERY_VALUE, fillEveryKind } from './forms.ts';

const VISITS = [{ key: 'visits', label: 'Visits', kind: 'array' }];
/** Records the events of the script. */
const RECORDER = `addEventListener('user-collection:submitted', (event) => (window.seen ??= []).push(event.detail));
addEventListener('user-collection:refused', (event) => (window.seen ??= []).push(event.detail));`;

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

async function formOf(settings: object = {}, fields: object[] = VISITS) {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  const given = { origins: [site.origin], ...settings };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, given).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();
const script = () => `<script src="${server.listener.url}/embed/v1.js"></script>`;
const element = (app: string, attributes = '') => `<div data-user-collection="${app}" ${attributes}></div>${script()}`;

/** Opens a page of the site. */
async function open(html: string, { query = '', headers = {}, ...options }: Record<string, unknown> = {}) {
  pages['/page'] = { html, headers: headers as Record<string, string> };
  const opened = await openPage(`${site.origin}/page${query}`, options);
  await opened.page.evaluate(RECORDER);
  return opened;
}
const seen = (page: Page) => page.evaluate('window.seen ?? []') as Promise<object[]>;

describe('an element that becomes a form', () => {
  it('stores every kind of field, under a strict policy of the site', async () => {
    const app = await formOf({ title: 'Register', thanks: 'Until soon' }, EVERY_KIND);
    const policy = `default-src 'none'; script-src ${server.listener.url}; connect-src ${server.listener.url}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const headers = { 'Content-Security-Policy': policy };
    const { page, expectClean, close } = await open(element(app), {
      headers,
      query: '?utm_source=mail&plan=pro',
      bypassCSP: false,
    });
    await page.getByRole('heading', { name: 'Register' }).waitFor();
    await fillEveryKind(page);
    await page.getByRole('button').click();
    await page.getByRole('status').getByText('Until soon').waitFor();
    expect(await records(app)).toMatchObject([{ email: 'ada@example.com', data: EVERY_VALUE }]);
    expectClean();
    await close();
  });

  it('tells the page what happened', async () => {
    const app = await formOf({}, [{ key: 'code', label: 'Code', kind: 'text', regex: '^A$' }]);
    const { page, close } = await open(element(app));
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Code').fill('B');
    await page.getByRole('button').click();
    await page.getByText('Does not match').waitFor();
    expect(await page.getByLabel('Code').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.querySelector("div").shadowRoot.activeElement.id')).toBe('data-code');
    await page.getByLabel('Code').fill('A');
    await page.getByRole('button').click();
    await page.getByRole('status').getByText('Thank you').waitFor();
    const [record] = await records(app);
    expect(await seen(page)).toMatchObject([
      { sourceAppId: app, status: 400, errors: [{ path: 'data.code' }] },
      { sourceAppId: app, id: String(record?._id) },
    ]);
    await close();
  });

  it('works in a file on a disk when the app allows it', { tags: 'long' }, async () => {
    const app = await formOf({ nullOrigin: true, origins: [] });
    const folder = await mkdtemp(join(tmpdir(), 'embed-test-'));
    const file = join(folder, 'page.html');
    await writeFile(file, `<!doctype html><meta charset="utf-8">${element(app)}`);
    const { page, expectClean, close } = await openPage(pathToFileURL(file).href);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Visits').fill('ä');
    await page.getByRole('button').click();
    await page.getByText('Thank you').waitFor();
    expect(await records(app)).toMatchObject([{ data: { visits: [{ value: 'ä' }] } }]);
    expectClean();
    await close();
    await rm(folder, { recursive: true });
  });

  it('moves nothing on the page', { tags: 'long' }, async () => {
    const app = await formOf();
    const watch = `<script>window.shifts = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });</script>`;
    const measure = async (attributes: string) => {
      const { page, close } = await open('');
      await page.route('**/v1/forms/*', async (route) => {
        // The page is painted before the form arrives.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))');
        await route.continue();
      });
      pages['/page'] = { html: `${watch}<p>Above</p>${element(app, attributes)}<p>Below</p>` };
      await page.goto(`${site.origin}/page`);
      await page.getByRole('button').waitFor();
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))');
      const result = (await page.evaluate('[shifts, document.querySelector("div").offsetHeight]')) as [number, number];
      await close();
      return result;
    };
    const [moved, height] = await measure('');
    expect(moved).toBeGreaterThan(0);
    expect(await measure(`data-height="${height}"`)).toEqual([0, height]);
  });

  it('keeps its styles apart from those of the site', async () => {
    const app = await formOf({ title: 'Register' });
    const style = '<style>input, button { display: none !important } label { color: rgb(1, 2, 3) }</style>';
    const { page, close } = await open(`${style}<h2>Site</h2><p><label>Own</label></p>${element(app)}`);
    await page.getByRole('button').waitFor();
    const shown = 'document.querySelector("div").shadowRoot.querySelector("input").offsetHeight > 30';
    expect(await page.evaluate(shown)).toBe(true);
    const weights = '[...document.querySelectorAll("label")].map((label) => getComputedStyle(label).fontWeight)';
    expect(await page.evaluate(weights)).toEqual(['400']);
    await close();
  });

  it('has no axe violations on a page in light and in dark mode', { tags: 'long' }, async () => {
    const app = await formOf({ title: 'Register', description: 'Some text' }, EVERY_KIND);
    const style = '<style>:root { color-scheme: light dark; background: Canvas; color: CanvasText }</style>';
    const { page, close } = await open(`${style}<main><h1>Site</h1>${element(app)}</main>`);
    await page.getByRole('button').click();
    await page.locator('.user-collection-problem').first().waitFor();
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await close();
  });

  it('shows a link to the hosted form where the site is not allowed, and its owner reads why', {
    tags: 'long',
  }, async () => {
    const app = await formOf({ origins: [] });
    const { page, close } = await openPage('about:blank');
    const reason = `check the id of the app, and that it allows ${site.origin}`;
    const logged = page.waitForEvent('console', (message) => message.text().endsWith(reason));
    pages['/page'] = { html: element(app) };
    await page.goto(`${site.origin}/page`);
    const link = page.getByRole('link', { name: 'Open the form' });
    expect(await link.getAttribute('href')).toBe(`${server.listener.url}/f/${app}`);
    expect((await logged).text()).toContain(`No form at ${server.listener.url}/v1/forms/${app}`);
    await close();
  });

  it('is as wide as its place with words of any length', async () => {
    const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(4);
    const app = await formOf({ title: word, description: word });
    const { page, close } = await open(element(app), { viewport: { width: 320, height: 600 } });
    await page.getByRole('button').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await close();
  });

  it('says that the form is closed', { tags: 'long' }, async () => {
    const app = await formOf({ closesAt: '2020-01-01T00:00:00Z' });
    const { page, expectClean, close } = await open(element(app));
    await page.getByText('This form is closed').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expectClean();
    await close();
  });

  it('is built once, also when the script is loaded twice or before the element', async () => {
    const app = await formOf();
    const { page, expectClean, close } = await open(
      `<body>${script()}<div data-user-collection="${app}"></div>${script()}`,
    );
    await page.getByRole('button').waitFor();
    await page.evaluate(`document.body.append(Object.assign(document.createElement('section'), { id: 'late' }));
      document.querySelector('#late').setAttribute('data-user-collection', '${app}');
      document.body.append(document.createElement('p'));`);
    await expect.poll(() => page.getByRole('button').count()).toBe(2);
    expectClean();
    await close();
  });

  it('has keys that are no keys of the site, but for Escape, Tab and those with Ctrl, Alt or Meta', async () => {
    const app = await formOf({ description: '[A link](https://a.example)' });
    const own = `<script>window.keys = []; for (const type of ['keydown', 'keypress', 'keyup']) {
      document.addEventListener(type, (event) => {
        keys.push(type + ' ' + event.key);
        if (event.key === '/') { event.preventDefault(); document.querySelector('#search').focus(); }
      });
    }</script>`;
    const { page, close } = await open(`<input id="search">${own}${element(app)}`);
    const visits = page.getByLabel('Visits');
    await visits.pressSequentially('24/7 Please');
    expect(await visits.inputValue()).toBe('24/7 Please');
    await page.keyboard.press('Shift+A');
    expect(await page.evaluate('keys')).toEqual([]);
    // A key goes up where it went down.
    await page.keyboard.down('Control');
    await page.keyboard.down('k');
    await page.keyboard.up('Control');
    await page.keyboard.up('k');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('keys.join()')).toBe(
      'keydown Control,keydown k,keyup Control,keyup k,keydown Escape,keyup Escape,keydown Tab,keyup Tab',
    );
    await page.locator('#search').press('x');
    expect(await page.evaluate('keys.slice(-3)')).toEqual(['keydown x', 'keypress x', 'keyup x']);
    await close();
  });

  it('links to the hosted form when the rest of the script does not load', { tags: 'long' }, async () => {
    const app = await formOf();
    const { page, close } = await open('');
    await page.route('**/embed/v1-form*', (route) => route.abort());
    pages['/page'] = { html: element(app) };
    await page.goto(`${site.origin}/page`);
    const link = page.getByRole('link', { name: 'Open the form' });
    expect(await link.getAttribute('href')).toBe(`${server.listener.url}/f/${app}`);
    await close();
  });

  it('loads its markup under the hash of this release, or from a server of another one', { tags: 'long' }, async () => {
    const app = await formOf();
    const { page, close } = await open(element(app));
    await page.getByRole('button').waitFor();
    const names = 'performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => /v1-/.test(name))';
    const [file, ...others] = (await page.evaluate(names)) as string[];
    expect(file).toMatch(/\/embed\/v1-form-[\w-]{12}\.js$/);
    expect(others).toEqual([]);
    await page.route(file as string, (route) => route.fulfill({ status: 404, body: '' }));
    await page.reload();
    await page.getByRole('button').waitFor();
    await close();
  });
});
