// @module-tag long

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { dataUrl, png } from '../support/samples/images.ts';
import { blocksOf, bundle, EXAMPLE, recipe, writeTypes } from '../support/samples/recipes.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { pdf } from '../support/server/uploads.ts';

let server: TestServer;
let site: Site;
let folder: string;
let operator: Client;
const pages: Record<string, SitePage> = {};
const LOGO = dataUrl('png', png(40, 20, [200, 30, 30]));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  server = await startServer();
  // A secure context, in which the script solves challenges.
  site = await startSite(pages, 'localhost');
  const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'contact' }).expect(200);
  operator = await new Client(server.client.url).logIn('contact', body.password);
  await server.admin.putSchema('contact', JSON.parse(recipe('schema'))).expect(200);
  await operator.put('/auth/apps/contact/history', { submissions: true }).expect(200);
  await writeTypes(folder, server.database);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await operator.put('/auth/apps/contact/form', { origins: [site.origin] }).expect(200);
  for (const name of ['users', 'submissions']) await server.db.collection(name).deleteMany({});
});

/** Shows a page of a site, with the script of a bundle. */
function show(html: string, script?: string, headers: Record<string, string> = {}): void {
  const element = script === undefined ? '' : '<script type="module" src="/script.js"></script>';
  pages['/'] = { html: `${html}${element}`, headers };
  pages['/script.js'] = { html: script ?? '', isComplete: true, headers: { 'Content-Type': 'text/javascript' } };
}

/** How a page shows a recipe, by its language. Those of other languages are no pages. */
const SHOWN: Record<string, (name: string, code: string) => Promise<void>> = {
  async tsx(name, code) {
    await writeFile(join(folder, name), code);
    const main = `import { createRoot } from 'react-dom/client';
      import { ContactForm } from './${name}';
      createRoot(document.querySelector('#root')!).render(<ContactForm />);`;
    show('<div id="root"></div>', await bundle(folder, 'react.tsx', main));
  },
  async vue(name, code) {
    const { descriptor } = parse(code, { filename: name });
    const templateOptions = { compilerOptions: { isTS: true } };
    const { content } = compileScript(descriptor, { id: 'contact', inlineTemplate: true, templateOptions });
    await writeFile(join(folder, 'component.ts'), content);
    const main = `import { createApp } from 'vue';
      import Component from './component';
      createApp(Component).mount('#root');`;
    show('<div id="root"></div>', await bundle(folder, 'vue.ts', main));
  },
  async astro(_, code) {
    const [, html = '', script = ''] = /^([\s\S]*)<script>([\s\S]*)<\/script>/.exec(code) ?? [];
    await mkdir(join(folder, 'pages'));
    show(html, await bundle(folder, 'pages/astro.ts', script));
  },
  html: async (_, code) => show(code),
};

const RECIPES = [...blocksOf('recipes.md')].flatMap(([name, { language }]) =>
  SHOWN[language] ? [{ name, language }] : [],
);

const submissions = async () => (await operator.get('/auth/submissions').expect(200)).body.submissions;

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Your name').fill('Ada');
  const file = page.getByLabel('CV');
  if ((await file.count()) > 0) {
    await file.setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf()) });
  }
}

describe.each(RECIPES)('the page of a site with $name', ({ name, language }) => {
  it('stores what a person sends by a double click, once', async () => {
    await SHOWN[language]?.(name, recipe(name, server.listener.url));
    const { page, expectClean, close } = await openPage(site.origin);
    await page.waitForLoadState('networkidle');
    await fill(page);
    let posts = 0;
    let release: () => void = () => undefined;
    const clicked = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/**', async (route) => {
      if (route.request().method() === 'POST') {
        posts += 1;
        await clicked;
      }
      await route.continue();
    });
    const { x = 0, y = 0 } = (await page.getByRole('button', { name: 'Send' }).boundingBox()) ?? {};
    await page.mouse.dblclick(x + 5, y + 5);
    await expect.poll(() => posts).toBe(1);
    // Also while the first one is on its way.
    await page.mouse.click(x + 5, y + 5);
    release();
    await page.getByText('Thank you').waitFor();
    expect(posts).toBe(1);
    await expect
      .poll(submissions, { interval: 50 })
      .toMatchObject([{ email: 'ada@example.com', data: { name: 'Ada' } }]);
    expectClean();
    await close();
  });
});

it('the script for Google Sheets writes the records into the sheet', async () => {
  await server.client.submit('contact', { email: 'ada@example.com', data: { name: '=1+1' } }).expect(200);
  const { body } = await operator.post('/auth/keys', { name: 'Sheet', scopes: ['export'] }).expect(200);
  const { page, close } = await openPage(`${server.listener.url}/dashboard/`);
  // In the place of the services of Google, those of the browser.
  await page.evaluate(`(() => {
    const sheet = { clearContents() {}, getRange: (...range) => ({
      setNumberFormat: (format) => ({ setValues(rows) { window.written = { range, format, rows }; } }),
    }) };
    Object.assign(window, {
      PropertiesService: { getScriptProperties: () => ({ getProperty: () => ${JSON.stringify(body.key)} }) },
      SpreadsheetApp: { getActive: () => ({ getSheetByName: () => sheet }) },
      Utilities: { parseCsv: (text) => text.trim().split('\\r\\n').map((line) => line.split(',')) },
      UrlFetchApp: { fetch(url, { headers }) {
        const request = new XMLHttpRequest();
        request.open('GET', url, false);
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.send();
        return { getContentText: () => request.responseText };
      } },
    });
    ${recipe('refresh.gs', server.listener.url)}
    refresh();
  })()`);
  const { range, format, rows } = (await page.evaluate('written')) as {
    range: number[];
    format: string;
    rows: string[][];
  };
  expect(format).toBe('@');
  expect(range).toEqual([1, 1, 2, rows[0]?.length]);
  expect(rows[1]).toContain('ada@example.com');
  await close();
});

describe('the policy for sites (spec 4.5.2)', () => {
  const policy = () => {
    const given = blocksOf('specification/form-pages.md').get('policy')?.code ?? '';
    // All that it does not list is forbidden.
    const others = "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    return { 'Content-Security-Policy': `${others}; ${given.trim().replaceAll(EXAMPLE, server.listener.url)}` };
  };

  it('suffices for an embedded form with images and every part of the script', async () => {
    const schema = JSON.parse(recipe('schema'));
    const why = { key: 'why', label: 'Why', kind: 'text', page: 2, showIf: { all: [{ field: 'cv', op: 'exists' }] } };
    await server.admin.putSchema('contact', { ...schema, fields: [...schema.fields, why] }).expect(200);
    const theme = { accent: '#0055aa', scheme: 'dark', logo: LOGO, cover: LOGO };
    const settings = { origins: [site.origin], botProtection: 'proof-of-work', theme };
    await operator.put('/auth/apps/contact/form', settings).expect(200);
    const script = `<script src="${server.listener.url}/embed/v1.js"></script>`;
    show(`<div data-user-collection="contact"></div>${script}`, undefined, policy());
    const { page, expectClean, close } = await openPage(site.origin, { bypassCSP: false });
    await page.getByText('Drop files here').waitFor();
    const widths =
      '[...document.querySelector("div").shadowRoot.querySelectorAll("img")].map((one) => one.naturalWidth)';
    await expect.poll(() => page.evaluate(widths)).toEqual([40, 40]);
    await fill(page);
    await page.locator('.file input[value]:not([value=""])').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Why').fill('Because');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(await submissions()).toMatchObject([{ data: { name: 'Ada', why: 'Because', cv: [{ name: 'cv.pdf' }] } }]);
    const parts = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
    for (const part of ['steps', 'files', 'challenge']) expect(String(parts)).toContain(`/embed/v1-${part}`);
    expectClean();
    await close();
    await server.admin.putSchema('contact', schema).expect(200);
  });

  it.each([true, false])('suffices for a form of the site (script: %s)', async (javaScriptEnabled) => {
    show(recipe('file-form.html', server.listener.url), undefined, policy());
    const { page, expectClean, close } = await openPage(site.origin, { bypassCSP: false, javaScriptEnabled });
    await fill(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    await expect.poll(submissions, { interval: 50 }).toMatchObject([{ data: { name: 'Ada' } }]);
    expectClean();
    await close();
  });
});
