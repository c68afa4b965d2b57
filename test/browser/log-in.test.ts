import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, type Visit, visit } from '../support/browser.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';

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

describe('log-in', () => {
  it('says where to find the credentials, and lets the administrator in', async () => {
    await open.page.getByText('were printed once in the terminal').waitFor();
    await logIn(open.page, ADMIN);
    await open.page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
    expect(await open.page.title()).toBe('Apps · User Collection');
  });

  it('says what is wrong with the credentials, and with their form', async () => {
    const alert = open.page.getByRole('alert');
    const submit = async (sourceAppId: string, password: string) => {
      await open.page.getByLabel('App id').fill(sourceAppId);
      await open.page.getByRole('textbox', { name: 'Password' }).fill(password);
      await open.page.getByRole('button', { name: 'Log in' }).click();
    };
    await submit('no such app', 'whatever');
    await alert.getByText('The app id must be 1 to 80 letters').waitFor();
    await submit('admin', `${'x'.repeat(73)}`);
    await alert.getByText('The password').waitFor();
    await submit('admin', 'wrong');
    await alert.getByText('App id and password do not match').waitFor();
    expect(await open.page.getByLabel('App id').inputValue()).toBe('admin');
  });

  it('counts down the wait after too many failures', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await open.page.getByLabel('App id').fill(sourceAppId);
    const button = open.page.getByRole('button', { name: 'Log in' });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await open.page.getByRole('textbox', { name: 'Password' }).fill('wrong');
      const answer = open.page.waitForResponse('**/auth/login');
      await button.click();
      await answer;
    }
    await open.page
      .getByRole('alert')
      .getByText(/Too many failed log-ins. Try again in 1\d minutes/)
      .waitFor();
    await open.page.getByRole('textbox', { name: 'Password' }).fill(password);
    expect(await button.isDisabled()).toBe(true);
  });

  it('comes back to the address that was asked for', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const deep = await visit(server, `/apps/${sourceAppId}/versions`);
    await logIn(deep.page, ADMIN);
    await deep.page.getByRole('heading', { level: 1, name: sourceAppId }).waitFor();
    expect(new URL(deep.page.url()).pathname).toBe(`/dashboard/apps/${sourceAppId}/versions`);
    await deep.page.getByRole('button', { name: /Version 1/ }).waitFor();
    deep.expectClean();
    await deep.close();
  });

  it('asks again above the page when the session has ended, and loses no input', async () => {
    await logIn(open.page, ADMIN);
    await open.page.getByRole('button', { name: 'Create an app' }).first().click();
    await open.page.getByLabel('App id').fill('typed-before');
    await endAllSessions();
    await open.page.getByRole('button', { name: 'Create', exact: true }).click();

    const dialog = open.page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    expect(await dialog.getByLabel('App id').inputValue()).toBe('admin');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await open.page.getByLabel('App id').inputValue()).toBe('typed-before');
    await open.page.getByRole('button', { name: 'Create', exact: true }).click();
    await open.page.getByRole('dialog', { name: 'typed-before is created' }).waitFor();
    await server.admin.logIn('admin', ADMIN_PASSWORD);
  });

  it('says so when the browser does not keep the cookie, as over plain HTTP in production', async () => {
    const production = await startServer({ NODE_ENV: 'production' });
    const plain = await visit(production, '/', {}, production.listener.url.replace('127.0.0.1', 'service.test'));
    await plain.page.getByLabel('App id').fill('admin');
    await plain.page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await plain.page.getByRole('button', { name: 'Log in' }).click();
    await plain.page.getByRole('alert').getByText('in production it has to be opened by https://').waitFor();
    await plain.close();
    await production.close();
  });

  it('logs out, and the way back shows nothing', async () => {
    await logIn(open.page, ADMIN);
    await open.page.getByRole('button', { name: 'Account: admin' }).click();
    await open.page.getByRole('menuitem', { name: 'Log out' }).click();
    await open.page.getByRole('button', { name: 'Log in' }).waitFor();
    await open.page.goBack();
    await open.page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await open.page.getByRole('table').count()).toBe(0);
  });

  it('has a page of its own for addresses that lead nowhere', async () => {
    await logIn(open.page, ADMIN);
    await open.page.goto(`${server.listener.url}/dashboard/no/such/page`);
    await open.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await open.page.getByRole('link', { name: 'Go to the start page' }).click();
    await open.page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  });
});
