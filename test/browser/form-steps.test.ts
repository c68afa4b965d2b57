// @module-tag long

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';
import { STEP_SETTINGS, STEPPED, titleOf } from './stepped-forms.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

async function formOf(fields: object[] = STEPPED, settings: object = STEP_SETTINGS): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [site.origin], ...settings }).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();

const PLACES = [
  ['the hosted form', (app: string, query: string) => openPage(`${server.listener.url}/f/${app}${query}`)],
  [
    'the embed',
    (app: string, query: string) => {
      const lang = new URLSearchParams(query).get('lang') ?? '';
      const script = `<script src="${server.listener.url}/embed/v1.js"></script>`;
      const origin = server.listener.url;
      const policy = `default-src 'none'; script-src ${origin} 'unsafe-inline'; connect-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`;
      pages['/page'] = {
        html: `<div data-user-collection="${app}" data-lang="${lang}"></div>${script}`,
        headers: { 'Content-Security-Policy': policy },
      };
      return openPage(`${site.origin}/page${query}`, { bypassCSP: false });
    },
  ],
] as const;

describe.each(PLACES)('%s', (_place, open) => {
  it('counts characters as the schema does, and has the bounds of dates, on each page', async () => {
    const app = await formOf(
      [
        { key: 'name', label: 'Name', kind: 'text', minLength: 2, maxLength: 3 },
        { key: 'born', label: 'Born', kind: 'date', earliest: '1900-01-31', latest: '2026-01-31' },
        { key: 'way', label: 'Way', kind: 'select', ui: 'radio', enum: ['foot', 'car'] },
        {
          key: 'why',
          label: 'Why',
          kind: 'select',
          ui: 'radio',
          enum: ['far', 'fast'],
          requiredIf: { all: [{ field: 'way', op: 'eq', value: 'car' }] },
        },
        { key: 'note', label: 'Note', kind: 'text', page: 2 },
      ],
      {},
    );
    const { page, expectClean, close } = await open(app, '');
    const problems = async (next: () => Promise<void>) => {
      await next();
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      return page.locator('.user-collection-problem').allInnerTexts();
    };
    const radio = (name: string, group: string) => page.getByRole('radiogroup', { name: group }).getByLabel(name);
    await page.getByLabel('Email').fill('ada@example.com');
    expect(await problems(() => page.getByLabel('Name').fill('👍'))).toEqual(['Must have at least 2 characters']);
    expect(await problems(() => page.getByLabel('Name').fill('Grace'))).toEqual(['Must have at most 3 characters']);
    await page.getByLabel('Name').fill('👍👍👍');
    expect(await problems(() => page.getByLabel('Born').fill('0085-11-28'))).toEqual(['Must be 1900-01-31 or later']);
    expect(await problems(() => page.getByLabel('Born').fill('2026-02-01'))).toEqual(['Must be 2026-01-31 or earlier']);
    await page.getByLabel('Born').fill('1985-11-28');
    await radio('car', 'Way').check();
    expect(await problems(() => radio('No answer', 'Why').check())).toEqual(['Is required']);
    // An answer is taken back, and then another one is not required any more.
    await radio('No answer', 'Way').check();
    expect(await problems(async () => {})).toEqual([]);
    await page.getByLabel('Note').fill('x');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect((await records(app))[0]?.data).toEqual({ name: '👍👍👍', born: '1985-11-28', note: 'x' });
    expectClean();
    await close();
  });

  it('shows one page after the other, without those that have no field to show', async () => {
    const app = await formOf();
    const { page, expectClean, close } = await open(app, '');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const progress = page.locator('.progress');
    await expect.poll(() => progress.innerText()).toBe('Page 1 of 2');
    expect(await titleOf(page)).toBe('Your plan');
    expect(await page.getByLabel('Seats').isVisible()).toBe(false);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(expect.arrayContaining(['Next']));
    expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    // Problems of this page alone.
    await press('Next');
    expect(await page.locator('.user-collection-problem').allInnerTexts()).toEqual(['Is required', 'Is required']);
    expect(await page.locator('form :focus').getAttribute('id')).toBe('email');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Pro').check();
    expect(await progress.innerText()).toBe('Page 1 of 3');
    await page.getByLabel('Seats').fill('1');
    await press('Next');
    expect(await page.locator('.user-collection-problem').allInnerTexts()).toEqual(['Must be at least 2']);
    await page.getByLabel('Seats').fill('12');
    await press('Next');
    expect(await titleOf(page)).toBe('Your company');
    expect(await page.locator('form :focus').innerText()).toBe('Your company');
    expect(await progress.innerText()).toBe('Page 2 of 3');
    await press('Next');
    expect(await page.locator('.user-collection-problem').allInnerTexts()).toEqual(['Is required']);
    await page.getByLabel('Company').fill('Engines');
    await press('Next');
    expect(await page.locator('form :focus').innerText()).toBe('Last things');
    expect(await page.getByRole('button', { name: 'Next' }).count()).toBe(0);

    // The page in between goes, and comes again with what was typed.
    await press('Back');
    await press('Back');
    await page.getByLabel('Free').check();
    expect(await page.getByLabel('Seats').isVisible()).toBe(false);
    await press('Next');
    expect(await titleOf(page)).toBe('Last things');
    await page.getByLabel('Note').fill('Hello');
    await press('Back');
    expect(await titleOf(page)).toBe('Your plan');
    await page.getByLabel('Pro').check();
    expect(await page.getByLabel('Seats').inputValue()).toBe('12');
    await press('Next');
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');
    await press('Back');
    await page.getByLabel('Free').check();
    await press('Next');
    await page.getByLabel('News').check();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData() ?? '');
    });
    await press('Send');
    await page.getByText('Thank you').waitFor();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('data[note]');
    expect(sent[0]).not.toContain('data[seats]');
    expect(sent[0]).not.toContain('data[company]');
    expect((await records(app))[0]?.data).toEqual({ plan: 'free', note: 'Hello', news: true });
    expectClean();
    await close();
  });

  it('speaks the language of the visitor', async () => {
    const app = await formOf();
    const { page, close } = await open(app, '?lang=de');
    await page.getByRole('button', { name: 'Weiter' }).click();
    expect(await titleOf(page)).toBe('Ihr Tarif');
    expect(await page.locator('.progress').innerText()).toBe('Seite 1 von 2');
    expect(await page.locator('.user-collection-problem').allInnerTexts()).toEqual([
      'Bitte ausfüllen',
      'Bitte ausfüllen',
    ]);
    await close();
  });

  it('opens the first page that has a problem of the service', async () => {
    const app = await formOf([
      { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]$' },
      { key: 'other', label: 'Other', kind: 'text', regex: '^[A-Z]$', page: 2 },
      { key: 'last', label: 'Last', kind: 'text', page: 5 },
    ]);
    const { page, expectClean, close } = await open(app, '');
    await page.getByLabel('Email').fill('ada@example.com');
    for (const [label, text] of [
      ['Code', 'A'],
      ['Other', 'b'],
      ['Last', 'x'],
    ] as const) {
      await page.getByLabel(label).fill(text);
      // The button that Enter presses depends on the page.
      await page.keyboard.press('Enter');
    }
    await page.getByText('Does not match').waitFor();
    expect(await page.locator('form :focus').getAttribute('id')).toBe('data-other');
    expect(await page.locator('.progress').innerText()).toBe('Page 2 of 3');
    await page.getByLabel('Other').fill('B');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator('form :focus').getAttribute('id')).toBe('data-last');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you').waitFor();
    expect((await records(app))[0]?.data).toEqual({ code: 'A', other: 'B', last: 'x' });
    expectClean();
    await close();
  });
});

it.each(PLACES)('%s sends a form whose answer was lost under the same key, once', async (_place, open) => {
  const app = await formOf([
    { key: 'visits', label: 'Visits', kind: 'array' },
    { key: 'more', label: 'More', kind: 'text', page: 2 },
  ]);
  const { page, close } = await open(app, '');
  let isLost = true;
  await page.route('**/v1/forms/*', async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Visits').fill('one');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('More').fill('two');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('could not be sent').waitFor();
  isLost = false;
  await page.getByRole('button', { name: 'Send' }).dblclick();
  await page.getByText('Thank you').waitFor();
  expect((await records(app)).map(({ data }) => data.visits.length)).toEqual([1]);
  await close();
});

it('the embed shows pages in a file on a disk', async () => {
  const app = await formOf(STEPPED, { ...STEP_SETTINGS, origins: [], nullOrigin: true });
  const folder = await mkdtemp(join(tmpdir(), 'steps-test-'));
  const file = join(folder, 'page.html');
  const script = `<script src="${server.listener.url}/embed/v1.js"></script>`;
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A site</title><main><h1>A site</h1>';
  await writeFile(file, `${head}<div data-user-collection="${app}"></div></main>${script}`);
  const { page, expectClean, close } = await openPage(pathToFileURL(file).href);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Free').check();
  await page.getByRole('button', { name: 'Next' }).click();
  expect(await titleOf(page)).toBe('Last things');
  expect(await axeViolationsInBothModes(page)).toEqual([]);
  expectClean();
  await close();
  await rm(folder, { recursive: true });
});

describe('the page after a refusal of the service', () => {
  it('is open at the first page with a problem, and its summary opens the others', async () => {
    const app = await formOf([
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]$', page: 2 },
      { key: 'last', label: 'Last', kind: 'text', regex: '^[A-Z]$', page: 3 },
    ]);
    const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}`);
    await page.getByRole('button', { name: 'Next' }).waitFor();
    await page.addInitScript(`window.seen = new Set(); (function look() {
      for (const one of document.querySelectorAll('[data-step]')) if (one.checkVisibility()) seen.add(one.dataset.step);
      requestAnimationFrame(look);
    })()`);
    await page.evaluate(`
      document.querySelector('#email').value = 'ada@example.com';
      document.querySelector('#data-code').value = 'a';
      document.querySelector('#data-last').value = 'b';
      HTMLFormElement.prototype.submit.call(document.querySelector('form'));
    `);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Back' }).waitFor();
    expect(await page.locator('.progress').innerText()).toBe('Page 2 of 3');
    expect(await page.evaluate('[...seen]')).toEqual(['2']);
    await page.getByRole('link', { name: /^Last/ }).click();
    expect(await page.locator('form :focus').getAttribute('id')).toBe('data-last');
    expect(await page.locator('.progress').innerText()).toBe('Page 3 of 3');
    await page.getByLabel('Last').fill('B');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Does not match').waitFor();
    expect(await page.locator('form :focus').getAttribute('id')).toBe('data-code');
    await page.getByLabel('Code').fill('A');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect((await records(app))[0]?.data).toEqual({ code: 'A', last: 'B' });
    expectClean();
    await close();
  });

  it('shows what counts after the browser filled in the form again', async () => {
    const app = await formOf(STEPPED.slice(0, 2));
    const { page, close } = await openPage(`${server.listener.url}/f/${app}`);
    await page.getByLabel('Pro').check();
    await page.getByLabel('Seats').fill('7');
    await page.goto(`${server.listener.url}/health`);
    await page.goBack();
    await expect.poll(() => page.getByLabel('Pro').isChecked()).toBe(true);
    expect(await page.getByLabel('Seats').inputValue()).toBe('7');
    expect(await page.getByLabel('Seats').isVisible()).toBe(true);
    await close();
  });
});

it('the scripts of the hosted form have less than 40 kB', async () => {
  const app = await formOf();
  const { page, close } = await openPage(`${server.listener.url}/f/${app}`);
  await page.getByRole('button', { name: 'Next' }).waitFor();
  await page.waitForLoadState('networkidle');
  const names = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
  const scripts = (names as string[]).filter((name) => name.endsWith('.js'));
  // Each once, under the address with its hash.
  expect(
    scripts
      .map((name) =>
        name
          .replace(/-[\w-]{12}\.js$/, '')
          .split('/')
          .at(-1),
      )
      .sort(),
  ).toEqual(['v1', 'v1-page', 'v1-steps']);
  const sizes = await Promise.all(
    [...scripts, page.url()].map(async (name) => {
      const { text } = await server.client.get(new URL(name).pathname).expect(200);
      return gzipSync(text, { level: 9 }).length;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000);
  await close();
});

it('a form with pages that is reset is open at its first page', async () => {
  const app = await formOf();
  const { page, close } = await openPage(`${server.listener.url}/f/${app}`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Free').check();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => titleOf(page)).toBe('Last things');
  await page.evaluate('document.querySelector("form").reset()');
  await expect.poll(() => titleOf(page)).toBe('Your plan');
  expect(await page.getByLabel('Email').inputValue()).toBe('');
  await close();
});

it('a form without pages and conditions loads nothing more', async () => {
  const app = await formOf([{ key: 'name', label: 'Name', kind: 'text' }], {});
  const html = (await server.client.get(`/f/${app}`).expect(200)).text;
  expect(html).toContain(' defer></script>');
  expect(html).not.toMatch(/steps|data-field|data-off|data-live/);
  const { body } = await server.client.get(`/v1/forms/${app}`).expect(200);
  expect(body).not.toHaveProperty('steps');
  expect(body).not.toHaveProperty('pages');
});

describe('at the first paint', () => {
  /** Notes whatever is visible of a form in any frame. */
  const WATCH = `window.seen = {}; (function look() {
    const root = document.querySelector('[data-user-collection]:not(form)')?.shadowRoot ?? document;
    for (const one of root.querySelectorAll('[data-field],[data-step],[data-when],button,.mark')) {
      if (one.checkVisibility()) seen[one.dataset.field ?? one.dataset.step ?? one.dataset.go ?? one.className] = 1;
    }
    requestAnimationFrame(look);
  })();
  window.shifts = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

  const FIELDS = [
    ...STEPPED.slice(0, 3),
    { key: 'free', label: 'Why', kind: 'text', page: 2, showIf: { any: [{ field: 'plan', op: 'ne', value: 'pro' }] } },
  ];

  describe.each(PLACES)('%s shows only what counts', (_place, open) => {
    it.each([
      ['', ['1', 'plan', 'mark', 'next']],
      ['?plan=free', ['1', 'plan', 'mark', 'next']],
      ['?plan=pro&seats=12', ['1', 'plan', 'seats', 'mark', 'next']],
    ])('with the query %j', async (query, visible) => {
      const app = await formOf(FIELDS);
      const { page, close } = await open(app, '');
      await page.addInitScript(WATCH);
      // The page is painted before the module of the form arrives.
      await page.route('**/v1-steps*', async (route) => {
        await new Promise((done) => setTimeout(done, 300));
        await route.continue();
      });
      await page.goto(page.url().replace(/\?.*$/, '') + query);
      await page.getByRole('button', { name: 'Next' }).waitFor();
      await page.evaluate('new Promise((done) => setTimeout(done, 500))');
      expect(Object.keys((await page.evaluate('seen')) as object).sort()).toEqual(visible.sort());
      if (_place === 'the hosted form') expect(await page.evaluate('shifts')).toBe(0);
      await close();
    });
  });
});

it('shows everything when the module does not load', async () => {
  const app = await formOf();
  const { page, close } = await openPage('about:blank');
  await page.route('**/v1-steps*', (route) => route.abort());
  await page.goto(`${server.listener.url}/f/${app}`);
  await page.getByText('Only if Plan is Pro').first().waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Free').check();
  await page.getByLabel('News').check();
  await page.getByRole('button').click();
  await page.getByText('Thank you').waitFor();
  expect((await records(app))[0]?.data).toEqual({ plan: 'free', news: true });
  await close();
});

it('loads the module of another version if there is none of its own', async () => {
  const app = await formOf();
  const { page, close } = await openPage('about:blank');
  await page.route(/v1-steps-/, (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(`${server.listener.url}/f/${app}`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Free').check();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => titleOf(page)).toBe('Last things');
  await close();
});

describe('without JavaScript', () => {
  const open = (app: string, query = '') =>
    openPage(`${server.listener.url}/f/${app}${query}`, { javaScriptEnabled: false });

  it('has one page whose headings are the titles, and says when a field counts', async () => {
    const app = await formOf();
    const { page, expectClean, close } = await open(app);
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Your plan',
      'Your company',
      'Last things',
    ]);
    expect(await page.locator('[data-when]').allInnerTexts()).toEqual([
      'Only if Plan is Pro',
      'Only if Plan is Pro',
      'Required if Seats is at least 10',
    ]);
    expect(await page.locator('#data-company').getAttribute('aria-describedby')).toBe(
      'data-company-when-0 data-company-when-1',
    );
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Send']);
    expect(await page.locator('.progress').isVisible()).toBe(false);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Free').check();
    await page.getByLabel('Company').fill('Nobody asked');
    await page.getByLabel('News').check();
    await page.getByRole('button').click();
    await page.getByText('Thank you').waitFor();
    expect((await records(app))[0]?.data).toEqual({ plan: 'free', news: true });
    expectClean();
    await close();
  });

  it.each([
    ['de', 'Nur, wenn „Tarif“ Pro ist', 'Erforderlich, wenn „Plätze“ mindestens 10 ist'],
    ['ar', 'فقط إذا كان «الخطة» هو Pro', 'مطلوب إذا كان «المقاعد» لا يقل عن 10'],
  ])('says it in %s', async (lang, shown, required) => {
    const app = await formOf();
    const { page, close } = await open(app, `?lang=${lang}`);
    expect(await page.locator('[data-when]').allInnerTexts()).toEqual([shown, shown, required]);
    await close();
  });

  it('a refused form shows every page with the entries', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Pro').check();
    await page.getByLabel('Seats').fill('20');
    await page.getByLabel('News').check();
    await page.getByRole('button').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('Company: is required');
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(4);
    expect(await page.getByLabel('Seats').inputValue()).toBe('20');
    await close();
  });
});
