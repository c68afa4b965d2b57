import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolationsInBothModes } from './axe.ts';

const PHONE = { width: 375, height: 740 };
const DESKTOP = { width: 1280, height: 720 };

/** What tests of the dashboard do with the page that `current` returns at that time. */
export function staffPage(current: () => Page) {
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
