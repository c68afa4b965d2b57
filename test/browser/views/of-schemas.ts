import type { Page } from 'playwright-core';
import { press, type View } from './view.ts';

/** Selects a field of the form, and shows all of its properties. */
async function selectField(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await press(page, 'More options');
  const conditions = page.getByRole('button', { name: 'Conditions', expanded: false });
  if ((await conditions.count()) > 0) await conditions.click();
}

/** The schema of an app. */
export const OF_SCHEMAS: View[] = [
  {
    name: 'schema editor',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Full name/);
      await page.getByLabel('Pattern').fill('(');
      await page.getByText('1 invalid field').waitFor();
    },
  },
  {
    name: 'form to try out',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByText('Try it', { exact: true }).click();
      const form = page.getByRole('complementary', { name: 'Preview' });
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('This submission would be rejected').waitFor();
    },
  },
  {
    name: 'form with pages',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await press(page, 'Begin a new page with Plan');
      await page.getByRole('textbox', { name: 'Title of page 2' }).fill('Your plan');
      await page.getByRole('button', { name: 'Join with page 1' }).waitFor();
    },
  },
  {
    name: 'form options of a choice',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Plan /);
      await page.getByLabel('Help text', { exact: true }).fill('Why');
      await page.getByLabel('Control').selectOption('Radio buttons');
      const labels = page.getByRole('group', { name: 'Labels of the choices', exact: true });
      await labels.getByLabel('Label of free').fill('Free of charge');
      await page.getByLabel('Default value').fill('pro');
      await page.locator('[data-part]').getByText('Why').waitFor();
    },
  },
  {
    name: 'form options of a consent',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Agrees /);
      await page.getByLabel('Page with the text').fill('https://example.com/');
      await page.locator('[data-part]').getByText('example.com').waitFor();
    },
  },
  {
    name: 'field that the team sets',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Plan /);
      await page.getByRole('checkbox', { name: 'Only your team can set this' }).check();
      await page.getByLabel('Default value').fill('pro');
      await page.getByLabel('Label of pro').fill('Professional');
    },
  },
  {
    name: 'conditions of a field',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Agrees /);
      const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
      await shown.getByRole('button', { name: 'Add condition' }).click();
      await shown.getByLabel(/: Field of condition 1$/).selectOption('Plan');
      await shown.getByLabel(/: Value of condition 1$/).selectOption('pro');
      await shown.getByRole('button', { name: 'Add condition' }).click();
      await shown.getByLabel(/: Comparison of condition 2$/).selectOption('is not filled in');
      const required = page.getByRole('group', { name: 'Required only if', exact: true });
      await required.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Keep the stored value').check();
    },
  },
  {
    name: 'save dialog',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: 'Remove Plan' }).click();
      await page.getByRole('checkbox', { name: 'Reject unknown fields' }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByText('stored records would become invalid').waitFor();
    },
  },
  {
    name: 'save dialog of a rename',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await selectField(page, /^Full name/);
      await page.getByLabel('Key', { exact: true }).fill('fullName');
      await press(page, 'Review and save');
      await page.getByLabel('Keep the data').waitFor();
      await page.getByText('stored records match').waitFor();
    },
  },
  { name: 'JSON', role: 'admin', path: '/apps/APP/json', open: (page) => page.getByLabel('Schema as JSON').fill('{') },
  {
    name: 'versions',
    role: 'admin',
    path: '/apps/APP/versions',
    open: async (page) => {
      await page.getByRole('button', { name: /Version 2/ }).click();
      await page.getByText('Changes from version 1').waitFor();
    },
  },
];
