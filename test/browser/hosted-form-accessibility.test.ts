// @module-tag long
// @module-tag fault

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { EVERY_KIND } from './forms.ts';

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 320, height: 640 };
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

let server: TestServer;
let app: string;
let closed: string;
beforeAll(async () => {
  server = await sharedServer();
  const fields = [
    ...EVERY_KIND,
    { key: 'long', label: LONG, kind: 'select', ui: 'radio', enum: [LONG], help: LONG },
    { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]{2}$', default: 'AB' },
  ];
  app = (await server.admin.buildApp({ fields: fields as never })).sourceAppId;
  closed = (await server.admin.buildApp()).sourceAppId;
  const settings = { title: `Register for ${LONG}`, description: LONG, locale: 'de' };
  await server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
  await server.admin.put(`/auth/apps/${closed}/form`, { closesAt: '2020-01-01T00:00:00Z' }).expect(200);
});
afterAll(closeBrowser);

const PAGES: { name: string; path(): string; act?(page: Page): Promise<void> }[] = [
  { name: 'the form', path: () => `/f/${app}` },
  {
    name: 'the form with problems',
    path: () => `/f/${app}`,
    act: async (page) => {
      await page.evaluate('document.querySelector("form").noValidate = true');
      await page.getByLabel('Code').fill('ab');
      await page.evaluate('HTMLFormElement.prototype.submit.call(document.querySelector("form"))');
      await page.locator('.summary').waitFor();
    },
  },
  {
    name: 'the form with problems that the script shows',
    path: () => `/f/${app}`,
    act: async (page) => {
      await page.getByRole('button').click();
      await page.locator('.user-collection-problem').first().waitFor();
    },
  },
  { name: 'the thanks', path: () => `/f/${app}/thanks` },
  { name: 'a closed form', path: () => `/f/${closed}` },
  { name: 'an unknown form', path: () => '/f/nobody' },
];

async function show({ path, act }: (typeof PAGES)[number], options: object) {
  const opened = await openPage(server.listener.url + path(), options);
  await act?.(opened.page);
  return opened;
}

it.each(PAGES)('$name fits a width of 320 px, and has no axe violations in both modes', async (view) => {
  const { page, expectClean, close } = await show(view, { viewport: PHONE });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await page.setViewportSize(DESKTOP);
  expect(await axeViolationsInBothModes(page)).toEqual([]);
  expectClean();
  await close();
});
