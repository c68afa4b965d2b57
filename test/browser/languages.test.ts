// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageOf } from '../../src/platform/languages/languages.ts';
import { axeViolations, axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, follow, openPage, visitAs } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';
import { ConnectPage } from './connect-page.ts';
import { EVERY_KIND } from './forms.ts';
import { SchemaPage } from './schema-page.ts';

const PHONE = { width: 320, height: 640 };
const arabic = languageOf('ar').text;
const german = languageOf('de').text;

let server: TestServer;
let site: Site;
let app: string;
const pages: Record<string, SitePage> = {};
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite(pages);
  const fields = [
    { key: 'age', label: 'Age', kind: 'number', min: 18, labels: { ar: 'العمر', de: 'Alter' } },
    ...EVERY_KIND,
  ];
  app = (await server.admin.buildApp({ fields: fields as never })).sourceAppId;
  const texts = { ar: { title: 'سجل الآن', description: 'للجميع' }, de: { title: 'Anmeldung' } };
  const settings = { title: 'Register', languages: ['en', 'de', 'ar'], texts, origins: [site.origin] };
  await server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

const DIRECTION_OF_BUTTON =
  'getComputedStyle(document.querySelector("[data-user-collection]").shadowRoot.querySelector("button")).direction';
const directionOf = (page: Page) => page.evaluate('getComputedStyle(document.querySelector("h1")).direction');
const submitPlainly = (page: Page) =>
  page.evaluate('HTMLFormElement.prototype.submit.call(document.querySelector("form"))');

describe.each([
  ['ar', 'rtl', arabic, 'سجل الآن', 'العمر'],
  ['de', 'ltr', german, 'Anmeldung', 'Alter'],
] as const)('the hosted form in %s', (tag, direction, text, title, age) => {
  it('reads from %s, fits a phone, and has no axe violations, also with problems and after them', async () => {
    const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}?lang=${tag}`, {
      viewport: PHONE,
    });
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await directionOf(page)).toBe(direction);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel(text('email')).fill('nobody');
    await page.getByLabel(age, { exact: true }).fill('3');
    await submitPlainly(page);
    await page.getByRole('alert').getByText(text('title400')).waitFor();
    await page
      .getByText(text('tooSmall', { min: 18 }))
      .first()
      .waitFor();
    expect(await directionOf(page)).toBe(direction);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.getByLabel(text('email')).fill(`${tag}@example.com`);
    await page.getByLabel(age, { exact: true }).fill('30');
    await page.getByLabel('Full name').fill('Ada');
    await page.getByLabel('Terms').check();
    await page.getByRole('button').click();
    await page.getByText(text('thanks')).waitFor();
    expect(page.url()).toContain(`/f/${app}/thanks?lang=${tag}`);
    expect(await directionOf(page)).toBe(direction);
    expect(await axeViolations(page)).toEqual([]);
    expectClean();
    await close();
  });
});

describe('a form with added languages', () => {
  it.each([
    ['en-GB', 'en', 'Letter', 'Send'],
    ['es-ES', 'en', 'Letter', 'Send'],
    ['de-AT', 'de', 'Rundbrief', german('send')],
  ] as const)('is for a browser in %s in %s', async (locale, lang, title, send) => {
    const { sourceAppId } = await server.admin.buildApp();
    const settings = { title: 'Letter', languages: ['de', 'fr'], texts: { de: { title: 'Rundbrief' } } };
    await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
    const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${sourceAppId}`, { locale });
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByRole('button', { name: send }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    expectClean();
    await close();
  });
});

describe('an embedded form', () => {
  const script = () => `<script src="${server.listener.url}/embed/v1.js"></script>`;
  async function open(html: string) {
    pages['/page'] = { html: `<!doctype html>${html}`, isComplete: true };
    return openPage(`${site.origin}/page`);
  }

  it.each([
    [
      'the page',
      `<html lang="de-AT"><title>t</title><main><h1>x</h1><div data-user-collection="APP"></div></main>`,
      german,
      'ltr',
    ],
    [
      'its attribute data-lang',
      `<html lang="de"><title>t</title><main><h1>x</h1><div data-user-collection="APP" data-lang="ar"></div></main>`,
      arabic,
      'rtl',
    ],
  ] as const)('has the language of %s', async (_name, html, say, direction) => {
    const { page, close } = await open(html.replace('APP', app) + script());
    const button = page.getByRole('button', { name: say('send') });
    await button.waitFor();
    expect(await page.evaluate(DIRECTION_OF_BUTTON)).toBe(direction);
    expect(await axeViolations(page)).toEqual([]);
    // What is missing is said in the language of the form and not of the browser.
    await page.getByLabel('Terms').check();
    await button.click();
    // An empty email is no exception.
    await expect.poll(() => page.getByText(say('required')).count()).toBe(2);
    expect(await page.locator('[aria-invalid]').count()).toBe(2);
    await page.getByLabel('Full name').fill('Ada');
    await page.getByLabel(say('email')).fill('ada@example.com');
    await button.click();
    await page.getByRole('status').getByText(say('thanks')).waitFor();
    await close();
  });
});

describe('a form whose service stops', () => {
  it.each(['the service', 'a site'])('on a page of %s says in its language that it could not be sent', async (host) => {
    const own = await startServer();
    const { sourceAppId } = await own.admin.buildApp();
    await own.admin.put(`/auth/apps/${sourceAppId}/form`, { locale: 'de', origins: [site.origin] }).expect(200);
    pages['/own'] = {
      html: `<form data-user-collection="${sourceAppId}"><input type="email" name="email" aria-label="${german('email')}">
<button>Los</button></form><script src="${own.listener.url}/embed/v1.js"></script>`,
    };
    const isHosted = host === 'the service';
    const { page, close } = await openPage(isHosted ? `${own.listener.url}/f/${sourceAppId}` : `${site.origin}/own`);
    const loaded = isHosted ? undefined : page.waitForResponse((response) => response.url().includes('/v1/forms/'));
    await page.getByLabel(german('email')).fill('ada@example.com');
    await loaded;
    await own.close();
    await page.getByRole('button').click();
    expect(await page.getByRole('alert').innerText()).toBe(german('notSent'));
    expect(await page.getByRole('button').isEnabled()).toBe(true);
    await close();
  });
});

describe('a form on a site that the app does not list', () => {
  it.each([
    ['en-GB', 'Nothing was stored: the form accepts no entries from the website that you came from.'],
    ['de-DE', german('text403Site')],
  ])('says to a visitor and to the owner what to do: %s', async (locale, text) => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await server.admin.put(`/auth/apps/${sourceAppId}/form`, { languages: ['en', 'de'] }).expect(200);
    const action = `${server.listener.url}/v1/forms/${sourceAppId}`;
    pages['/own'] = {
      html: `<form method="post" action="${action}"><input name="email" value="ada@example.com"><button>Go</button></form>`,
    };
    const { page, close } = await openPage(`${site.origin}/own`, { locale });
    await page.getByRole('button').click();
    await page.getByText(text).waitFor();
    expect(await page.getByText('origin').count()).toBe(0);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    const dashboard = await visitAs(server, { sourceAppId, password }, '/connect');
    await dashboard.page.getByRole('button', { name: `Allow ${site.origin}` }).click();
    await dashboard.page.getByRole('button', { name: `Allow ${site.origin}` }).waitFor({ state: 'detached' });
    await page.goto(`${site.origin}/own`);
    await page.getByRole('button').click();
    await page.waitForURL(`${server.listener.url}/f/${sourceAppId}/thanks`);
    await dashboard.close();
    await close();
  });
});

describe('the dashboard', () => {
  it('edits the texts of a form in each language beside the original, and previews them', async () => {
    const connect = await ConnectPage.open(server);
    const { page } = connect;
    await follow(page, 'Form');
    const preview = page.locator('[data-preview]');
    await page.getByLabel('Title', { exact: true }).fill('Letter');
    const languages = page
      .getByRole('combobox', { name: 'Languages of visitors' })
      .or(page.getByLabel('Languages of visitors'));
    for (const tag of ['en', 'de', 'ar']) {
      await languages.first().fill(tag);
      await languages.first().press('Enter');
    }
    await page.keyboard.press('Escape');
    await page.getByText('German', { exact: true }).click();
    await page.getByLabel('Title in German').fill('Rundbrief');
    await preview.getByText('Rundbrief').waitFor();
    await preview.getByRole('button', { name: german('send'), includeHidden: true }).waitFor();
    await page.getByText('Arabic', { exact: true }).click();
    await page.getByLabel('Title in Arabic').fill('النشرة');
    await preview.getByRole('button', { name: arabic('send'), includeHidden: true }).waitFor();
    expect(await preview.getAttribute('dir')).toBe('rtl');
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved. The settings apply now.').waitFor();
    const { body } = await server.admin.get(`/auth/apps/${connect.app.sourceAppId}/form`).expect(200);
    expect(body).toMatchObject({
      title: 'Letter',
      languages: ['en', 'de', 'ar'],
      texts: { de: { title: 'Rundbrief' }, ar: { title: 'النشرة' } },
    });
    await connect.visit.close();
  });

  it('edits the labels of a field in each language side by side, and previews them', async () => {
    const schema = await SchemaPage.open(server);
    const { page } = schema;
    const settings = { languages: ['en', 'de', 'ar'] };
    await server.admin.put(`/auth/apps/${schema.app.sourceAppId}/form`, settings).expect(200);
    await page.reload();
    await schema.open('Plan');
    await page.getByLabel('Label in other languages: German').fill('Tarif');
    await page.getByLabel('Help text in other languages: Arabic').fill('اختر');
    const labels = page.getByRole('group', { name: 'Labels of the choices in other languages' });
    await labels.getByRole('group', { name: 'German' }).getByLabel('Label of free').fill('Kostenlos');
    await schema.show('Try it');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await page.getByLabel('Language in the preview').selectOption('German');
    await preview.getByLabel('Tarif').selectOption('Kostenlos');
    expect(await axeViolations(page)).toEqual([]);
    await schema.save();
    const { fields } = await schema.stored();
    expect(fields[1]).toMatchObject({
      key: 'plan',
      labels: { de: 'Tarif' },
      helps: { ar: 'اختر' },
      enumLabelsByLanguage: { de: { free: 'Kostenlos' } },
    });
    await schema.visit.close();
  });
});
