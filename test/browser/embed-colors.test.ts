// @module-tag long

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';
import { EVERY_KIND } from './forms.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

const FIELDS = [
  ...EVERY_KIND,
  { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'] },
  { key: 'why', label: 'Why', kind: 'text', showIf: { all: [{ field: 'name', op: 'exists' }] } },
];

async function formOf(settings: object): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: FIELDS as never });
  const texts = { title: 'Register', description: 'Read [the rules](https://www.example.com/rules) **first**.' };
  await server.admin
    .put(`/auth/apps/${sourceAppId}/form`, { origins: [site.origin], ...texts, ...settings })
    .expect(200);
  return sourceAppId;
}

const DARK = 'body { background: #101418; color: #eceff4 }';
const LIGHT = 'body { background: #fff; color: #222 }';

/** Returns the least contrasts of texts with what is behind them, below 4.5 : 1, by element. */
const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** The colors one over the other, as a browser paints them. */
  const painted = (colors) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const backgrounds = (element) => {
    const found = [];
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) found.unshift(getComputedStyle(at).backgroundColor);
    return ['white', ...found];
  };
  const host = document.querySelector('[data-user-collection]:not(form)');
  const low = [];
  const check = (name, color, behind) => {
    const ratio = contrast(painted([...behind, color]), painted(behind));
    if (ratio < 4.5) low.push(name + ': ' + ratio.toFixed(2));
  };
  for (const element of (host?.shadowRoot ?? document).querySelectorAll('label, legend, .help, .mark, .text, h2, a, p, input, select, option, textarea, button, .file')) {
    if (element.type === 'hidden' || !element.checkVisibility() && element.localName !== 'option') continue;
    const name = [element.localName, element.type, element.id, element.className].filter(Boolean).join(' ');
    const behind = backgrounds(element);
    if (element.localName === 'option') {
      // A list that opens has the colors of the control, where an option has none.
      check(name, getComputedStyle(element).color, [...backgrounds(element.parentElement), getComputedStyle(element).backgroundColor]);
    } else if (['checkbox', 'radio'].includes(element.type)) {
      if (element.checked) check(name + ' mark', getComputedStyle(element, '::before').backgroundColor, behind);
    } else if (element.type === 'file') {
      check(name + ' button', getComputedStyle(element, '::file-selector-button').color, behind);
    } else check(name, getComputedStyle(element).color, behind);
    if (element.matches('input:not([type=checkbox], [type=radio], [type=file]), textarea')) check(name + ' placeholder', getComputedStyle(element, '::placeholder').color, behind);
  }
  return low;
})()`;

async function fillIn(page: Page): Promise<void> {
  await page.getByText('Drop files here').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.user-collection-problem').first().waitFor();
  await page.getByLabel('Full name').fill('Ada');
  await page.getByLabel('CV').setInputFiles({ name: 'x.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') });
  await page.locator('.file-problem').waitFor();
}

async function openEmbed(style: string, settings: object, colorScheme: 'light' | 'dark') {
  const app = await formOf(settings);
  const script = `<script src="${server.listener.url}/embed/v1.js"></script>`;
  pages['/page'] = {
    html: `<style>${style}</style><main><h1>Site</h1><div data-user-collection="${app}"></div></main>${script}`,
  };
  const opened = await openPage(`${site.origin}/page`, { colorScheme });
  await fillIn(opened.page);
  return opened;
}

/** What every text of a form must have, whatever is behind it. */
async function expectContrast(page: Page): Promise<void> {
  expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
  expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
}

const SITES = [
  ['dark, which declares no scheme', DARK, {}, 'light'],
  ['dark, which declares no scheme, of a visitor who prefers dark', DARK, {}, 'dark'],
  ['dark, which declares its scheme', `:root { color-scheme: dark } ${DARK}`, {}, 'light'],
  ['light, of a visitor who prefers dark', LIGHT, {}, 'dark'],
  ['light, which declares both schemes', `:root { color-scheme: light dark } ${LIGHT}`, {}, 'dark'],
  ['dark, with an accent of the theme', DARK, { theme: { accent: '#1f5fd6' } }, 'light'],
  ['light, with an accent of the theme', LIGHT, { theme: { accent: '#ffe600' } }, 'dark'],
  ['dark, with an accent of its own', `:root { --user-collection-accent: #5b7cff } ${DARK}`, {}, 'light'],
  [
    'light, with an accent of its own beside that of the theme',
    `:root { --user-collection-accent: #ffe600 } a { color: #00c } ${LIGHT}`,
    { theme: { accent: '#0033cc', scheme: 'light' } },
    'light',
  ],
  [
    'dark, with rules for the element of a light theme',
    `${DARK} div { color: #eee }`,
    { theme: { scheme: 'light' } },
    'light',
  ],
  [
    'light, with rules for the element of a dark theme',
    `${LIGHT} div { background: #fff }`,
    { theme: { scheme: 'dark' } },
    'light',
  ],
] as const;

describe('the texts of a form on a site', () => {
  it.each(SITES)('can be read: %s', async (_, style, settings, colorScheme) => {
    const { page, close } = await openEmbed(style, settings, colorScheme);
    await expectContrast(page);
    await close();
  });

  it('can be read when the site changes its colors', async () => {
    const { page, close } = await openEmbed(`${LIGHT} body.dark { background: #101418; color: #eceff4 }`, {}, 'light');
    const scheme = () => page.evaluate('document.querySelector("div").shadowRoot.firstElementChild.style.colorScheme');
    expect(await scheme()).toBe('light');
    await page.evaluate('document.body.className = "dark"');
    await expect.poll(scheme).toBe('dark');
    await expectContrast(page);
    await close();
  });

  it.each(['light', 'dark'] as const)('can be read on the page of the service (%s)', async (colorScheme) => {
    const app = await formOf({ theme: { accent: '#0033cc' } });
    const { page, close } = await openPage(`${server.listener.url}/f/${app}`, { colorScheme });
    await fillIn(page);
    await expectContrast(page);
    await close();
  });
});
