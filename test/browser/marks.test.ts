// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage, visitAs } from '../support/browser/browser.ts';
import { type Site, startSite } from '../support/browser/site.ts';
import { markVectors } from '../support/samples/mark-vectors.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { ADMIN } from './schema-page.ts';

const TERMS = 'I accept **the** [terms](https://x.example/terms)';

let server: TestServer;
let site: Site;
let app: string;
let operator: TestApp;
beforeAll(async () => {
  server = await sharedServer();
  const helps = markVectors.map(({ text }, index) => ({
    key: `f${index}`,
    label: `F${index}`,
    kind: 'text',
    help: text,
  }));
  const fields = [...helps, { key: 'terms', label: TERMS, kind: 'checkbox', help: 'Read *them*' }];
  operator = await server.admin.buildApp({ fields: fields as never });
  app = operator.sourceAppId;
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

it('the previews of the dashboard show them, its input of the label names the signs', async () => {
  const { page, expectClean, close } = await visitAs(server, ADMIN, `/apps/${app}`);
  const mode = page.getByRole('radiogroup', { name: 'What you do with the form' });
  await mode.getByText('Try it').click();
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByRole('checkbox', { name: 'I accept the terms' }).waitFor();
  expect(await preview.locator('label strong').innerText()).toBe('the');
  for (const [index, { html, plain }] of markVectors.entries()) {
    const description = preview.locator(`#data-f${index}-help`);
    expect(await description.textContent()).toBe(plain);
    const tags = /<(?:strong|em|a)\b/g;
    expect((await description.innerHTML()).match(tags)).toEqual(html.match(tags));
  }
  await mode.getByText('Edit').click();
  await page
    .getByRole('region', { name: 'Fields' })
    .getByRole('button', { name: /^I accept the terms / })
    .click();
  await page.getByText('**bold**, *italic*, [link](https://…)').first().waitFor();
  await expectClean();
  await close();
});

it('the texts of the form show them', async () => {
  const { page, close } = await visitAs(server, operator, '/form/texts');
  const preview = page.locator('[data-preview]');
  await preview.locator('.text strong').getByText('you').waitFor();
  await page.getByText('Thank-you page', { exact: true }).click();
  await preview.locator('em').getByText('soon').waitFor();
  await close();
});

it('the table of records has the label without signs', async () => {
  await server.client.submit(app, { email: 'b@example.com', data: { terms: true } }).expect(200);
  const { page, close } = await visitAs(server, operator, '/users');
  await page.getByText('b@example.com').waitFor();
  await page
    .getByRole('option', { name: 'I accept the terms', includeHidden: true })
    .first()
    .waitFor({ state: 'attached' });
  expect(await page.getByText('**the**').count()).toBe(0);
  await close();
});
