import type { Page } from 'playwright-core';

/** A page or dialog of the dashboard, and how one gets there. */
export interface View {
  name: string;
  of: 'nobody' | 'operator' | 'admin';
  /** `APP` stands for the app that the test made. */
  path: string;
  /** What to do on the page first; it ends when the page is ready. */
  open: (page: Page) => Promise<unknown>;
}

export const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
export const dialog = (page: Page) => page.getByRole('dialog').waitFor();

export const VIEWS: View[] = [
  { name: 'log-in', of: 'nobody', path: '/', open: (page) => page.getByLabel('App id').waitFor() },
  { name: 'users', of: 'operator', path: '/users', open: (page) => page.getByText('1–30 of 30').waitFor() },
  {
    name: 'no match',
    of: 'operator',
    path: '/users?search=none',
    open: (page) => page.getByText('No user matches').waitFor(),
  },
  {
    name: 'record',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'erasing',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Erase this person' }).click();
      await dialog(page);
    },
  },
  {
    name: 'choosing columns',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Updated' }).waitFor();
    },
  },
  {
    name: 'exporting',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByText('1–30 of 30').waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: /^CSV/ }).waitFor();
    },
  },
  {
    name: 'filtering',
    of: 'operator',
    path: '/users?field=plan&value=pro&sort=email&order=asc',
    open: (page) => page.getByLabel('Plan is').waitFor(),
  },
  { name: 'connect', of: 'operator', path: '/connect', open: (page) => page.getByText('x-app-id').first().waitFor() },
  { name: 'not found', of: 'operator', path: '/none', open: heading('Page not found') },
  { name: 'apps', of: 'admin', path: '/apps', open: (page) => page.getByRole('row', { name: /user 30/ }).waitFor() },
  {
    name: 'creating an app',
    of: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create an app' }).first().click();
      await dialog(page);
    },
  },
  {
    name: 'a new password',
    of: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Actions for app-2' }).click();
      await page.getByRole('menuitem', { name: 'New password' }).click();
      await page.getByRole('button', { name: 'Make a new password' }).click();
      await page.getByText('It is not shown again').waitFor();
    },
  },
  {
    name: 'a record of some app',
    of: 'admin',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'user29@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'a session that ended',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.context().clearCookies();
      await page.getByRole('columnheader', { name: 'Plan' }).getByRole('button').click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  { name: 'all users', of: 'admin', path: '/users', open: (page) => page.getByText('user29@example.com').waitFor() },
  {
    name: 'schema editor',
    of: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Full name/ }).click();
      await page.getByLabel('Pattern').fill('(');
      await page.getByText('1 field to mend').waitFor();
      await page.getByRole('button', { name: 'Check' }).click();
    },
  },
  {
    name: 'reviewing changes',
    of: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: 'Remove Plan' }).click();
      await page.getByRole('checkbox', { name: /^Refuse data/ }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByText('would not pass').waitFor();
    },
  },
  { name: 'JSON', of: 'admin', path: '/apps/APP/json', open: (page) => page.getByLabel('Schema as JSON').fill('{') },
  {
    name: 'versions',
    of: 'admin',
    path: '/apps/APP/versions',
    open: async (page) => {
      await page.getByRole('button', { name: /Version 2/ }).click();
      await page.getByText('What it changed').waitFor();
    },
  },
];
