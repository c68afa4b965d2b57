import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  const ends = { min: 'Not likely', max: 'Very likely' };
  const fields = [
    { key: 'rating', label: 'Rating', kind: 'number', ui: 'stars', min: 1, max: 5 },
    {
      key: 'likely',
      label: 'Likely',
      kind: 'number',
      ui: 'scale',
      min: 0,
      max: 10,
      required: true,
      ends,
      endsByLanguage: { de: { min: 'Unwahrscheinlich' } },
    },
    { key: 'at', label: 'Time', kind: 'text', ui: 'time' },
  ];
  app = (await server.admin.buildApp({ fields: fields as never })).sourceAppId;
  await server.admin.put(`/auth/apps/${app}/form`, { languages: ['de'] }).expect(200);
});
afterAll(closeBrowser);

const ONE_STOP = 'document.activeElement.name';

describe.each([true, false])('stars and scales (JavaScript: %s)', (javaScriptEnabled) => {
  const open = (query = '') => openPage(`${server.listener.url}/f/${app}${query}`, { javaScriptEnabled });

  it('are radio buttons with one tab stop each, whose optional answer can be taken back', async () => {
    const { page, expectClean, close } = await open();
    await page.getByLabel('Email').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(ONE_STOP)).toBe('data[rating]');
    const none = page.getByText('No answer');
    expect(await none.isVisible()).toBe(false);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByLabel('3 stars').isChecked()).toBe(true);
    await none.click();
    expect(await page.getByLabel('3 stars').isChecked()).toBe(false);
    expect(await page.getByRole('group', { name: 'Likely' }).getByText('No answer').count()).toBe(0);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(ONE_STOP)).toBe('data[likely]');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(ONE_STOP)).toBe('data[at]');
    expectClean();
    await close();
  });

  it('show their ends in the language of the form, with the first and the last value', async () => {
    const { page, close } = await open('?lang=de');
    const first = page.getByRole('radio', { name: '0', exact: true });
    expect(await page.locator(`[id="${await first.getAttribute('aria-describedby')}"]`).innerText()).toBe(
      'Unwahrscheinlich',
    );
    const last = page.getByRole('radio', { name: '10', exact: true });
    expect(await page.locator(`[id="${await last.getAttribute('aria-describedby')}"]`).innerText()).toBe('Very likely');
    await page.getByRole('radio', { name: '1 Stern' }).waitFor({ state: 'attached' });
    await close();
  });

  it('store numbers, and times as HH:MM', async () => {
    const email = `${javaScriptEnabled}@example.com`;
    const { page, close } = await open();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('2 stars').check({ force: true });
    await page.getByLabel('7').check();
    await page.getByLabel('Time').fill('08:05');
    await page.getByRole('button').click();
    await page.getByText('Your entries are stored').waitFor();
    const record = await server.db.collection('users').findOne({ sourceAppId: app, email });
    expect(record?.data).toEqual({ rating: 2, likely: 7, at: '08:05' });
    await close();
  });
});
