// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', required: true },
  { key: 'plan', label: 'Plan', kind: 'select', ui: 'radio', enum: ['free', 'pro'], default: 'pro' },
  { key: 'news', label: 'News', kind: 'checkbox', default: true },
];
const YELLOW = 'rgb(255, 230, 0)';
const BLACK = 'lab(0 0 0)';
const DARK_SHEET = 'rgb(26, 29, 35)';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite(pages);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

async function formOf(theme?: object) {
  const { sourceAppId } = await server.admin.buildApp({ fields: FIELDS as never });
  const settings = { title: 'Join us', origins: [site.origin], ...(theme && { theme }) };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

/** Returns a computed style of an element of the form. `:host` is around an embedded one. */
const css = (page: Page, selector: string, name: string) => {
  const host = 'document.querySelector("[data-user-collection]:not(form)")';
  const found = selector === ':host' ? host : `(${host}?.shadowRoot ?? document).querySelector('${selector}')`;
  return page.evaluate(`getComputedStyle(${found}).getPropertyValue('${name}')`) as Promise<string>;
};

async function openForm(theme: object | undefined, colorScheme: 'light' | 'dark') {
  return openPage(`${server.listener.url}/f/${await formOf(theme)}`, { colorScheme, bypassCSP: false });
}

async function openEmbed(theme: object | undefined, style = '') {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${server.listener.url}; connect-src ${server.listener.url}`;
  const html = `${style}<div data-user-collection="${await formOf(theme)}"></div><script src="${server.listener.url}/embed/v1.js"></script>`;
  pages['/page'] = { html, headers: { 'Content-Security-Policy': policy } };
  const opened = await openPage(`${site.origin}/page`, { bypassCSP: false });
  await opened.page.getByRole('heading', { name: 'Join us' }).waitFor();
  return opened;
}

describe('the theme of a form (spec 4.5.1)', () => {
  it('is what the hosted form looks like, in the scheme of the visitor', async () => {
    const theme = { accent: '#ffe600', font: 'mono', corners: 'square' };
    for (const scheme of ['light', 'dark'] as const) {
      const { page, expectClean, close } = await openForm(theme, scheme);
      const button = await css(page, 'button', 'background-color');
      // Yellow has too little contrast with white.
      if (scheme === 'dark') expect(button).toBe(YELLOW);
      else expect(button).not.toBe(YELLOW);
      expect(await css(page, 'button', 'color')).toBe(BLACK);
      expect(await css(page, 'button', 'border-radius')).toBe('0px');
      expect(await css(page, 'main', 'border-radius')).toBe('0px');
      expect(await css(page, 'h1', 'font-family')).toContain('monospace');
      expect(await axeViolations(page)).toEqual([]);
      expectClean();
      await close();
    }
  });

  it('is in the controls too, and each choice is a box that chooses it', async () => {
    const { page, expectClean, close } = await openForm({ accent: '#0055aa' }, 'light');
    const ACCENT = 'rgb(0, 85, 170)';
    const [free, pro] = [page.getByLabel('free'), page.getByLabel('pro')];
    expect(await css(page, '[type=radio]:checked', 'background-color')).toBe(ACCENT);
    expect(await css(page, '.choice:has([value=pro])', 'border-top-color')).toBe(ACCENT);
    // Its far end, beside the text.
    const box = await page.locator('.choice', { has: free }).boundingBox();
    if (!box) throw new Error('no box');
    await page.mouse.click(box.x + box.width - 4, box.y + box.height - 4);
    expect([await free.isChecked(), await pro.isChecked()]).toEqual([true, false]);
    expect(await css(page, '.choice:has([value=pro])', 'border-top-color')).not.toBe(ACCENT);
    // The boxes take the colors of a system with high contrast.
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await css(page, '[type=radio]', 'appearance')).toBe('auto');
    await page.emulateMedia({ forcedColors: 'none' });
    expectClean();
    await close();
  });

  it('has a scheme of its own, whatever that of the visitor is', async () => {
    for (const [scheme, visitor, sheet] of [
      ['dark', 'light', DARK_SHEET],
      ['light', 'dark', 'rgb(255, 255, 255)'],
    ] as const) {
      const { page, expectClean, close } = await openForm({ scheme }, visitor);
      expect(await css(page, 'main', 'background-color')).toBe(sheet);
      expect(await css(page, 'html', 'color-scheme')).toBe(scheme);
      expect(await axeViolations(page)).toEqual([]);
      expectClean();
      await close();
    }
  });

  it('is what the embedded form looks like, under a strict policy, unless the site sets it', async () => {
    const theme = { accent: '#ffe600', scheme: 'dark', font: 'serif', corners: 'round' };
    const embedded = await openEmbed(theme);
    const { page } = embedded;
    expect(await css(page, 'button', 'background-color')).toBe(YELLOW);
    expect(await css(page, 'button', 'border-radius')).toBe('16px');
    expect(await css(page, ':host', 'background-color')).toBe(DARK_SHEET);
    expect(await css(page, 'h2', 'font-family')).toContain('Georgia');
    expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
    embedded.expectClean();
    await embedded.close();

    const own = await openEmbed(theme, '<style>:root{--user-collection-accent:#00f}</style>');
    expect(await css(own.page, 'button', 'background-color')).toBe('rgb(0, 0, 255)');
    await own.close();
  });

  it('costs no request where there is none', async () => {
    const requested = async (theme?: object) => {
      const id = await formOf(theme);
      const { page, close } = await openPage('about:blank');
      const names: string[] = [];
      page.on('request', (request) => names.push(new URL(request.url()).pathname));
      await page.goto(`${server.listener.url}/f/${id}`);
      await close();
      return names.filter((name) => name.endsWith('.css'));
    };
    expect(await requested()).toHaveLength(1);
    expect(await requested({ corners: 'round' })).toEqual([expect.stringContaining('v1'), '/embed/theme.css']);
  });
});
