// @module-tag long

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';
import { STEP_SETTINGS, STEPPED, titleOf } from './stepped-forms.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

const FIELDS = [
  { key: 'name', label: 'Name', labels: { de: 'Vorname' }, kind: 'text' },
  { key: 'news', label: 'News', labels: { de: 'Neues' }, kind: 'checkbox' },
  { key: 'plan', label: 'Plan', labels: { de: 'Tarif' }, kind: 'select', enum: ['free', 'pro'] },
];

async function formOf(title: string, fields: object[] = FIELDS, settings: object = {}): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  const given = { origins: [site.origin], languages: ['de', 'ar'], title, ...settings };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, given).expect(200);
  return sourceAppId;
}
const emails = async (sourceAppId: string) =>
  (await server.db.collection('users').find({ sourceAppId }).toArray()).map(({ email }) => email);
const script = () => `<script src="${server.listener.url}/embed/v1.js"></script>`;

async function open(html: string) {
  pages['/page'] = { html };
  return openPage(`${site.origin}/page`);
}
const titled = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const send = (page: Page) => page.getByRole('button', { name: /^Send/ }).click();
const set = (page: Page, attribute: string, value: string, selector = '#host') =>
  page.evaluate(`document.querySelector('${selector}').setAttribute('${attribute}', '${value}')`);

/** Holds the requests of a page whose address has a text, until the returned function is called. */
async function hold(page: Page, part: string, method = 'GET'): Promise<() => void> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    (url) => url.href.includes(part),
    async (route) => {
      if (route.request().method() === method) await held;
      await route.continue();
    },
  );
  return release;
}

describe('an element that names another app', () => {
  it('shows its form, with the texts of fields of the same name and no tick', async () => {
    const [first, second] = [await formOf('First'), await formOf('Second')];
    const { page, expectClean, close } = await open(`<div id="host" data-user-collection="${first}"></div>${script()}`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('News').check();
    await set(page, 'data-user-collection', second);
    await titled(page, 'Second').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await page.getByLabel('News').isChecked()).toBe(false);
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect([await emails(first), await emails(second)]).toEqual([[], ['ada@example.com']]);
    // The message of one app is no message of another.
    await set(page, 'data-user-collection', first);
    await titled(page, 'First').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('');
    await page.evaluate('document.querySelector("#host").removeAttribute("data-user-collection")');
    await titled(page, 'First').waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  it('ignores a late answer of the app before', async () => {
    const [first, second] = [await formOf('First'), await formOf('Second')];
    const { page, close } = await open('');
    const release = await hold(page, `/v1/forms/${first}`);
    const late = page.waitForResponse((response) => response.url().includes(first));
    pages['/page'] = { html: `<div id="host" data-user-collection="${first}"></div>${script()}` };
    await page.goto(`${site.origin}/page`);
    await set(page, 'data-user-collection', second);
    await titled(page, 'Second').waitFor();
    release();
    await (await late).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Second']);
    expect(await page.getByRole('button').count()).toBe(1);
    await close();
  });

  it('sends nothing to the app before while the new form loads, or when it does not', async () => {
    const first = await formOf('First');
    const other = await formOf('Other', FIELDS, { origins: [] });
    const { page, close } = await open(`<div id="host" data-user-collection="${first}"></div>${script()}`);
    await page.getByLabel('Email').fill('ada@example.com');
    const release = await hold(page, `/v1/forms/${other}`);
    await set(page, 'data-user-collection', other);
    await titled(page, 'First').waitFor({ state: 'detached' });
    expect(await page.getByRole('button').count()).toBe(0);
    release();
    await page.getByRole('link', { name: 'Open the form' }).waitFor();
    await set(page, 'data-user-collection', first);
    await titled(page, 'First').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
    expect(await emails(first)).toEqual([]);
    await close();
  });

  it('answers a form that is on its way first', async () => {
    const [first, second] = [await formOf('First'), await formOf('Second')];
    const { page, expectClean, close } = await open(`<div id="host" data-user-collection="${first}"></div>${script()}
      <script>addEventListener('user-collection:submitted', ({ detail }) => { window.stored = detail.sourceAppId })</script>`);
    await page.getByLabel('Email').fill('ada@example.com');
    const release = await hold(page, `/v1/forms/${first}`, 'POST');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await send(page);
    await sent;
    await set(page, 'data-user-collection', second);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['First']);
    release();
    await titled(page, 'Second').waitFor();
    expect(await page.evaluate('stored')).toBe(first);
    expect([await emails(first), await emails(second)]).toEqual([['ada@example.com'], []]);
    expectClean();
    await close();
  });
});

describe('an element in another language', () => {
  it('shows the form in it with all that was entered, where the person was', async () => {
    const app = await formOf('Form');
    const html = `<main lang="en"><div id="host" data-user-collection="${app}"></div></main>${script()}`;
    const { page, expectClean, close } = await open(html);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('News').check();
    await page.getByLabel('Plan').selectOption('pro');
    const name = page.getByLabel('Name');
    await name.pressSequentially('Ad');
    const release = await hold(page, 'lang=de');
    await set(page, 'lang', 'de', 'main');
    // The form stays until the next one is there.
    await name.pressSequentially('a');
    release();
    await page.getByLabel('Vorname').waitFor();
    await page.keyboard.type(' L');
    expect(await page.getByLabel('Vorname').inputValue()).toBe('Ada L');
    expect(await page.getByLabel('Neues').isChecked()).toBe(true);
    expect(await page.getByLabel('Tarif').inputValue()).toBe('pro');
    await send(page);
    await page.getByText('Vielen Dank').waitFor();
    expect(await emails(app)).toEqual(['ada@example.com']);
    // What was sent is not asked for again.
    const loaded = page.waitForResponse(/lang=ar/);
    await set(page, 'data-lang', 'ar');
    await (await loaded).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))');
    await page.getByText('Vielen Dank').waitFor();
    expectClean();
    await close();
  });

  it('keeps the page of a form with pages', async () => {
    const app = await formOf('Form', STEPPED, STEP_SETTINGS);
    const { page, expectClean, close } = await open(`<div id="host" data-user-collection="${app}"></div>${script()}`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Pro').check();
    await page.getByLabel('Seats').fill('12');
    await page.getByRole('button', { name: 'Next' }).click();
    // The focus is on the title of the page, then on a control.
    await set(page, 'data-lang', 'de');
    await page.getByLabel('Firma').fill('Engines');
    expect(await titleOf(page)).toBe('Ihre Firma');
    await set(page, 'data-lang', 'ar');
    await page.getByLabel('الشركة').waitFor();
    await set(page, 'data-lang', 'de');
    await page.getByLabel('Firma').waitFor();
    expect(await titleOf(page)).toBe('Ihre Firma');
    expect(await page.getByLabel('Firma').inputValue()).toBe('Engines');
    await page.getByRole('button', { name: 'Zurück' }).click();
    expect(await page.getByLabel('Plätze').inputValue()).toBe('12');
    expectClean();
    await close();
  });

  it('keeps the form when the other one does not load', async () => {
    const app = await formOf('Form');
    const { page, close } = await open(`<div id="host" data-user-collection="${app}"></div>${script()}`);
    await page.getByLabel('Name').fill('Ada');
    await page.route(/lang=de/, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await set(page, 'data-lang', 'de');
    await failed;
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await close();
  });
});

it('an element that is moved, or removed and put back, keeps its form; elsewhere it has the language there', async () => {
  const [first, second] = [await formOf('First'), await formOf('Second')];
  const html = `<main lang="en"><div id="host" data-user-collection="${first}"></div></main><aside lang="de"></aside>${script()}`;
  const { page, expectClean, close } = await open(html);
  await page.getByLabel('Name').fill('Ada');
  await page.evaluate(`window.host = document.querySelector('#host');
    window.input = host.shadowRoot.querySelector('#data-name');
    document.querySelector('main').append(document.createElement('p'), host);`);
  await page.evaluate('host.remove()');
  await page.evaluate('document.querySelector("main").append(host)');
  expect(await page.evaluate('input.isConnected')).toBe(true);
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
  await page.evaluate('document.querySelector("aside").append(host)');
  await page.getByLabel('Vorname').waitFor();
  expect(await page.getByLabel('Vorname').inputValue()).toBe('Ada');
  await page.evaluate('host.remove()');
  await page.evaluate(`host.setAttribute('data-user-collection', '${second}')`);
  await page.evaluate('document.querySelector("main").append(host)');
  await titled(page, 'Second').waitFor();
  expectClean();
  await close();
});

it('an element without a shadow root of its own has the form in a child, and the console says so once', async () => {
  const app = await formOf('Form');
  const { page, expectClean, close } = await open('');
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  pages['/page'] = {
    html: `<figure id="host" data-user-collection="${app}" data-height="300"></figure><ul data-user-collection="${app}"></ul>${script()}`,
  };
  await page.goto(`${site.origin}/page`);
  const figure = page.locator('figure');
  await figure.getByLabel('Email').fill('ada@example.com');
  await page.locator('ul').getByRole('button').waitFor();
  await page.evaluate('document.body.append(document.createElement("p"))');
  await figure.getByRole('button').click();
  await figure.getByText('Thank you').waitFor();
  expect(await emails(app)).toEqual(['ada@example.com']);
  expect(said).toEqual([expect.stringMatching(/^A figure element cannot/), expect.stringMatching(/^A ul element/)]);
  await set(page, 'data-user-collection', await formOf('Second'));
  await titled(page, 'Second').waitFor();
  expect(await page.locator('figure > *').count()).toBe(1);
  expectClean();
  await close();
});
