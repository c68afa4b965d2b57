import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser.ts';
import { sharedServer, type TestServer } from '../support/server.ts';
import { type Site, type SitePage, startSite } from '../support/site.ts';
import { STEP_SETTINGS, STEPPED, titleOf } from './stepped-forms.ts';

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
      pages['/page'] = { html: `<div data-user-collection="${app}" data-lang="${lang}"></div>${script}` };
      return openPage(`${site.origin}/page${query}`);
    },
  ],
] as const;

describe.each(PLACES)('%s', (_place, open) => {
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
