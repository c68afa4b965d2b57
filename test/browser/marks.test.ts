import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/axe.ts';
import { closeBrowser, openPage } from '../support/browser.ts';
import { markVectors } from '../support/mark-vectors.ts';
import { sharedServer, type TestServer } from '../support/server.ts';
import { type Site, startSite } from '../support/site.ts';

const TERMS = 'I accept **the** [terms](https://x.example/terms)';

let server: TestServer;
let site: Site;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  const helps = markVectors.map(({ text }, index) => ({
    key: `f${index}`,
    label: `F${index}`,
    kind: 'text',
    help: text,
  }));
  const fields = [...helps, { key: 'terms', label: TERMS, kind: 'checkbox', help: 'Read *them*' }];
  app = (await server.admin.buildApp({ fields: fields as never })).sourceAppId;
  const page = `<h1>A site</h1><div data-user-collection="${app}"></div><script src="${server.listener.url}/embed/v1.js"></script>`;
  site = await startSite({ '/page': { html: page } });
  const settings = {
    title: 'Join',
    description: 'For **you**',
    thanks: 'See [us](https://x.example) *soon*',
    origins: [site.origin],
  };
  await server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

/** The HTML of the helps, written by the browser as that of the vectors. */
const HELPS = `(htmls) => {
  const root = document.querySelector('[data-user-collection]:not(form)')?.shadowRoot ?? document;
  const written = (html) => Object.assign(document.createElement('template'), { innerHTML: html }).innerHTML;
  return {
    shown: [...root.querySelectorAll('[id^="data-f"][id$="-help"]')].map((one) => one.innerHTML),
    wanted: htmls.map(written),
  };
}`;

async function expectHelps(page: Page): Promise<void> {
  const htmls = JSON.stringify(markVectors.map(({ html }) => html));
  const { shown, wanted } = (await page.evaluate(`(${HELPS})(${htmls})`)) as Record<'shown' | 'wanted', string[]>;
  expect(shown).toEqual(wanted);
}

it('the hosted form shows each text as its vector, and is accessible', async () => {
  const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}`);
  await expectHelps(page);
  await page.getByRole('checkbox', { name: 'I accept the terms' }).waitFor();
  expect(await axeViolationsInBothModes(page)).toEqual([]);
  await expectClean();
  await close();
});

it('the embed shows them as the hosted form, under its own elements', async () => {
  const { page, close } = await openPage(`${site.origin}/page`);
  const terms = page.getByRole('checkbox', { name: 'I accept the terms' });
  await terms.waitFor();
  await expectHelps(page);
  expect(await page.locator('.text strong').innerText()).toBe('you');
  const link = page.getByRole('link', { name: 'terms', exact: true });
  expect(await link.getAttribute('rel')).toContain('noopener');
  await page.getByLabel('Email').fill('a@example.com');
  await page.getByRole('button').click();
  await page.getByRole('link', { name: 'us', exact: true }).waitFor();
  expect(await page.getByRole('status').locator('em').innerText()).toBe('soon');
  await close();
});
