import { heading, press, type View } from './view.ts';

/** Log-in, invitations and accounts. */
export const OF_PEOPLE: View[] = [
  {
    name: 'login',
    role: 'anonymous',
    path: '/',
    open: async (page) => {
      await page.getByRole('tab', { name: 'By app' }).click();
      await page.getByLabel('App ID').waitFor();
    },
  },
  {
    name: 'login by email',
    role: 'anonymous',
    path: '/',
    open: async (page) => {
      await page.getByRole('tab', { name: 'By email' }).click();
      await page.getByRole('textbox', { name: 'Email' }).waitFor();
    },
  },
  {
    name: 'login in German',
    role: 'anonymous',
    path: '/',
    open: async (page) => {
      await page.getByRole('button', { name: 'Deutsch' }).click();
      await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    },
  },
  {
    name: 'invitation',
    role: 'anonymous',
    path: '/invitation#INVITATION',
    open: async (page) => {
      await page.getByText('Invited by').waitFor();
      await page.getByLabel('Your name').waitFor();
    },
  },
  {
    name: 'invitation to an account',
    role: 'anonymous',
    path: '/invitation#SECOND',
    open: (page) => page.getByText('has an account').waitFor(),
  },
  {
    name: 'new password by a link',
    role: 'anonymous',
    path: '/reset#token',
    open: heading('Choose a new password'),
  },
  {
    name: 'login by a link',
    role: 'anonymous',
    path: '/link#token',
    open: heading('Log in with a link'),
  },
  {
    name: 'choice between apps',
    role: 'member',
    path: '/',
    open: heading('Choose an app'),
  },
  {
    name: 'invitation to who is logged in',
    role: 'member',
    path: '/invitation#SECOND',
    open: (page) => page.getByRole('button', { name: 'Accept invitation' }).waitFor(),
  },
  {
    name: 'invitation to somebody else',
    role: 'member',
    path: '/invitation#INVITATION',
    open: (page) => page.getByRole('button', { name: 'Log out and continue' }).waitFor(),
  },
  {
    name: 'schema editor of a manager',
    role: 'member',
    path: '/apps/APP',
    open: (page) => page.getByRole('button', { name: /^Full name/ }).waitFor(),
  },
  {
    name: 'members',
    role: 'member',
    path: '/apps/APP/members',
    open: (page) => page.getByRole('row', { name: /grace@example.com/ }).waitFor(),
  },
  {
    name: 'own account',
    role: 'member',
    path: '/account',
    open: (page) => page.getByText('This session').waitFor(),
  },
  {
    name: 'authenticator app',
    role: 'member',
    path: '/account',
    open: async (page) => {
      await press(page, 'Add authenticator app');
      await page.getByRole('dialog').getByLabel('Code').fill('000000');
      await press(page, 'Turn on');
      await page.getByRole('dialog').getByRole('alert').waitFor();
    },
  },
  {
    name: 'accounts',
    role: 'admin',
    path: '/accounts',
    open: (page) => page.getByRole('row').nth(1).waitFor(),
  },
];
