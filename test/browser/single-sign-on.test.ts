// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { closeBrowser } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { CLIENT_ID, CLIENT_SECRET, type OidcProvider, startOidcProvider } from '../support/peers/oidc-provider.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const MAPPED = 'mapped-app';
const LABEL = 'Example SSO';

/** A service at `localhost`, and its provider at `127.0.0.1`. */
interface Place {
  server: TestServer;
  provider: OidcProvider;
  origin: string;
}

async function startPlace(env: Record<string, string> = {}, database?: string): Promise<Place> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const provider = await startOidcProvider(origin);
  const server = await startServer(
    {
      PORT: String(port),
      PUBLIC_URL: origin,
      OIDC_ISSUER: provider.issuer,
      OIDC_LABEL: LABEL,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_GROUPS_CLAIM: 'groups',
      OIDC_SIGNUP: 'mapped',
      OIDC_ROLE_MAP: JSON.stringify([
        { group: 'readers', sourceAppId: MAPPED, role: 'viewer' },
        { group: 'leads', sourceAppId: MAPPED, role: 'manager' },
      ]),
      ...env,
    },
    database,
  );
  return { server, provider, origin };
}

let place: Place;
let only: Place;
let app: TestApp;
let page: Page;
beforeAll(async () => {
  place = await startPlace();
  app = await place.server.admin.buildApp();
  await place.server.admin.post('/auth/apps', { sourceAppId: MAPPED }).expect(200);
  only = await startPlace({ OIDC_ONLY: 'true' }, place.server.database);
});
afterAll(async () => {
  await closeBrowser();
  for (const { server, provider } of [only, place]) {
    await server.close();
    await provider.close();
  }
});
const { button, heading, expectAccessible } = withStaffPage(
  () => [place, only].flatMap(({ origin, provider }) => [origin, provider.issuer]),
  (opened) => {
    page = opened;
  },
);

let number = 0;
/** Somebody new at the providers. */
function somebody(groups?: string[]) {
  number += 1;
  const sub = `subject-${number}`;
  const account = { sub, email: `${sub}@example.com`, email_verified: true, name: `Name ${number}` };
  for (const { provider } of [place, only]) provider.add({ ...account, ...(groups && { groups }) });
  return account;
}

const goTo = (path: string, { origin } = place) => page.goto(`${origin}/dashboard${path}`);
const signOn = () => page.getByRole('link', { name: `Log in with ${LABEL}` });

async function continueAs(sub: string): Promise<void> {
  await heading('Log in at the provider');
  await page.getByLabel('Name').fill(sub);
  await button('Continue').click();
}

describe('single sign-on', () => {
  it('leads back to the page that was asked for, and logs out at both', async () => {
    const { sub, name } = somebody(['leads']);
    await goTo(`/apps/${MAPPED}/connect/settings?from=link`);
    await signOn().waitFor();
    await page.getByRole('tab', { name: 'By email' }).waitFor();
    await signOn().click();
    await continueAs(sub);
    await heading('Settings');
    // The earlier address of the page.
    expect(page.url()).toBe(`${place.origin}/dashboard/apps/${MAPPED}/settings?from=link`);

    await goTo('/account');
    await page.getByText('Logged in by single sign-on').waitFor();
    await goTo('/login');
    await heading('People');
    await page.getByRole('button', { name: `Account: ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await heading('Log out at the provider');
    await button('Log out everywhere').click();
    await signOn().waitFor();
    expect(page.url()).toBe(`${place.origin}/dashboard/`);
    // The provider has no session either.
    await signOn().click();
    await heading('Log in at the provider');
  });

  it('explains a refusal once, and leads to the dashboard from the log-in page', async () => {
    const { sub } = somebody();
    await goTo('/login');
    await signOn().click();
    await heading('Log in at the provider');
    await button('Cancel').click();
    await page.getByRole('alert').getByText('The log-in did not succeed').waitFor();
    await signOn().click();
    await continueAs(sub);
    await page.getByRole('alert').getByText('Ask your administrator for an invitation').waitFor();
    await expectAccessible();
    expect(page.url()).toBe(`${place.origin}/dashboard/login`);
    await page.reload();
    await signOn().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    for (const [code, text] of [
      ['expired', 'took too long'],
      ['unavailable', 'cannot be reached'],
      ['toString', 'did not succeed'],
    ]) {
      await goTo(`/login?error=${code}`);
      await page
        .getByRole('alert')
        .getByText(text ?? '')
        .waitFor();
    }

    await page.getByRole('tab', { name: 'By app' }).click();
    await page.getByLabel('App ID').fill('admin');
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await button('Log in').click();
    await heading('Apps');
    expect(page.url()).toBe(`${place.origin}/dashboard/apps`);
    await goTo('/login?error=failed');
    await page.getByText('The log-in did not succeed').waitFor();
    await heading('Apps');
  });

  it('accepts an invitation', async () => {
    const { sub, email } = somebody();
    const { body } = await place.server.admin
      .post(`/auth/apps/${app.sourceAppId}/invitations`, { email, role: 'viewer' })
      .expect(200);
    await page.goto(body.link);
    await page.getByLabel('Your name').waitFor();
    await expectAccessible();
    await signOn().click();
    await continueAs(sub);
    await heading('People');
    expect(new URL(page.url()).pathname).toBe(`/dashboard/apps/${app.sourceAppId}/users`);
  });

  it('shows the members by group without what would be refused', async () => {
    const [lead, reader] = [somebody(['leads']), somebody(['readers'])];
    await goTo('/');
    await signOn().click();
    await continueAs(reader.sub);
    await heading('People');
    await page.context().clearCookies();
    await goTo(`/apps/${MAPPED}/members`);
    await signOn().click();
    await continueAs(lead.sub);
    const row = page.getByRole('row', { name: new RegExp(reader.email) });
    await row.getByText('by group').waitFor();
    await row.getByText('Viewer').waitFor();
    expect(await row.getByRole('combobox').count()).toBe(0);
    expect(await row.getByRole('button').count()).toBe(0);
    await expectAccessible();
  });
});

describe('single sign-on as the only way', () => {
  it('is the only button, and the account has no other ways', async () => {
    const { sub, email } = somebody(['readers']);
    await goTo('/account', only);
    await signOn().waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectAccessible();
    await signOn().click();
    await continueAs(sub);
    await page.getByText(`You log in with ${LABEL}`).waitFor();
    await page.getByText('Logged in by single sign-on').waitFor();
    for (const name of ['Password', 'Passkeys', 'Authenticator app']) {
      expect(await page.getByRole('heading', { name }).count()).toBe(0);
    }
    await expectAccessible();

    await only.server.db.collection('accounts').updateOne({ email }, { $set: { sessions: [] } });
    await page.getByLabel('Your name').fill('Another name');
    await button('Save name').click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByText('unsaved changes are lost').waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await expectAccessible();
    // The session at the provider lasts, so that it asks for nothing.
    await dialog.getByRole('link', { name: `Log in with ${LABEL}` }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Logged in by single sign-on').waitFor();
    expect(page.url()).toBe(`${only.origin}/dashboard/account`);
  });
});
