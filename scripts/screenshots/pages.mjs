import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/** Each page in light and dark at the width of a desk, and once at that of a phone. */
export async function takePictures(browser, { url, operator, admin }, folder, say) {
  await mkdir(folder, { recursive: true });
  for (const [look, viewport, colorScheme] of [
    ['light', DESK, 'light'],
    ['dark', DESK, 'dark'],
    ['phone', PHONE, 'light'],
  ]) {
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const picture = async (name) => {
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      say(`${name}-${look}.png`);
    };
    await page.goto(`${url}/dashboard/`);
    await page.getByLabel('App id').waitFor();
    await picture('log-in');
    await operatorPages(page, operator, picture);
    await logOut(page);
    await adminPages(page, admin, picture);
    await context.close();
  }
}

async function operatorPages(page, operator, picture) {
  await logIn(page, operator);
  await page
    .getByRole('link', { name: /@example.com/ })
    .first()
    .waitFor();
  await picture('users');
  await page.getByLabel('Search by email').fill('dijkstra');
  await page.getByText('1–9 of 9').waitFor();
  await page.getByRole('link', { name: 'edsger.dijkstra' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'edsger.dijkstra' }).waitFor();
  await picture('record');
  await page.getByRole('link', { name: 'Connect' }).click();
  await page.getByText('curl').first().waitFor();
  await picture('connect');
}

async function adminPages(page, admin, picture) {
  await logIn(page, admin);
  await page.getByRole('link', { name: 'newsletter' }).waitFor();
  await picture('apps');
  await page.getByRole('link', { name: 'All users' }).click();
  await page.getByText('guest1@example.org').waitFor();
  await picture('all-users');
  await page.getByRole('link', { name: 'Apps' }).click();
  await page.getByRole('link', { name: 'newsletter' }).click();
  await page.getByRole('button', { name: /Plan/, expanded: false }).click();
  await picture('schema-editor');
  await page.getByRole('checkbox', { name: 'Required' }).uncheck();
  await page.getByRole('button', { name: 'Duplicate City' }).click();
  await page.getByRole('button', { name: /^Seats/ }).click();
  await page.getByLabel('Max value').fill('50');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText(/would pass|would not pass/).waitFor();
  await picture('schema-changes');
  await page.getByRole('button', { name: 'Go on editing' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: /Version 3/ }).click();
  await page.getByText('What it changed').waitFor();
  await picture('versions');
}

async function logIn(page, { sourceAppId, password }) {
  await page.getByLabel('App id').fill(sourceAppId);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}

async function logOut(page) {
  await page.getByRole('banner').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
}
