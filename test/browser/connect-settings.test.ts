// @module-tag long

import { describe, expect, it } from 'vitest';
import { follow, visitAs } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD, type TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { ConnectPage } from './connect-page.ts';

let server: TestServer;
let connect: ConnectPage;
withServer((started) => {
  server = started;
});
withPage(async () => {
  connect = await ConnectPage.open(server);
  await follow(connect.page, 'Form');
  return connect;
});

const path = () => `/auth/apps/${connect.app.sourceAppId}/form`;
const settings = async () => (await server.admin.get(path()).expect(200)).body;
const fill = (label: string, text: string) => connect.page.getByLabel(label, { exact: true }).fill(text);
const save = () => connect.page.getByRole('button', { name: 'Save settings' }).click();

describe('form settings', () => {
  it('are shown in the preview while they are edited, and saved', async () => {
    const { page } = connect;
    const preview = page.locator('[data-preview]');
    await preview.getByText('Small').waitFor();
    await fill('Title', 'Join us <b>now</b>');
    await fill('Description', 'One email\na month');
    await fill('Button', 'Sign up');
    await preview.getByText('Join us <b>now</b>').waitFor();
    await preview.getByText('Sign up').waitFor();
    await fill('Thank-you text', 'See you soon');
    await page.getByText('Thank-you page', { exact: true }).click();
    await preview.getByText('See you soon').waitFor();

    // The settings are one draft with the texts.
    await follow(page, 'Settings');
    await page.getByText('4 unsaved changes', { exact: true }).waitFor();
    await fill('Time zone', 'Europe/Berlin');
    await fill('Closes at', '2030-01-31T08:30');
    await fill('Maximum number of records', '500');
    await page.getByLabel('Bot protection').selectOption('off');
    await save();
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({
      title: 'Join us <b>now</b>',
      description: 'One email\na month',
      submitLabel: 'Sign up',
      thanks: 'See you soon',
      timeZone: 'Europe/Berlin',
      closesAt: '2030-01-31T08:30:00.000Z',
      maxRecords: 500,
      botProtection: 'off',
      next: null,
    });

    await fill('Maximum number of records', '');
    await save();
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({ maxRecords: null, closesAt: '2030-01-31T08:30:00.000Z' });
  });

  it('have the name that people read in place of the id of the app', async () => {
    const { page } = connect;
    await fill('Name', 'Club of 2026');
    await page.locator('[data-preview]').getByRole('heading', { name: 'Club of 2026' }).waitFor();
    await save();
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({ name: 'Club of 2026', title: null });
    await page.reload();
    await page.getByRole('button', { name: 'Account: Club of 2026' }).waitFor();
    await follow(page, 'Share');
    expect(await connect.snippet('Plain HTML')).toContain('<title>Club of 2026</title>');
    const admin = await visitAs(
      server,
      { sourceAppId: 'admin', password: ADMIN_PASSWORD },
      `/apps?q=${connect.app.sourceAppId}`,
    );
    await admin.page.getByRole('link', { name: 'Club of 2026' }).waitFor();
    await admin.close();
  });

  it('have the keys of a provider of challenges, and never show the secret again', async () => {
    const { page } = connect;
    await follow(page, 'Settings');
    await page.getByLabel('Bot protection').selectOption('Cloudflare Turnstile');
    await save();
    await page.getByText('2 invalid settings').waitFor();
    await fill('Site key', 'key-of-the-site');
    expect(await page.getByLabel('Secret key').getAttribute('autocomplete')).toBe('new-password');
    await fill('Secret key', 'secret-of-the-site');
    await page.getByLabel('While the provider cannot be reached').selectOption('Refuse submissions');
    // No storage of the browser has the secret, so another page asks before it is lost.
    page.removeAllListeners('dialog');
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await page.getByRole('link', { name: 'Form', exact: true }).click();
    expect(await asked).toBe('confirm');
    const kept = String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'));
    expect(kept).toContain('key-of-the-site');
    expect(kept).not.toContain('secret-of-the-site');
    await save();
    await page.getByText('Saved. The settings apply now.').waitFor();
    const captcha = { siteKey: 'key-of-the-site', outage: 'refuse', hasSecret: true };
    expect(await settings()).toMatchObject({ botProtection: 'turnstile', captcha });
    expect(await page.getByLabel('Secret key').inputValue()).toBe('');
    // Another change keeps it; the key of another provider is asked for.
    await page.getByText('Stored. Enter a key to replace it').waitFor();
    await fill('Maximum number of records', '9');
    await save();
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({ maxRecords: 9, captcha });
    await page.getByLabel('Bot protection').selectOption('hCaptcha');
    await page.getByText('Stored. Enter a key to replace it').waitFor({ state: 'detached' });
    await page.getByLabel('Bot protection').selectOption('Cloudflare Turnstile');
    await follow(page, 'Share');
    await page.getByText('Cloudflare Turnstile checks each submission').waitFor();
    await page.getByText('A test needs a solved challenge.').waitFor();
    expect(await connect.snippet('Plain HTML')).toContain(
      '<div class="cf-turnstile" data-sitekey="key-of-the-site"></div>',
    );
  });

  it('show the problem of each value', async () => {
    await fill('Page after the form', 'http://example.com');
    await follow(connect.page, 'Settings');
    await fill('Maximum number of records', 'ten');
    await save();
    await connect.page.getByText('Must be a whole number from 1 to').waitFor();
    await follow(connect.page, 'Form');
    await save();
    await connect.page.getByText('Must be an https URL, or an http URL on localhost').waitFor();
    await connect.page.getByText('2 invalid settings').waitFor();
    expect(await settings()).toMatchObject({ next: null, maxRecords: null });
  });

  it('keep unsaved changes when the page is left and come back to', async () => {
    const { page } = connect;
    await fill('Title', 'A draft');
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.goBack();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('A draft');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Title').inputValue()).toBe('');
  });

  it('are saved over a change of the origins, which this form does not edit', async () => {
    await fill('Title', 'Mine');
    await server.admin.put(path(), { origins: ['https://www.example.com'] }).expect(200);
    await save();
    await connect.page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({ title: 'Mine', origins: ['https://www.example.com'] });
  });
});

it('settings that someone else saved meanwhile replace the draft, or are kept where it changed nothing', async () => {
  const { page } = connect;
  const saveTheirs = async (title: string, changed: string): Promise<void> => {
    await fill('Title', 'Mine');
    await server.admin.put(path(), { title, thanks: `${title}, thanks` }).expect(200);
    await page.getByText(`They changed: ${changed}. You changed too: Title.`).waitFor();
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
  };
  await saveTheirs('Theirs', 'Title, Thank-you text');
  await page.getByRole('button', { name: 'Discard my changes and load theirs' }).click();
  expect(await page.getByLabel('Title').inputValue()).toBe('Theirs');
  expect(await settings()).toMatchObject({ title: 'Theirs' });

  await saveTheirs('Theirs again', 'Title, Thank-you text');
  await page.getByRole('button', { name: 'Overwrite theirs with my changes' }).click();
  await save();
  await page.getByText('Saved. The settings apply now.').waitFor();
  expect(await settings()).toMatchObject({ title: 'Mine', thanks: 'Theirs again, thanks' });
});
