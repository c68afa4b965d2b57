import { press, type View } from './view.ts';

/** Webhooks. The first one of the app is disabled, the other one is not. */
export const OF_WEBHOOKS: View[] = [
  {
    name: 'no webhooks yet',
    role: 'admin',
    path: '/apps/other-app/webhooks',
    open: (page) => page.getByText('No webhooks yet').waitFor(),
  },
  {
    name: 'webhooks',
    role: 'operator',
    path: '/webhooks',
    open: (page) => page.getByText('It answered 410 Gone').waitFor(),
  },
  {
    name: 'result of a test of a webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('button', { name: /^Send test event to .*first$/ }).click();
      await page.getByText('The test event was not accepted').waitFor();
    },
  },
  {
    name: 'actions of a webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('button', { name: /^Actions for .*first$/ }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'new webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await press(page, 'Add webhook');
      await press(page, 'Add');
      await page.getByText(/^The URL must/).waitFor();
    },
  },
  {
    name: 'new secret of a webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('button', { name: /^Actions for .*first$/ }).click();
      await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
      await press(page, 'Rotate secret');
      await page.getByText("You won't see this again").waitFor();
    },
  },
  {
    name: 'deliveries of a webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('link', { name: /^http.*first$/ }).click();
      await page
        .getByRole('row', { name: /Failed.*410/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'delivery of a webhook',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('link', { name: /^http.*first$/ }).click();
      await page.getByRole('button', { name: /^Details of user.updated/ }).click();
      await page.getByText('"name": "Name 0"').waitFor();
    },
  },
  {
    name: 'replay of deliveries',
    role: 'operator',
    path: '/webhooks',
    open: async (page) => {
      await page.getByRole('link', { name: /^http.*enabled$/ }).click();
      await press(page, 'Replay since…');
      await page.getByLabel('Since').waitFor();
    },
  },
];
