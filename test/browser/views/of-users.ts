import { press, type View } from './view.ts';

/** The list of users and what it offers. */
export const OF_USERS: View[] = [
  {
    name: 'users',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByText('1–30 of 30').waitFor();
      await page.getByRole('region', { name: 'Statistics' }).getByRole('figure').waitFor();
    },
  },
  {
    name: 'no matching people',
    role: 'operator',
    path: '/users?q=none',
    open: (page) => page.getByText('No people match').waitFor(),
  },
  {
    name: 'column chooser',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Updated' }).waitFor();
    },
  },
  {
    name: 'export menu',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByText('1–30 of 30').waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV for spreadsheets' }).waitFor();
    },
  },
  {
    name: 'filtered people',
    role: 'operator',
    path: '/users?where=data.plan:eq:pro&sort=email&order=asc',
    open: (page) => page.getByRole('button', { name: 'Plan is pro', exact: true }).waitFor(),
  },
  {
    name: 'several filters',
    role: 'operator',
    path: '/users?q=name&where=data.plan:eq:pro&where=createdAt:gte:2020-01-31&where=data.name:empty:false',
    open: (page) => page.getByText('30 matching people', { exact: true }).waitFor(),
  },
  {
    name: 'filter form',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByRole('dialog').getByLabel('Field').selectOption('Plan');
      await page.getByLabel('Condition').selectOption('is one of');
      await page.getByRole('checkbox', { name: 'free' }).check();
    },
  },
  {
    name: 'erasure of many',
    role: 'operator',
    path: '/users?q=user7',
    open: async (page) => {
      await page.getByRole('button', { name: 'Erase matching people' }).click();
      await page.getByLabel('Number of people').fill('1');
    },
  },
  {
    name: 'refused filter',
    role: 'operator',
    path: '/users?where=data.name:gte:1',
    open: (page) => page.getByText('Could not load the data').waitFor(),
  },
  {
    name: 'link with parts left out',
    role: 'operator',
    path: '/users?where=data.gone:eq:x&sort=data.gone&columns=email,data.gone&by=data.gone',
    open: async (page) => {
      const note = page.getByRole('status').filter({ hasText: 'Parts of this link were left out' });
      await note.getByRole('listitem').nth(3).waitFor();
    },
  },
  {
    name: 'selected people',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('checkbox', { name: 'Select user3@example.com' }).check();
      await page.getByRole('button', { name: 'Export selected' }).waitFor();
    },
  },
  {
    name: 'change of many people',
    role: 'operator',
    path: '/users?where=data.plan:eq:pro',
    open: async (page) => {
      await press(page, 'Change a field');
      const form = page.getByRole('dialog', { name: 'Change a field of many people' });
      await form.getByLabel('Field').selectOption('Plan');
      await form.getByLabel('New value').selectOption('free');
      await form.getByText('and 20 more').waitFor();
    },
  },
  {
    name: 'recent changes of many people',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByText('Recent bulk changes').click();
      await page.getByRole('group').getByRole('listitem').getByRole('button', { name: 'Undo' }).waitFor();
    },
  },
  {
    name: 'breakdown by values',
    role: 'operator',
    path: '/users?by=data.plan',
    open: (page) => page.getByRole('button', { name: /^pro 30 100%/ }).waitFor(),
  },
  {
    name: 'breakdown by ranges',
    role: 'operator',
    path: '/users?by=createdAt&where=data.plan:eq:pro',
    open: (page) => page.getByRole('region', { name: 'Breakdown by Created' }).getByRole('figure').waitFor(),
  },
  {
    name: 'saved views',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('Save this view as').fill('Everyone who pays, by the time of their creation');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name: /^Everyone who pays/ }).waitFor();
    },
  },
  {
    name: 'table in which values are changed',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Edit in table' }).click();
      await page.getByRole('button', { name: /edit Plan of user29@example.com/ }).waitFor();
    },
  },
  {
    name: 'people of any app',
    role: 'admin',
    path: '/apps/APP/users',
    open: (page) => page.getByText('1–30 of 30').waitFor(),
  },
  {
    name: 'people of an app without any',
    role: 'admin',
    path: '/apps/other-app/users',
    open: (page) => page.getByText('No people yet').waitFor(),
  },
  {
    name: 'search of all people',
    role: 'admin',
    path: '/users?q=nobody',
    open: (page) => page.getByText('No people match').waitFor(),
  },
  { name: 'all people', role: 'admin', path: '/users', open: (page) => page.getByText('user29@example.com').waitFor() },
  {
    name: 'ended session',
    role: 'operator',
    path: '/users',
    endsSession: true,
    open: async (page) => {
      await page.context().clearCookies();
      await page.getByRole('columnheader', { name: 'Plan' }).getByRole('button').click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
];
