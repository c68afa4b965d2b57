// @module-tag long
// @module-tag fault

import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { STEP_SETTINGS, STEPPED, titleOf } from './stepped-forms.ts';

const PHONE = { width: 375, height: 700 };
const DESKTOP = { width: 1280, height: 720 };

let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  app = (await server.admin.buildApp({ fields: STEPPED as never })).sourceAppId;
  await server.admin.put(`/auth/apps/${app}/form`, STEP_SETTINGS).expect(200);
});
afterAll(closeBrowser);

it.each([
  ['en', ['Next', 'Back', 'Page 2 of 3']],
  ['de', ['Weiter', 'Zurück', 'Seite 2 von 3']],
  ['ar', ['التالي', 'السابق', 'الصفحة 2 من 3']],
])('a page of a form in %s fits a width of 375 px, and has no axe violations in both modes', async (lang, words) => {
  const [next = '', back = '', progress = ''] = words;
  const opened = await openPage(`${server.listener.url}/f/${app}?lang=${lang}&plan=pro&seats=12`, { viewport: PHONE });
  const { page, expectClean, close } = opened;
  expect(await page.evaluate('document.documentElement.dir')).toBe(lang === 'ar' ? 'rtl' : 'ltr');
  const expectFits = async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.setViewportSize(DESKTOP);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await page.setViewportSize(PHONE);
  };
  await page.getByRole('button', { name: next }).click();
  await expectFits();
  await page.locator('#email').fill('ada@example.com');
  await page.getByRole('button', { name: next }).click();
  await page.getByText(progress).waitFor();
  expect(await page.getByRole('button', { name: back }).isVisible()).toBe(true);
  await expectFits();
  expectClean();
  await close();
});

it('is filled in by keyboard alone', async () => {
  const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}`);
  const keys = async (...names: string[]) => {
    for (const name of names) await page.keyboard.press(name);
  };
  await page.getByLabel('Email').focus();
  await page.keyboard.type('ada@example.com');
  await keys('Tab', 'Space', 'ArrowDown', 'Tab');
  await page.keyboard.type('12');
  await keys('Tab', 'Enter');
  expect(await titleOf(page)).toBe('Your company');
  await keys('Tab');
  await page.keyboard.type('Engines');
  // Back comes before Next.
  await keys('Tab', 'Tab', 'Enter');
  expect(await page.locator(':focus').innerText()).toBe('Last things');
  await keys('Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Enter');
  await page.getByText('Thank you').waitFor();
  const [record] = await server.db.collection('users').find({ sourceAppId: app }).toArray();
  expect(record?.data).toEqual({ plan: 'pro', seats: 12, company: 'Engines', news: true });
  expectClean();
  await close();
});
