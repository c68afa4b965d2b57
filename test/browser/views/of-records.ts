import { dialog, heading, type View } from './view.ts';

/** Records, their files and history, and the data of persons. */
export const OF_RECORDS: View[] = [
  {
    name: 'record',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'history of a record',
    role: 'operator',
    path: '/users?q=user5',
    open: async (page) => {
      await page.getByRole('link', { name: 'user5@example.com' }).click();
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Deleted API key', { exact: true }).waitFor();
      await history.getByRole('button', { name: 'Undo change 1' }).waitFor();
    },
  },
  {
    name: 'files of a record',
    role: 'operator',
    path: '/users?q=user6',
    open: async (page) => {
      await page.getByRole('link', { name: 'user6@example.com' }).click();
      await page.getByRole('link', { name: 'photo.png' }).waitFor();
      await page.getByRole('button', { name: 'Add a file to Documents' }).waitFor();
    },
  },
  {
    name: 'erase dialog',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Erase person' }).click();
      await dialog(page);
    },
  },
  {
    name: 'edit dialog',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Full name').fill('lower case');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/match/).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('Discard what you changed?').waitFor();
    },
  },
  {
    name: 'record of another app',
    role: 'admin',
    path: '/users?q=user29',
    open: async (page) => {
      await page.getByRole('link', { name: 'user29@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'search for a person',
    role: 'admin',
    path: '/privacy',
    open: heading('Privacy'),
  },
  {
    name: 'data of a person',
    role: 'operator',
    path: '/privacy',
    open: async (page) => {
      await page.getByLabel('Email, or a part of it').fill('user5@');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('button', { name: 'Show data of user5@example.com' }).click();
      await page.getByText('Saved view that names the person').waitFor();
      await page.getByText('Change of many records').waitFor();
      await page.getByText('Held submission in').waitFor();
    },
  },
  {
    name: 'erasure of a person',
    role: 'admin',
    path: '/privacy',
    open: async (page) => {
      await page.getByLabel('Email, or a part of it').fill('user7@example.com');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('button', { name: 'Show data of user7@example.com' }).click();
      await page.getByRole('button', { name: 'Erase in all apps' }).click();
      await page.getByRole('checkbox', { name: 'No import may bring the person back' }).check();
    },
  },
  {
    name: 'retention',
    role: 'admin',
    path: '/apps/APP/privacy',
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Erase people automatically' }).check();
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Nobody has reached this age yet.').waitFor();
    },
  },
];
