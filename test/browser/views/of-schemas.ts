import { press, type View } from './view.ts';

/** The schema of an app. */
export const OF_SCHEMAS: View[] = [
  {
    name: 'schema editor',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Full name/ }).click();
      await page.getByLabel('Pattern').fill('(');
      await page.getByText('1 invalid field').waitFor();
      await page.getByRole('button', { name: 'Check' }).click();
    },
  },
  {
    name: 'form options of a choice',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Plan / }).click();
      await press(page, 'Form');
      await page.getByLabel('Help text', { exact: true }).fill('Why');
      await page.getByLabel('Control').selectOption('Radio buttons');
      const labels = page.getByRole('group', { name: 'Labels of the choices', exact: true });
      await labels.getByLabel('Label of free').fill('Free of charge');
      await page.getByLabel('Default value').fill('pro');
      await page.getByRole('complementary', { name: 'Preview' }).getByText('Why').waitFor();
    },
  },
  {
    name: 'form options of a consent',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Agrees / }).click();
      await press(page, 'Form');
      await page.getByLabel('Page with the text').fill('https://example.com/');
      await page.getByRole('complementary', { name: 'Preview' }).getByRole('link').waitFor();
    },
  },
  {
    name: 'field that the team sets',
    role: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Plan / }).click();
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
      await page.getByRole('button', { name: /^Agrees / }).click();
      const shown = page.getByRole('group', { name: 'Shown only if', exact: true });
      await shown.getByRole('button', { name: 'Add condition' }).click();
      await shown.getByLabel(/: Field of condition 1$/).selectOption('Plan');
      await shown.getByLabel(/: Value of condition 1$/).selectOption('pro');
      await shown.getByRole('button', { name: 'Add condition' }).click();
      await shown.getByLabel(/: Comparison of condition 2$/).selectOption('is not filled in');
      const required = page.getByRole('group', { name: 'Required only if', exact: true });
      await required.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Keep the stored value').check();
      await page.getByLabel('Page of the form').fill('2');
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
      await page.getByRole('button', { name: /^Full name/ }).click();
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
