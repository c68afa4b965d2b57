import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text', required: true },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
  { key: 'topics', label: 'Topics', kind: 'multiselect', enum: ['draw', 'piano'] },
  { key: 'stars', label: 'Stars', kind: 'number', ui: 'stars', min: 1, max: 5 },
  { key: 'terms', label: 'Terms', kind: 'checkbox', consent: { version: '1' } },
  { key: 'list', label: 'List', kind: 'text', hidden: true, default: 'spring', prefill: true },
];

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);

async function openForm(settings: object = {}, fields: object[] = FIELDS) {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  const opened = await openPage(`${server.listener.url}/f/${sourceAppId}`);
  return { ...opened, sourceAppId };
}

const KEPT = 'Object.entries({ ...sessionStorage }).filter(([key]) => key.startsWith("user-collection-draft"))';
const kept = (page: Page): Promise<[string, string][]> => page.evaluate(KEPT);

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Plan').selectOption('pro');
  await page.getByLabel('piano').check();
  await page.getByLabel('4 stars').check({ force: true });
  await page.getByLabel('Terms').check();
}

describe('what is typed into a hosted form', () => {
  it('survives a reload, without consents and hidden fields, and is gone once it is sent', async () => {
    const { page, expectClean, close, sourceAppId } = await openForm();
    await fill(page);
    await page.reload();
    await page.getByText('Your entries from before are still here.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await page.getByLabel('Plan').inputValue()).toBe('pro');
    expect(await page.getByLabel('piano').isChecked()).toBe(true);
    expect(await page.getByLabel('4 stars').isChecked()).toBe(true);
    expect(await page.getByLabel('Terms').isChecked()).toBe(false);
    const [[, text = ''] = []] = await kept(page);
    expect(Object.keys(JSON.parse(text)).sort()).toEqual([
      '',
      'data[name]',
      'data[plan]',
      'data[stars]',
      'data[topics][]',
      'email',
    ]);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your entries are stored').waitFor();
    expect(await kept(page)).toEqual([]);
    const record = await server.db.collection('users').findOne({ sourceAppId });
    expect(record?.data).toEqual({
      name: 'Ada',
      plan: 'pro',
      topics: ['piano'],
      stars: 4,
      terms: false,
      list: 'spring',
    });
    expectClean();
    await close();
  });

  it('is dropped by "Start again"', async () => {
    const { page, close } = await openForm();
    await fill(page);
    await page.reload();
    await page.getByRole('button', { name: 'Start again' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByLabel('piano').isChecked()).toBe(false);
    expect(await page.getByText('still here').count()).toBe(0);
    expect(await kept(page)).toEqual([]);
    expect(await page.evaluate('document.activeElement.name')).toBe('email');
    await page.reload();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await close();
  });

  it('is not kept with drafts: false', async () => {
    const { page, close } = await openForm({ drafts: false });
    await page.evaluate('sessionStorage.clear()');
    await fill(page);
    expect(await kept(page)).toEqual([]);
    await close();
  });

  it('opens the page of the form on which it was typed', async () => {
    const fields = [
      { key: 'name', label: 'Name', kind: 'text' },
      { key: 'note', label: 'Note', kind: 'text', page: 2 },
    ];
    const { page, close } = await openForm({}, fields);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Note').fill('Hello');
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('Hello');
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
    await close();
  });
});

describe('the first field of a hosted form', () => {
  it('has the caret when the page opens, and no answer of the browser to a problem', async () => {
    const { page, close } = await openForm({ locale: 'de' });
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
    await page.getByRole('button', { name: 'Senden' }).click();
    const problems = page.locator('.user-collection-problem');
    // The language of the browser is English.
    expect(await problems.allInnerTexts()).toEqual(['Bitte ausfüllen', 'Bitte ausfüllen']);
    await close();
  });

  it('has no caret on a touch screen', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { page, close } = await openPage(`${server.listener.url}/f/${sourceAppId}`, {
      hasTouch: true,
      isMobile: true,
    });
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
    await close();
  });
});
