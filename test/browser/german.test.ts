// @module-tag long

import type { Page } from 'playwright-core';
import { isValidElement } from 'react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { de } from '../../web/src/texts/de/index.ts';
import { en } from '../../web/src/texts/en/index.ts';
import { axeViolations } from '../support/browser/axe.ts';
import { goWithin, openPage, type Visit } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, type TestServer } from '../support/server/server.ts';
import { withAppOfViews } from './accessible-views.ts';

const PHONE = { width: 320, height: 740 };
const DESKTOP = { width: 1280, height: 720 };

let server: TestServer;
let app: TestApp;
withAppOfViews((...started) => {
  [server, app] = started;
});

const ADMIN_PAGES = [
  '/overview',
  '/apps',
  '/new-form',
  '/users',
  '/users?q=user29',
  '/privacy',
  '/audit',
  '/accounts',
  '/none',
];
const APP_PAGES = [
  '/overview',
  '/users',
  '/users?by=data.plan',
  '/users?q=nobody',
  '/users?where=data.plan:eq:pro&sort=data.name',
  '/users/RECORD',
  '/form',
  '/form/json',
  '/form/versions',
  '/preview',
  '/share',
  '/settings',
  '/form/design',
  '/share/import',
  '/webhooks',
  '/import',
  '/privacy',
  '/keys',
  '/emails',
  '/audit',
  '/held',
  '/members',
];

describe('the dashboard for a reader of German', () => {
  let visited: Visit;
  let record: string;
  beforeAll(async () => {
    const url = server.listener.url;
    const { users } = (await server.admin.get(`/auth/users?sourceAppId=${app.sourceAppId}&limit=1`).expect(200)).body;
    record = users[0].id;
    const session = { origin: url, app: { sourceAppId: 'admin', password: ADMIN_PASSWORD } };
    visited = await openPage(`${url}/dashboard/apps`, { origins: [url], session, locale: 'de-AT' });
    await visited.page.getByRole('navigation', { name: 'Hauptnavigation' }).waitFor();
  });
  afterAll(() => visited.close());

  it.each([...ADMIN_PAGES, ...APP_PAGES.map((path) => `/apps/APP${path}`)])('%s', async (path) => {
    const { page, expectClean } = visited;
    await page.setViewportSize(PHONE);
    await goWithin(page, path.replace('APP', app.sourceAppId).replace('RECORD', record));
    await loaded(page);
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    expect(await axeViolations(page)).toEqual([]);
    expect(english(await textsOf(page))).toEqual([]);
    for (const menu of await page.locator('main [aria-haspopup=menu]:enabled:visible').all()) {
      await menu.click();
      await page.getByRole('menu').waitFor();
      expect(english(await textsOf(page))).toEqual([]);
      // A menu that is still opening does not hear the first key.
      await expect
        .poll(async () => {
          await page.keyboard.press('Escape');
          return page.getByRole('menu').count();
        })
        .toBe(0);
    }
    expectClean();
  });

  it('shows messages of the service in German', async () => {
    const { page } = visited;
    await goWithin(page, '/apps');
    await page.getByRole('button', { name: de.apps.create }).click();
    await page.getByRole('dialog').getByRole('textbox').first().fill('other-app');
    await page.getByRole('dialog').getByRole('button', { name: de.apps.create }).click();
    await page.getByText('Eine App mit dieser ID gibt es schon').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: de.components.discard }).click();
  });

  it('changes to English, and stays so', async () => {
    const { page } = visited;
    await page.getByRole('button', { name: de.shell.account('admin') }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('navigation', { name: en.shell.mainNavigation }).waitFor();
    await page.reload();
    await page.getByRole('navigation', { name: en.shell.mainNavigation }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });
});

describe('the log-in page', () => {
  it('opens in English when the browser names no valid language', async () => {
    const url = server.listener.url;
    // The page is not used again, because the script stays in it.
    const { page, close } = await openPage('about:blank', { origins: [url], colorScheme: 'light' });
    await page.addInitScript(`Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })`);
    await page.goto(`${url}/dashboard/`);
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await close();
  });

  it('is in the language of the browser, and offers the others', async () => {
    const url = server.listener.url;
    const { page, close, expectClean } = await openPage(`${url}/dashboard/`, { origins: [url], locale: 'de-DE' });
    await page.getByRole('button', { name: de.session.logIn, exact: true }).waitFor();
    expect(english(await textsOf(page))).toEqual([]);
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expectClean();
    await close();
  });
});

async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** What a reader sees or hears, without code and without the entries of fields. */
async function textsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement.closest('code, pre, textarea, script, style, noscript, [lang]:not(html)')) found.add(node.data.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]')) {
      for (const name of ['aria-label', 'placeholder', 'title', 'alt']) found.add((element.getAttribute(name) ?? '').trim());
    }
    return [...found].filter((text) => text !== '');
  })()`)) as string[];
}

/** The English texts of the catalogue that are not German too, nor names of this test. */
const GERMAN = new Set([...valuesOf(de), 'admin', 'Go', 'Nightly export']);
const ENGLISH = new Set(valuesOf(en).filter((text) => !GERMAN.has(text)));
const WORDS = /\b(the|and|of|is|are|with|this|your|you|not|to|for|from|has)\b/i;

function english(texts: readonly string[]): string[] {
  return texts.filter((text) => ENGLISH.has(text) || WORDS.test(text.replace(/\S+@\S+|https?:\S+/g, '')));
}

function valuesOf(texts: object): string[] {
  return Object.values(texts).flatMap((value) => {
    if (isValidElement(value)) return [];
    if (typeof value === 'object') return valuesOf(value);
    return typeof value === 'string' ? [value] : [];
  });
}
