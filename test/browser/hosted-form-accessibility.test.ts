import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/axe.ts';
import { closeBrowser, openPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { EVERY_KIND } from './forms.ts';

const PHONE = { width: 320, height: 640 };
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

let server: TestServer;
let app: string;
let closed: string;
beforeAll(async () => {
  server = await startServer();
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
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

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

describe('in light and in dark mode', () => {
  it.each(PAGES)('$name has no axe violations', async (view) => {
    // The policy of the page blocks the injected axe script.
    const { page, close } = await show(view, { bypassCSP: true });
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await close();
  });
});

describe('at a width of 320 px', () => {
  it.each(PAGES)('$name needs no horizontal scrolling', async (view) => {
    const { page, expectClean, close } = await show(view, { viewport: PHONE });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expectClean();
    await close();
  });
});
