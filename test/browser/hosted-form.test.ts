import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, startSite } from '../support/browser/site.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { EVERY_KIND, EVERY_VALUE, fillEveryKind } from './forms.ts';

let server: TestServer;
let site: Site;
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite({ '/thanks': { html: '<h1>Back on the site</h1>' } }, 'localhost');
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

async function formOf(settings: object = {}, fields: object[] = EVERY_KIND) {
  const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: fields as never });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();
const urlOf = (app: string) => `${server.listener.url}/f/${app}`;
const submit = (page: Page) => page.getByRole('button').click();

describe.each([true, false])('the hosted form (JavaScript: %s)', (javaScriptEnabled) => {
  const open = (app: string, query = '') => openPage(`${urlOf(app)}${query}`, { javaScriptEnabled });

  it('stores every kind of field', { tags: 'long' }, async () => {
    const app = await formOf({ thanks: 'Until soon' });
    const { page, expectClean, close } = await open(app, '?utm_source=mail&plan=pro');
    await fillEveryKind(page);
    await submit(page);
    await page.getByText('Until soon').waitFor();
    expect(page.url()).toBe(`${urlOf(app)}/thanks`);
    expect(await records(app)).toMatchObject([{ email: 'ada@example.com', data: EVERY_VALUE }]);
    expectClean();
    await close();
  });

  it('shows problems at their fields with what was entered, and stores the corrected form once', async () => {
    const app = await formOf({}, [
      { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]{2}$', required: true },
      { key: 'other', label: 'Other', kind: 'text', ui: 'textarea' },
      { key: 'topics', label: 'Topics', kind: 'array' },
    ]);
    const { page, expectClean, close } = await open(app);
    await page.getByLabel('Email').fill('ada@example');
    await page.getByLabel('Code').fill('"<b>');
    await page.getByLabel('Other').fill('\n first\n\nlast');
    await page.getByLabel('Topics').fill('one');
    await submit(page);
    const code = page.getByLabel('Code');
    await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true');
    expect(await code.inputValue()).toBe('"<b>');
    expect(await page.getByLabel('Other').inputValue()).toBe('\n first\n\nlast');
    const described = (await code.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${described.trim()}"]`).innerText()).toBe('Does not match the required pattern');
    expect(await records(app)).toEqual([]);

    await page.getByLabel('Email').fill('ada@example.com');
    await code.fill('AB');
    await submit(page);
    await page.waitForURL('**/thanks');
    expect(await records(app)).toMatchObject([{ data: { code: 'AB', topics: [{ value: 'one' }] } }]);
    expectClean();
    await close();
  });

  it('continues on `next` on another origin', { tags: 'long' }, async () => {
    const app = await formOf({ next: `${site.origin}/thanks` }, []);
    const { page, expectClean, close } = await open(app);
    await page.getByLabel('Email').fill('ada@example.com');
    await submit(page);
    await page.getByRole('heading', { name: 'Back on the site' }).waitFor();
    expect(await records(app)).toHaveLength(1);
    expectClean();
    await close();
  });

  it('counts two presses of the button once', async () => {
    const app = await formOf({}, [{ key: 'visits', label: 'Visits', kind: 'array' }]);
    const { page, close } = await open(app);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Visits').fill('one');
    await page.getByRole('button').dblclick();
    // The second press aborts the navigation of the first, which waitForURL takes for its own.
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${urlOf(app)}/thanks`);
    expect((await records(app))[0]?.data.visits).toHaveLength(1);
    await close();
  });
});

describe('without JavaScript', () => {
  it('a refused form begins with a summary that has the focus and links to the fields', { tags: 'long' }, async () => {
    const app = await formOf({ title: 'Register' }, [
      { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]{2}$' },
      { key: 'secret', label: 'Secret', kind: 'text', regex: '^x$', hidden: true, default: 'x', prefill: true },
    ]);
    const { page, expectClean, close } = await openPage(`${urlOf(app)}?secret=y`, { javaScriptEnabled: false });
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Code').fill('ab');
    await submit(page);
    const summary = page.getByRole('alert');
    await summary.waitFor();
    expect(await page.title()).toBe('There is a problem with your entries: Register');
    expect(await summary.innerText()).toContain('Secret: does not match');
    // Nobody could correct it unseen.
    expect(await page.getByLabel('Secret').inputValue()).toBe('y');
    expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
    await summary.getByRole('link', { name: /^Code/ }).click();
    expect(await page.locator(':focus').getAttribute('id')).toBe('data-code');
    expectClean();
    await close();
  });
});

describe('with JavaScript', () => {
  it('problems are shown without leaving the page, and the first one has the focus', { tags: 'long' }, async () => {
    const app = await formOf({}, [{ key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]{2}$' }]);
    const { page, expectClean, close } = await openPage(urlOf(app));
    await submit(page);
    expect(await page.locator(':focus').getAttribute('id')).toBe('email');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Code').fill('ab');
    await submit(page);
    await page.getByText('Does not match').waitFor();
    expect(page.url()).toBe(urlOf(app));
    expect(await page.locator(':focus').getAttribute('id')).toBe('data-code');
    expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBeNull();
    expectClean();
    await close();
  });
});

it('the field for programs is reached by nobody', async () => {
  const app = await formOf({}, []);
  const { page, close } = await openPage(urlOf(app));
  expect(await page.getByRole('textbox').count()).toBe(1);
  expect(await page.locator('[name="_gotcha"]').count()).toBe(1);
  await page.getByLabel('Email').focus();
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').evaluate((element) => element.tagName)).toBe('BUTTON');
  expect(await page.locator('.trap').boundingBox()).toMatchObject({ width: 1, height: 1 });
  await close();
});
