import { dialog, type View } from './view.ts';

/** The pages of an app about its forms, submissions, webhooks and keys. */
export const OF_FORMS: View[] = [
  {
    name: 'connect',
    role: 'operator',
    path: '/share',
    open: (page) => page.getByRole('button', { name: 'Allow https://www.example.com' }).waitFor(),
  },
  {
    name: 'form settings',
    role: 'operator',
    path: '/settings',
    open: async (page) => {
      await page.getByRole('region', { name: 'Preview of the reply' }).waitFor();
      await page.getByText('German', { exact: true }).click();
      await page.getByRole('group', { name: 'Reply in German' }).waitFor();
      await page.getByLabel('Maximum number of records').fill('ten');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('1 invalid setting').waitFor();
    },
  },
  {
    name: 'texts of a form',
    role: 'operator',
    path: '/form/texts',
    open: async (page) => {
      await page.getByText('German', { exact: true }).click();
      await page.getByLabel('Page after the form').fill('http://example.com');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('1 invalid setting').waitFor();
    },
  },
  {
    name: 'design of a form',
    role: 'operator',
    path: '/form/design',
    open: async (page) => {
      await page.getByLabel('Accent color', { exact: true }).fill('green');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('Must be a color such as #1f5fd6').waitFor();
    },
  },
  {
    name: 'design of the page after a form',
    role: 'operator',
    path: '/form/design',
    open: async (page) => {
      await page.locator('[data-preview]').getByAltText('Ada & Co').waitFor();
      await page.getByText('Thank-you page', { exact: true }).click();
    },
  },
  {
    name: 'import of a form',
    role: 'operator',
    path: '/share/import',
    open: async (page) => {
      await page
        .getByLabel('HTML of your form')
        .fill('<form><input name="first-name" required><input type="file" name="cv"><input name="_subject"></form>');
      await page.getByText('Send them this text').waitFor();
      await page.getByLabel('Corrected HTML').locator('del').first().waitFor();
    },
  },
  {
    name: 'import of people',
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
    name: 'rejected lines of two imports',
    role: 'operator',
    path: '/import',
    open: async (page) => {
      for (const name of ['first.csv', 'second.csv']) {
        const file = { name, mimeType: 'text/csv', buffer: Buffer.from('email\nnobody\n') };
        await page.locator('input[type=file]').setInputFiles(file);
        await page.getByRole('button', { name: 'Dry run' }).click();
        const shown = page.getByRole('article', { name: `Import of ${name}` });
        await shown.getByLabel('First rejected lines').waitFor();
      }
    },
  },
  {
    name: 'held submissions',
    role: 'operator',
    path: '/held',
    open: async (page) => {
      await page
        .getByRole('row', { name: /bot@example.com/ })
        .locator('summary')
        .click();
      await page
        .getByRole('row', { name: /bot@example.com/ })
        .locator('dl')
        .waitFor();
    },
  },
  {
    name: 'held submissions of any app',
    role: 'admin',
    path: '/apps/APP/held',
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
    name: 'inbox',
    role: 'admin',
    path: '/apps/messages/inbox',
    open: async (page) => {
      const rows = page.getByRole('list', { name: 'Submissions' }).getByRole('listitem');
      await rows.nth(0).getByRole('link').click();
      await page.getByRole('article').waitFor();
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
];
