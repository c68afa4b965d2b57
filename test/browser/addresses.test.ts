// @module-tag long

import { describe, expect, it } from 'vitest';
import { goWithin } from '../support/browser/browser.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const path = () => {
  const { pathname, search } = new URL(users.page.url());
  return pathname.replace('/dashboard', '') + search;
};
const ofApp = (page: string) => `/apps/${users.app.sourceAppId}/${page}`;
const heading = (name: string) => users.page.getByRole('heading', { level: 1, name }).waitFor();

describe('a link to a view of an app', () => {
  it('opens the same view for an admin and for an operator', async () => {
    await users.submit('ada@example.com', { plan: 'pro' });
    await users.submit('alan@example.com', { plan: 'free' });
    const link = `${ofApp('users')}?where=data.plan:eq:pro&sort=email&order=asc`;
    for (const logIn of [users.logInAsAdmin, users.logIn]) {
      await logIn();
      await users.goTo(link);
      await users.waitForText('1–1 of 1');
      expect(await users.emails()).toEqual(['ada@example.com']);
      expect(path()).toBe(link);
    }
  });

  it('of another app tells an operator to log in there, whether or not the app exists', async () => {
    const other = await users.server.admin.buildApp();
    await users.logIn();
    for (const sourceAppId of [other.sourceAppId, 'nobody']) {
      await users.goTo(`/apps/${sourceAppId}/users`);
      await users.waitForText(`To open it, log in as ${sourceAppId} or as an administrator.`);
    }
  });

  it('of the schema leads an operator to the users, because only admins edit schemas', async () => {
    await users.logIn();
    await users.goTo(`/apps/${users.app.sourceAppId}`);
    await heading('Users');
    await users.goTo(ofApp('versions'));
    await users.waitForText('This page does not exist');
  });
});

describe('the navigation of an app', () => {
  const PAGES = ['Users', 'Connect', 'Schema', 'Webhooks', 'Privacy', 'API keys', 'Audit log', 'Members', 'Held'];

  it('is the same on all pages, and names the current one', async () => {
    const { id } = await users.submit('ada@example.com', {});
    const paths: [path: string, title: string, current: string][] = [
      [ofApp('users'), 'Users', 'Users'],
      [ofApp(`users/${id}`), 'ada@example.com', 'Users'],
      [ofApp('import'), 'Import', 'Users'],
      [ofApp('connect'), 'Connect a form', 'Connect'],
      [ofApp('webhooks'), 'Webhooks', 'Webhooks'],
      [ofApp('privacy'), 'Privacy', 'Privacy'],
      [ofApp('keys'), 'API keys', 'API keys'],
      [ofApp('audit'), 'Audit log', 'Audit log'],
      [ofApp('held'), 'Held submissions', 'Held'],
      [ofApp('members'), 'Members', 'Members'],
      [`/apps/${users.app.sourceAppId}`, users.app.sourceAppId, 'Schema'],
      [ofApp('versions'), users.app.sourceAppId, 'Schema'],
    ];
    const shown = async (name: string, of: typeof paths) => {
      const links = users.page.getByRole('navigation', { name, exact: true }).getByRole('link');
      for (const [at, title, current] of of) {
        await goWithin(users.page, at);
        await heading(title);
        await links
          .and(users.page.getByText(current, { exact: true }))
          .and(users.page.locator('[aria-current=page]'))
          .waitFor();
        const all = (await links.allInnerTexts()).filter((text) => text.trim() !== 'Apps');
        const currents = await links.and(users.page.locator('[aria-current=page]')).allInnerTexts();
        expect([at, all, currents]).toEqual([at, expected(current), [current]]);
      }
    };
    let expected = (_current: string): string[] => PAGES;
    await users.logInAsAdmin();
    await shown(`Pages of ${users.app.sourceAppId}`, paths);
    // An operator sees Held while submissions are held.
    const notForOperators = ['Schema', 'Members'];
    expected = (current) =>
      PAGES.filter((name) => !notForOperators.includes(name) && (name !== 'Held' || current === 'Held'));
    await users.logIn();
    const ofOperators = paths.filter(([, , current]) => !notForOperators.includes(current));
    await shown('Main', ofOperators);
  });

  it('leads an admin from page to page, and to the list of apps', async () => {
    await users.logInAsAdmin();
    await users.goTo(ofApp('keys'));
    const links = users.page.getByRole('navigation', { name: `Pages of ${users.app.sourceAppId}` });
    await links.getByRole('link', { name: 'Audit log' }).click();
    await heading('Audit log');
    await users.page.getByRole('cell', { name: 'App created' }).waitFor();
    expect(path()).toBe(ofApp('audit'));
    await links.getByRole('link', { name: 'Apps', exact: true }).click();
    await heading('Apps');
  });
});
