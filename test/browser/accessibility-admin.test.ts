// @module-tag long
// @module-tag fault

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import type { TestServer } from '../support/server/server.ts';
import { type AppOfViews, testViews, withAppOfViews } from './accessible-views.ts';
import { dialog, heading } from './views/view.ts';

let server: TestServer;
let app: TestApp;
let on: AppOfViews;
withAppOfViews((...started) => {
  [server, app, on] = started;
});

describe('every page of an administrator', () => testViews('admin', () => on));

describe('the navigation of an operator', () => {
  it.each([320, 375, 700, 1000])('leads to every section at a width of %i px', async (width) => {
    const { page, close } = await visitAs(server, app, '/users', { viewport: { width, height: 740 } });
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    await navigation.getByRole('link', { name: 'Held (2)' }).waitFor();
    await page.getByText('1–30 of 30').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const isPhone = width <= 900;
    const links = navigation.getByRole('link').filter({ visible: true });
    if (isPhone) {
      // A bar at the bottom has the first ones, and a button opens all.
      expect(await links.count()).toBe(4);
      const more = navigation.getByRole('button', { name: 'More' });
      expect(await more.getAttribute('aria-expanded')).toBe('false');
      await more.click();
      expect(await more.getAttribute('aria-expanded')).toBe('true');
    }
    const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()));
    expect(boxes).toHaveLength(9);
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(740);
      // The least size of a target (WCAG 2.5.8).
      expect(box?.height).toBeGreaterThanOrEqual(24);
    }
    if (isPhone) {
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await expect.poll(() => links.count()).toBe(4);
    }
    await close();
  });

  it('leaves room for the first row on a phone', async () => {
    const own = await server.admin.buildApp();
    await server.client.submit(own.sourceAppId, { email: 'ada@example.com' }).expect(200);
    const { page, close } = await visitAs(server, own, '/users', { viewport: { width: 375, height: 812 } });
    const row = page.getByRole('row', { name: /ada@example.com/ });
    await row.waitFor();
    await page.getByText('1 person', { exact: true }).waitFor();
    expect((await row.boundingBox())?.y).toBeLessThanOrEqual(240);
    await close();
  });
});

describe('with the keyboard only', () => {
  it('an operator logs in, finds a person and opens the record', async () => {
    const { page, close, expectClean } = await visit(server, '/');
    // With accounts, the page begins with the email.
    await page.getByRole('textbox', { name: 'Email' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowLeft');
    await page.getByLabel('App ID').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(app.sourceAppId);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.password);
    await page.keyboard.press('Enter');
    await page.getByText('1–30 of 30').waitFor();
    await tabTo(page, 'Search all data');
    await page.keyboard.type('user12');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await tabTo(page, 'user12@example.com');
    await page.keyboard.press('Enter');
    await heading('user12@example.com')(page);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'Erase person');
    await page.keyboard.press('Enter');
    await dialog(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Erase person');
    expectClean();
    await close();
  });
});

const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") || document.activeElement.innerText.trim()',
  ) as Promise<string>;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}
