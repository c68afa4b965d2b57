import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.mjs';
import type { TestServer } from './server.ts';

/** What Chromium itself notes when an API answers with a refusal; the page shows those to the person. */
const NOTE_OF_REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;
const WAIT_MS = 15_000;

/** A page in a browser of its own profile, with all that went wrong in it. */
export interface Visit {
  page: Page;
  /** Fails when the page asked another origin for anything, broke its policy, or left an error in the console. */
  expectClean(): void;
  close(): Promise<void>;
}

let browser: Browser | undefined;

/** Closes the browser of this test file. */
export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

/**
 * Opens a page of the dashboard in a fresh profile. All visits of one test file share one browser.
 *
 * @param origin by which the browser knows the server
 */
export async function visit(
  { listener }: TestServer,
  path = '/',
  options: BrowserContextOptions = {},
  origin = listener.url,
): Promise<Visit> {
  browser ??= await launchChromium();
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !NOTE_OF_REFUSAL.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(`${origin}/dashboard${path}`);
  return {
    page,
    expectClean: () => expect(complaints).toEqual([]),
    close: () => context.close(),
  };
}

/** Fills in the log-in form and waits for the pages behind it. */
export async function logIn(page: Page, app: { sourceAppId: string; password: string }): Promise<void> {
  await page.getByLabel('App ID').fill(app.sourceAppId);
  await page.getByRole('textbox', { name: 'Password' }).fill(app.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
}

/** The texts of a table's cells, row by row, without its head. */
export async function tableRows(page: Page, name: string): Promise<string[][]> {
  const rows = page.getByRole('region', { name }).locator('tbody tr');
  return Promise.all((await rows.all()).map((row) => row.locator('td').allInnerTexts()));
}
