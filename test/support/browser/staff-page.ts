import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { axeViolationsInBothModes } from './axe.ts';
import { openPage, type Visit } from './browser.ts';

const PHONE = { width: 375, height: 740 };
const DESKTOP = { width: 1280, height: 720 };

/**
 * Registers the hooks that open an empty page without a session for each test, and fail if the test
 * caused errors in it.
 *
 * @param origins returns the only origins from which the page may request something
 * @param opened is called with the page of each test
 */
export function withStaffPage(origins: () => readonly string[], opened: (page: Page) => void) {
  let visit: Visit;
  beforeEach(async () => {
    visit = await openPage('about:blank', { origins: origins() });
    opened(visit.page);
  });
  afterEach(async () => {
    visit.expectClean();
    await visit.close();
  });
  return staffPage(() => visit.page);
}

/** What tests of the dashboard do with the page that `current` returns at that time. */
function staffPage(current: () => Page) {
  return {
    button: (name: string): Locator => current().getByRole('button', { name, exact: true }),

    /** Resolves when the page has this title. */
    heading: (name: string | RegExp): Promise<void> => current().getByRole('heading', { level: 1, name }).waitFor(),

    /** Checks that the page fits a phone, and has no serious violation in light and in dark. */
    async expectAccessible(): Promise<void> {
      const page = current();
      await page.setViewportSize(PHONE);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
      expect(await axeViolationsInBothModes(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(DESKTOP);
    },
  };
}
