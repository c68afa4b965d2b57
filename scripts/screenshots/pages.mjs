import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORM_TO_IMPORT } from './sample-data.mjs';

const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/** Takes a screenshot of each page: on a desktop in light and in dark mode, and on a phone. */
export async function takeScreenshots(browser, { url, operator, admin }, folder, say) {
  await mkdir(folder, { recursive: true });
  for (const [variant, viewport, colorScheme] of [
    ['light', DESKTOP, 'light'],
    ['dark', DESKTOP, 'dark'],
    ['phone', PHONE, 'light'],
  ]) {
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const capture = async (name) => {
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(folder, `${name}-${variant}.png`) });
      say(`${name}-${variant}.png`);
    };
    await page.goto(`${url}/f/survey`);
    await page.getByText('Drop files here').waitFor();
    await writeFile(join(folder, `form-${variant}.webp`), await wholePage(page));
    say(`form-${variant}.webp`);
    await page.goto(`${url}/dashboard/`);
    await page.getByLabel('App ID').waitFor();
    await capture('log-in');
    await operatorPages(page, operator, capture);
    await logOut(page);
    await adminPages(page, admin, capture);
    await context.close();
  }
}

/** Resolves with a picture of a whole page, in half the bytes of a PNG. */
async function wholePage(page) {
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: Math.min(width, 800), height });
  const png = await page.screenshot({ fullPage: true });
  await page.setViewportSize({ width, height });
  const bytes = await page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
    return [...new Uint8Array(await webp.arrayBuffer())];
  }, png.toString('base64'));
  return Buffer.from(bytes);
}

async function operatorPages(page, operator, capture) {
  await logIn(page, operator);
  const go = goWithin(page, `/dashboard/apps/${operator.sourceAppId}`);
  await go('/overview');
  await page.getByText('Needs attention').waitFor();
  await capture('overview');
  await go('/users');
  await page
    .getByRole('link', { name: /@example.com/ })
    .first()
    .waitFor();
  await capture('users');
  await page.getByLabel('Break down by').selectOption('City');
  await page.getByRole('region', { name: 'Breakdown by City' }).getByRole('listitem').first().waitFor();
  await capture('users-breakdown');
  await go('/users?q=dijkstra');
  await page.getByText('1–9 of 9').waitFor();
  await page.getByRole('link', { name: 'edsger.dijkstra' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'edsger.dijkstra' }).waitFor();
  await capture('record');
  await go('/privacy');
  await page.getByLabel('Email, or a part of it').fill('dijkstra2');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('button', { name: /^Show data of/ }).click();
  await page.getByText('Record in').waitFor();
  await capture('privacy');
  await go('/share');
  await page.getByRole('button', { name: /^Allow https/ }).waitFor();
  await capture('share');
  await go('/share/import');
  await page.getByLabel('HTML of your form').fill(FORM_TO_IMPORT);
  await page.getByText('This is a form for Formspree').waitFor();
  await capture('share-import');
  // What was typed is not saved.
  page.once('dialog', (dialog) => void dialog.accept());
  await go('/settings');
  await page.getByLabel('Bot protection').waitFor();
  await capture('settings');
  await go('/form/design');
  await page.getByText('Join the newsletter').first().waitFor();
  await capture('form-design');
  await go('/held');
  await page.getByRole('row', { name: /winner@example.com/ }).waitFor();
  await capture('held');
  await go('/audit');
  await page
    .getByRole('row', { name: /Form settings changed/ })
    .getByRole('button')
    .click();
  await capture('audit');
}

async function adminPages(page, admin, capture) {
  await logIn(page, admin);
  const go = goWithin(page, '/dashboard');
  await go('/apps');
  await page.getByRole('link', { name: 'newsletter' }).waitFor();
  await capture('apps');
  await go('/users');
  await page.getByText('guest1@example.org').waitFor();
  await capture('all-users');
  await go('/apps/newsletter/form');
  await page.getByRole('button', { name: /Plan/, expanded: false }).click();
  await capture('form-editor');
  await page.getByRole('checkbox', { name: 'Required' }).uncheck();
  await page.getByRole('button', { name: 'Duplicate City' }).click();
  await page.getByRole('button', { name: /^Seats/ }).click();
  await page.getByRole('button', { name: 'More options' }).click();
  await page.getByLabel('Max value').fill('50');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('would become invalid').waitFor();
  await capture('schema-changes');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await go('/apps/newsletter/form/versions');
  await page.getByRole('button', { name: /Version 3/ }).click();
  await page.getByText('Changes from version 2').waitFor();
  await capture('versions');
}

/** Returns what opens a page by its address, which is the same on a desktop and on a phone. */
const goWithin = (page, base) => (path) => page.goto(new URL(base + path, page.url()).href);

async function logIn(page, { sourceAppId, password }) {
  await page.getByLabel('App ID').fill(sourceAppId);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
}

async function logOut(page) {
  await page.context().clearCookies();
  await page.goto(new URL('/dashboard/', page.url()).href);
  await page.getByLabel('App ID').waitFor();
}
