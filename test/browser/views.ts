import type { Page } from 'playwright-core';

/** A page or dialog of the dashboard and the steps to open it. */
export interface View {
  name: string;
  role: 'anonymous' | 'operator' | 'admin';
  /** `APP` is replaced with the id of the app under test. */
  path: string;
  /** Opens the view. Resolves when it is ready. */
  open: (page: Page) => Promise<unknown>;
  /** Whether the session has ended afterwards. */
  endsSession?: boolean;
}

export const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
export const dialog = (page: Page) => page.getByRole('dialog').waitFor();

export const VIEWS: View[] = [
  {
    name: 'login',
    role: 'anonymous',
    path: '/',
    open: async (page) => {
      await page.getByRole('tab', { name: 'By app' }).click();
      await page.getByLabel('App ID').waitFor();
    },
  },
  { name: 'users', role: 'operator', path: '/users', open: (page) => page.getByText('1–30 of 30').waitFor() },
  {
    name: 'no matching users',
    role: 'operator',
    path: '/users?q=none',
    open: (page) => page.getByText('No users match').waitFor(),
  },
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
    name: 'erase dialog',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Erase user' }).click();
      await dialog(page);
    },
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
    name: 'filtered users',
    role: 'operator',
    path: '/users?where=data.plan:eq:pro&sort=email&order=asc',
    open: (page) => page.getByRole('button', { name: 'Plan is pro', exact: true }).waitFor(),
  },
  {
    name: 'several filters',
    role: 'operator',
    path: '/users?q=name&where=data.plan:eq:pro&where=createdAt:gte:2020-01-31&where=data.name:empty:false',
    open: (page) => page.getByText('30 matching users', { exact: true }).waitFor(),
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
      await page.getByRole('button', { name: 'Erase matching users' }).click();
      await page.getByLabel('Number of users').fill('1');
    },
  },
  {
    name: 'refused filter',
    role: 'operator',
    path: '/users?where=data.name:gte:1',
    open: (page) => page.getByText('Could not load the data').waitFor(),
  },
  {
    name: 'users of any app',
    role: 'admin',
    path: '/apps/APP/users',
    open: (page) => page.getByText('1–30 of 30').waitFor(),
  },
  {
    name: 'held submissions of any app',
    role: 'admin',
    path: '/apps/APP/held',
    open: (page) => page.getByRole('row', { name: /bot@example.com/ }).waitFor(),
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
      await page.getByRole('list', { name: 'My views' }).waitFor();
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
    name: 'edit dialog',
    role: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Full name').fill('lower case');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/match/).waitFor();
    },
  },
  {
    name: 'data of a person',
    role: 'operator',
    path: '/privacy',
    open: async (page) => {
      await page.getByLabel('Email, or a part of it').fill('user7@');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('button', { name: 'Show data of user7@example.com' }).click();
      await page.getByText('Record in').waitFor();
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
      await page.getByRole('checkbox', { name: 'Erase users automatically' }).check();
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('No user has reached this age yet.').waitFor();
    },
  },
  {
    name: 'search of all users',
    role: 'admin',
    path: '/users?q=nobody',
    open: (page) => page.getByText('No users match').waitFor(),
  },
  {
    name: 'connect',
    role: 'operator',
    path: '/connect',
    open: (page) => page.getByRole('button', { name: 'Allow https://www.example.com' }).waitFor(),
  },
  {
    name: 'form settings',
    role: 'operator',
    path: '/connect/settings',
    open: async (page) => {
      await page.getByLabel('Page after the form').fill('http://example.com');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('1 invalid setting').waitFor();
    },
  },
  {
    name: 'design of a form',
    role: 'operator',
    path: '/connect/design',
    open: async (page) => {
      await page.getByLabel('Accent color', { exact: true }).fill('green');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('Must be a color such as #1f5fd6').waitFor();
    },
  },
  {
    name: 'import of a form',
    role: 'operator',
    path: '/connect/import',
    open: async (page) => {
      await page
        .getByLabel('HTML of your form')
        .fill('<form><input name="first-name" required><input type="file" name="cv"><input name="_subject"></form>');
      await page.getByText('Send them this text').waitFor();
    },
  },
  {
    name: 'import of users',
    role: 'operator',
    path: '/import',
    open: async (page) => {
      const buffer = Buffer.from('Mail;Full name;Other\nada@example.com;Ada;x\nnobody;Bob;y\n');
      await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('Line 3: Mail must be an email address').first().waitFor();
    },
  },
  {
    name: 'held submissions',
    role: 'operator',
    path: '/held',
    open: (page) => page.getByRole('row', { name: /bot@example.com/ }).waitFor(),
  },
  {
    name: 'delete dialog',
    role: 'operator',
    path: '/held',
    open: async (page) => {
      await page.getByRole('button', { name: 'Delete bot@example.com' }).click();
      await dialog(page);
    },
  },
  {
    name: 'API keys',
    role: 'operator',
    path: '/keys',
    open: (page) => page.getByRole('row', { name: /Nightly export/ }).waitFor(),
  },
  {
    name: 'new API key',
    role: 'operator',
    path: '/keys',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByLabel('Name').fill('Import');
      await page.getByRole('checkbox', { name: 'Import' }).check();
      await page.getByLabel('Networks').fill('none');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('Each entry must be').waitFor();
    },
  },
  {
    name: 'delete dialog of a key',
    role: 'operator',
    path: '/keys',
    open: async (page) => {
      await page.getByRole('button', { name: 'Delete Nightly export' }).click();
      await dialog(page);
    },
  },
  {
    name: 'audit log',
    role: 'operator',
    path: '/audit',
    open: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  {
    name: 'audit log of an administrator',
    role: 'admin',
    path: '/audit',
    open: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  {
    name: 'no matching events',
    role: 'admin',
    path: '/audit?sourceAppId=none',
    open: (page) => page.getByText('No events match').waitFor(),
  },
  { name: 'not found', role: 'operator', path: '/none', open: heading('Page not found') },
  { name: 'apps', role: 'admin', path: '/apps', open: (page) => page.getByRole('row', { name: /user 30/ }).waitFor() },
  { name: 'new app from a template', role: 'admin', path: '/new-form', open: heading('New app from a template') },
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
      await page.getByRole('button', { name: 'Rotate password' }).click();
      await page.getByText("You won't see this again").waitFor();
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
  { name: 'all users', role: 'admin', path: '/users', open: (page) => page.getByText('user29@example.com').waitFor() },
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
