import { dialog, heading, press, type View } from './view.ts';

/** The pages of all apps, and what every page has. */
export const OF_APPS: View[] = [
  { name: 'not found', role: 'operator', path: '/none', open: heading('Page not found') },
  { name: 'apps', role: 'admin', path: '/apps', open: (page) => page.getByRole('row', { name: / 30 / }).waitFor() },
  {
    name: 'palette',
    role: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('row', { name: / 30 / }).waitFor();
      await page.keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Go to an app or a page' });
      await palette.getByRole('option', { name: 'All people Page' }).waitFor();
      await palette.getByRole('option', { name: 'other-app App' }).waitFor();
    },
  },
  {
    name: 'keyboard shortcuts',
    role: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('row', { name: / 30 / }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  { name: 'new app from a template', role: 'admin', path: '/new-form', open: heading('New app from a template') },
  {
    name: 'new app whose ID is taken',
    role: 'admin',
    path: '/new-form',
    open: async (page) => {
      await page.getByText('Contact', { exact: true }).click();
      await page.getByRole('textbox', { name: 'App ID' }).fill('other-app');
      await page.getByLabel('Email each submission to').fill('team@example.com');
      await press(page, 'Create form');
      await page.getByText('An app with this ID already exists').waitFor();
    },
  },
  {
    name: 'new form',
    role: 'admin',
    path: '/new-form?app=APP',
    open: async (page) => {
      await page.getByText('Received: user29@example.com').waitFor();
      await page.getByRole('tab', { name: 'Embed' }).click();
    },
  },
  {
    name: 'no matching apps',
    role: 'admin',
    path: '/apps?q=none',
    open: (page) => page.getByText('No apps match').waitFor(),
  },
  {
    name: 'create dialog',
    role: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create app' }).first().click();
      await dialog(page);
    },
  },
  {
    name: 'new password',
    role: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Actions for other-app' }).click();
      await page.getByRole('menuitem', { name: 'Rotate password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate password' }).click();
      await page.getByText("You won't see this again").waitFor();
    },
  },
];
