// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeBrowser, openPage, visitAs } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { STEP_SETTINGS, STEPPED } from './stepped-forms.ts';

let server: TestServer;
let site: Site;
let app: TestApp;
const pages: Record<string, SitePage> = {};
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite(pages);
  app = await server.admin.buildApp({ fields: STEPPED as never });
  const settings = { ...STEP_SETTINGS, pages: STEP_SETTINGS.pages.slice(1), origins: [site.origin] };
  await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, settings).expect(200);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

const WORDS = ['Only if Plan is Pro', 'Only if Plan is Pro', 'Required if Seats is at least 10'];
const newest = async () =>
  (await server.db.collection('users').find({ sourceAppId: app.sourceAppId }).toArray()).at(-1);

/** Opens a page with a snippet, as printed. */
async function openSnippet(tab: string, options: object = {}, more = '') {
  const { page: dashboard, close } = await visitAs(server, app, '/share');
  await dashboard.getByRole('tab', { name: tab, exact: true }).click();
  const html = await dashboard.getByRole('tabpanel', { name: tab }).locator('pre').innerText();
  await close();
  pages['/page'] = { html: html.replace('</form>', `${more}</form>`) };
  return openPage(`${site.origin}/page`, options);
}

it.each([
  ['Plain HTML', true],
  ['Enhanced form', false],
])('the snippet %j says in words when a field counts (JavaScript: %s)', async (tab, javaScriptEnabled) => {
  const { page, close } = await openSnippet(tab, { javaScriptEnabled });
  expect(await page.locator('[data-when]').allInnerTexts()).toEqual(WORDS);
  expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Your company', 'Last things']);
  await page.getByLabel('Email').fill(`${javaScriptEnabled}@example.com`);
  await page.getByLabel('Free').check();
  await page.getByLabel('News').check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Thank you').waitFor();
  expect(await newest()).toMatchObject({
    email: `${javaScriptEnabled}@example.com`,
    data: { plan: 'free', news: true },
  });
  await close();
});

it('the enhanced form shows what counts', async () => {
  // The site has a class and an attribute of the same names.
  const own = '<p class="steps progress" data-step="1"><b>Two steps</b></p>';
  const { page, expectClean, close } = await openSnippet('Enhanced form', {}, own);
  await page.getByText('Two steps').waitFor();
  await expect.poll(() => page.getByLabel('Seats').isVisible()).toBe(false);
  expect(await page.getByLabel('Company').isVisible()).toBe(false);
  expect(await page.locator('[data-when]').count()).toBe(0);
  await page.getByLabel('Email').fill('live@example.com');
  await page.getByLabel('Pro').check();
  await page.getByLabel('Seats').fill('10');
  expect(await page.getByLabel('Company').evaluate((input: { required?: boolean }) => input.required)).toBe(true);
  await page.getByLabel('Company').fill('Engines');
  await page.getByLabel('News').check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Thank you').waitFor();
  expect(await newest()).toMatchObject({ data: { plan: 'pro', seats: 10, company: 'Engines', news: true } });
  expect(await page.getByText('Two steps').isVisible()).toBe(true);
  // The form is as at first.
  expect(await page.getByLabel('Seats').isVisible()).toBe(false);
  expectClean();
  await close();
});

it('the texts of the form have the titles of the pages, in each language, and the form shows them', async () => {
  const { page, expectClean, close } = await visitAs(server, app, '/form/texts');
  const preview = page.locator('[data-preview]');
  await preview.getByRole('heading', { name: 'Last things' }).waitFor();
  await preview.getByText('Required if Seats is at least 10').waitFor();
  await page.getByLabel('Title of page 1', { exact: true }).fill('Begin');
  await page.getByLabel('Title of page 2', { exact: true }).fill('');
  await preview.getByRole('heading', { name: 'Begin' }).waitFor();
  await page.getByText('German', { exact: true }).click();
  await page.getByLabel('Title of page 1 in German').fill('Anfang');
  await preview.getByRole('heading', { name: 'Anfang' }).waitFor();
  await preview.getByText('Nur, wenn „Tarif“ Pro ist').first().waitFor();
  const save = () => page.getByRole('button', { name: 'Save settings' }).click();
  await save();
  // Its translations are left.
  const title = page.getByLabel('Title of page 2', { exact: true });
  await expect.poll(() => title.getAttribute('aria-invalid')).toBe('true');
  await title.fill('Firm');
  await save();
  await page.getByText('Saved. The settings apply now.').waitFor();
  const { body } = await server.admin.get(`/auth/apps/${app.sourceAppId}/form`).expect(200);
  expect(body.pages[0]).toEqual({ page: 1, title: 'Begin', titles: { de: 'Anfang' } });
  expect(body.pages.slice(1)).toEqual([{ ...STEP_SETTINGS.pages[1], title: 'Firm' }, STEP_SETTINGS.pages[2]]);
  expectClean();
  await close();
});

it('the embed snippet reserves about the height of the first page, with and without a title', async () => {
  for (const pages of [STEP_SETTINGS.pages, STEP_SETTINGS.pages.slice(1)]) {
    const settings = { ...STEP_SETTINGS, pages, origins: [site.origin] };
    await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, settings).expect(200);
    const { page, close } = await openSnippet('Embed');
    await page.getByRole('button', { name: 'Next' }).waitFor();
    const host = page.locator('div[data-user-collection]');
    const reserved = Number(await host.getAttribute('data-height'));
    const script =
      'document.querySelector("[data-user-collection]").shadowRoot.children[0].getBoundingClientRect().height';
    const height = (await page.evaluate(script)) as number;
    expect(Math.abs(reserved - height) / height, `${reserved} for ${height}`).toBeLessThan(0.05);
    await close();
  }
});
