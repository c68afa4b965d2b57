// @module-tag long

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { follow } from '../support/browser/browser.ts';
import { dataUrl, png } from '../support/samples/images.ts';
import type { TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { ConnectPage } from './connect-page.ts';

const LOGO = png(40, 20, [31, 95, 214]);
const COVER = png(60, 20, [200, 120, 40]);
const KB = 1024;

let server: TestServer;
let connect: ConnectPage;
let page: Page;
withServer((started) => {
  server = started;
});
withPage(async () => {
  connect = await ConnectPage.open(server);
  return connect;
});
beforeEach(async () => {
  ({ page } = connect);
  await follow(page, 'Form');
  await follow(page, 'Design', 'Form');
  await page.locator('[data-preview]').getByText('Small').waitFor();
});

const theme = async () => (await server.admin.get(`/auth/apps/${connect.app.sourceAppId}/form`).expect(200)).body.theme;
const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
const preview = 'document.querySelector("[data-preview]")';
const css = (selector: string, name: string) =>
  page.evaluate(`getComputedStyle(${preview}.shadowRoot.querySelector("${selector}")).${name}`);
const imagesShown = () =>
  page.evaluate(
    `[...${preview}.shadowRoot.querySelectorAll('img')].map((image) => [image.className, image.alt, image.naturalWidth])`,
  );
const choose = (text: string) => page.getByRole('radiogroup', { name: 'in the preview' }).getByText(text).click();

async function save() {
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Saved. The settings apply now.').waitFor();
}

/** Chooses a file in the dialog that a button opens. */
async function upload(button: string, file: { name: string; mimeType: string; buffer: Buffer }, byKeyboard = false) {
  const dialog = page.waitForEvent('filechooser');
  const found = page.getByRole('button', { name: button });
  await (byKeyboard ? found.press('Enter') : found.click());
  await (await dialog).setFiles(file);
}
const pngFile = (buffer: Buffer) => ({ name: 'picture.png', mimeType: 'image/png', buffer });

describe('the design of a form', () => {
  it('is shown in the colors of either scheme, saved, and shown on a desktop and on a phone', async () => {
    await fill('Accent color', '#FFE600');
    await page.getByLabel('Corners', { exact: true }).selectOption('Square');
    await page.getByLabel('Font', { exact: true }).selectOption('Serif');
    await choose('Dark');
    await expect.poll(() => css('button', 'backgroundColor')).toBe('rgb(255, 230, 0)');
    expect(await css('main', 'backgroundColor')).toBe('rgb(26, 29, 35)');
    expect(await css('button', 'borderRadius')).toBe('0px');
    expect(await css('main', 'fontFamily')).toContain('Georgia');
    await choose('Light');
    await expect.poll(() => css('button', 'backgroundColor')).not.toBe('rgb(255, 230, 0)');
    expect(await css('main', 'backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByLabel('Choose the accent color').fill('#00aa55');
    await save();
    expect(await theme()).toEqual({ accent: '#00aa55', font: 'serif', corners: 'square' });
    await fill('Accent color', 'green');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Must be a color such as #1f5fd6').waitFor();
    await fill('Accent color', '');
    await page.getByLabel('Corners', { exact: true }).selectOption('Standard');
    await page.getByLabel('Font', { exact: true }).selectOption('Standard');
    await save();
    expect(await theme()).toBeUndefined();

    const width = () => page.evaluate(`${preview}.shadowRoot.querySelector('main').clientWidth`);
    expect(Number(await width())).toBeGreaterThan(450);
    await choose('Phone');
    await expect.poll(width).toBeLessThanOrEqual(375);
    await page.getByText('Thank-you page', { exact: true }).click();
    await page.locator('[data-preview]').getByText('Thank you').first().waitFor();
  });

  it('has a logo and a cover, chosen as files, by keyboard too', async () => {
    await upload('Choose a logo', pngFile(LOGO), true);
    await fill('What the logo says', 'Ada & Co');
    await upload('Choose a cover picture', pngFile(COVER));
    await expect.poll(imagesShown).toEqual([
      ['cover', '', 60],
      ['logo', 'Ada & Co', 40],
    ]);
    await save();
    expect(await theme()).toEqual({ logo: dataUrl('png', LOGO), logoAlt: 'Ada & Co', cover: dataUrl('png', COVER) });
    // Another tab of the page has them too, and keeps them when it is saved.
    await follow(page, 'Texts', 'Form');
    await fill('Title', 'Join us');
    await expect.poll(imagesShown).toHaveLength(2);
    await save();
    expect(await theme()).toHaveProperty('logo', dataUrl('png', LOGO));
    await follow(page, 'Design', 'Form');
    await upload('Choose another logo', pngFile(COVER));
    await page.getByRole('button', { name: 'Remove the cover picture' }).press('Enter');
    await save();
    expect(await theme()).toEqual({ logo: dataUrl('png', COVER), logoAlt: 'Ada & Co' });
  });

  it('refuses a file that is too large, with its size, and one that is no picture', async () => {
    await upload('Choose a logo', pngFile(png(1, 1, [1, 2, 3], 150 * KB)));
    await page.getByRole('alert').getByText('This file has 150 kB. It may have at most 100 kB').waitFor();
    await upload('Choose a cover picture', { name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByRole('alert').getByText('This file is not a PNG, JPEG or WebP picture').waitFor();
    expect(await imagesShown()).toEqual([]);
    expect(await page.getByText('No changes').count()).toBe(1);
    // The service looks at the bytes.
    await upload('Choose a logo', pngFile(Buffer.from('no picture')));
    await page.getByText('This file has 150 kB').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Must be a PNG, JPEG or WebP image as a data URL').waitFor();
    await upload('Choose another logo', pngFile(png(1, 1, [1, 2, 3], 100 * KB)));
    await save();
    expect((await theme()).logo).toHaveLength(Math.ceil((100 * KB) / 3) * 4 + 'data:image/png;base64,'.length);
  });
});
