import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginSession, closeBrowser, logIn, type Visit, visit, visitAs } from '../support/browser/browser.ts';
import { joinApp } from '../support/server/accounts.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let open: Visit;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_LOGIN: '3' });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  open = await visit(server);
});
afterEach(async () => {
  open.expectClean();
  await open.close();
});

const endAllSessions = () => server.db.collection('sessions').deleteMany({});

describe('the login', () => {
  it('explains where the credentials are and logs the administrator in', async () => {
    await open.page.getByText('the service printed a link to your account').waitFor();
    await logIn(open.page, ADMIN);
    await open.page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
    expect(await open.page.title()).toBe('Apps · User Collection');
  });

  it('reports invalid and wrong credentials', { tags: 'long' }, async () => {
    const alert = open.page.getByRole('alert');
    const submit = async (sourceAppId: string, password: string) => {
      await open.page.getByLabel('App ID').fill(sourceAppId);
      await open.page.getByRole('textbox', { name: 'Password' }).fill(password);
      await open.page.getByRole('button', { name: 'Log in' }).click();
    };
    await submit('no such app', 'whatever');
    await alert.getByText('The app ID must be 1 to 80 letters').waitFor();
    await submit('admin', `${'x'.repeat(73)}`);
    await alert.getByText('The password').waitFor();
    await submit('admin', 'wrong');
    await alert.getByText('Wrong app ID or password').waitFor();
    expect(await open.page.getByLabel('App ID').inputValue()).toBe('admin');
  });

  it('counts down the wait after too many failed logins', { tags: 'long' }, async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await open.page.getByLabel('App ID').fill(sourceAppId);
    const button = open.page.getByRole('button', { name: 'Log in' });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await open.page.getByRole('textbox', { name: 'Password' }).fill('wrong');
      const response = open.page.waitForResponse('**/auth/login');
      await button.click();
      await response;
    }
    await open.page
      .getByRole('alert')
      .getByText(/Too many failed log-ins. Try again in 1\d minutes/)
      .waitFor();
    await open.page.getByRole('textbox', { name: 'Password' }).fill(password);
    expect(await button.isDisabled()).toBe(true);
  });

  it('keeps the requested URL', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const deep = await visit(server, `/apps/${sourceAppId}/form/versions`);
    await logIn(deep.page, ADMIN);
    await deep.page.getByRole('heading', { level: 1, name: 'Versions' }).waitFor();
    expect(new URL(deep.page.url()).pathname).toBe(`/dashboard/apps/${sourceAppId}/form/versions`);
    await deep.page.getByRole('button', { name: /Version 1/ }).waitFor();
    deep.expectClean();
    await deep.close();
  });

  it('opens above the page when the session has ended and keeps the input of the page', async () => {
    await logIn(open.page, ADMIN);
    await open.page.getByRole('button', { name: 'Create app' }).first().click();
    await open.page.getByLabel('App ID').fill('typed-before');
    await endAllSessions();
    // Not by the mouse: a read of the page may have opened the dialog above the button.
    await open.page.getByRole('button', { name: 'Create', exact: true }).dispatchEvent('click');

    const dialog = open.page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    expect(await dialog.getByLabel('App ID').inputValue()).toBe('admin');
    await open.page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await open.page.getByLabel('App ID').inputValue()).toBe('typed-before');
    await open.page.getByRole('button', { name: 'Create', exact: true }).click();
    await open.page.getByRole('dialog', { name: 'typed-before was created' }).waitFor();
    await server.admin.logIn('admin', ADMIN_PASSWORD);
  });

  it('for another app in another window shows nothing of it in a page of this app', { tags: 'long' }, async () => {
    const [one, other] = [await server.admin.buildApp(), await server.admin.buildApp()];
    for (const { sourceAppId } of [one, other])
      await server.client.submit(sourceAppId, { email: `${sourceAppId}@example.com`, data: {} }).expect(200);
    const { page, expectClean, close } = await visitAs(server, one, '/users?q=example');
    await page.getByRole('link', { name: `${one.sourceAppId}@example.com` }).waitFor();
    await beginSession(page.context(), server.listener.url, other);
    const answered: string[] = [];
    page.on('response', async (answer) => {
      if (answer.ok() && answer.url().includes('/auth/users')) answered.push(await answer.text());
    });
    await page.getByRole('heading', { level: 1, name: 'Page of another app' }).waitFor();
    expect(answered.join()).not.toContain('@example.com');
    expectClean();
    await close();
  });

  it('reports a session cookie that the browser did not store, as over HTTP in production', {
    tags: 'long',
  }, async () => {
    const production = await startServer({ NODE_ENV: 'production' });
    const plain = await visit(production, '/', {}, production.listener.url.replace('127.0.0.1', 'service.test'));
    await plain.page.getByLabel('App ID').fill('admin');
    await plain.page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await plain.page.getByRole('button', { name: 'Log in' }).click();
    await plain.page.getByRole('alert').getByText('open the dashboard over HTTPS').waitFor();
    await plain.close();
    await production.close();
  });

  it('has a choice of the language, which the dashboard keeps', { tags: 'long' }, async () => {
    const { page } = open;
    const choice = page.getByRole('list', { name: 'Language' });
    await choice.waitFor();
    expect(await choice.getByRole('button').allInnerTexts()).toEqual(['English', 'Deutsch']);
    await choice.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await page.locator('[aria-current]').allInnerTexts()).toEqual(['Deutsch']);
    await page.getByLabel('App-ID').fill('admin');
    await page.getByRole('textbox', { name: 'Passwort' }).fill('wrong');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByText('App-ID oder Passwort ist falsch.').waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  });

  it('begins with the email when there are accounts, and with what this browser used last', {
    tags: 'long',
  }, async () => {
    const own = await startServer();
    const begin = async (): Promise<Visit> => {
      const opened = await visit(own);
      await opened.page.getByRole('textbox', { name: 'Password' }).waitFor();
      return opened;
    };
    const selected = async ({ page }: Visit) => page.getByRole('tab', { selected: true }).innerText();
    const before = await begin();
    expect(await selected(before)).toBe('By app');
    await before.close();
    const app = await own.admin.buildApp();
    await joinApp(own, app.sourceAppId, 'viewer');
    const after = await begin();
    expect(await selected(after)).toBe('By email');
    await after.page.getByText('No account yet?').waitFor();
    expect(await after.page.getByRole('textbox', { name: 'Email' }).evaluate('document.activeElement.name')).toBe(
      'email',
    );
    await logIn(after.page, app);
    await after.page.getByRole('button', { name: `Account: ${app.sourceAppId}` }).click();
    await after.page.getByRole('menuitem', { name: 'Log out' }).click();
    await after.page.getByLabel('App ID').waitFor();
    expect(await selected(after)).toBe('By app');
    await after.close();
    await own.close();
  });

  it('shows no data after a logout when the browser goes back', async () => {
    await logIn(open.page, ADMIN);
    await open.page.getByRole('button', { name: 'Account: admin' }).click();
    await open.page.getByRole('menuitem', { name: 'Log out' }).click();
    await open.page.getByRole('button', { name: 'Log in' }).waitFor();
    await open.page.goBack();
    await open.page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await open.page.getByRole('table').count()).toBe(0);
  });

  it('leads to a not-found page for unknown URLs', { tags: 'long' }, async () => {
    await logIn(open.page, ADMIN);
    await open.page.goto(`${server.listener.url}/dashboard/no/such/page`);
    await open.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await open.page.getByRole('link', { name: 'Go to start page' }).click();
    await open.page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  });
});
