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

  it('of the schema leads an operator to the people, because only admins edit schemas', async () => {
    await users.logIn();
    await users.goTo(`/apps/${users.app.sourceAppId}`);
    await heading('People');
    await users.goTo(ofApp('versions'));
    await users.waitForText('This page does not exist');
  });
});

describe('the sidebar', () => {
  const SECTIONS = ['Overview', 'People', 'Form', 'Share', 'Automation', 'Privacy', 'Team', 'Settings'];

  it('has the sections of an app, the same for its operators, and names the one of the page', async () => {
    const { id } = await users.submit('ada@example.com', {});
    const paths: [path: string, title: string, section: string, page?: string][] = [
      [ofApp('overview'), users.app.sourceAppId, 'Overview'],
      [ofApp('users'), 'People', 'People'],
      [ofApp(`users/${id}`), 'ada@example.com', 'People'],
      [ofApp('import'), 'Import', 'People'],
      [ofApp('share'), 'Share the form', 'Share', 'Link and code'],
      [ofApp('share/import'), 'Import a form', 'Share', 'Import a form'],
      [ofApp('webhooks'), 'Webhooks', 'Automation', 'Webhooks'],
      [ofApp('keys'), 'API keys', 'Automation', 'API keys'],
      [ofApp('emails'), 'Emails', 'Automation', 'Emails'],
      [ofApp('privacy'), 'Privacy', 'Privacy'],
      [ofApp('held'), 'Held submissions', 'Held'],
      [ofApp('form/texts'), 'Texts', 'Form', 'Texts'],
      [ofApp('form/design'), 'Design', 'Form', 'Design'],
      [ofApp('settings'), 'Settings', 'Settings'],
    ];
    const ofAdmins: typeof paths = [
      [ofApp('form'), 'Fields', 'Form', 'Fields'],
      [ofApp('form/json'), 'Fields as JSON', 'Form', 'JSON'],
      [ofApp('form/versions'), 'Versions', 'Form', 'Versions'],
      [ofApp('members'), 'Members', 'Team', 'Members'],
      [ofApp('audit'), 'Audit log', 'Team', 'Audit log'],
    ];
    const currentOf = async (name: string) => {
      const links = users.page.getByRole('navigation', { name, exact: true }).getByRole('link');
      return {
        all: await links.allInnerTexts(),
        current: await links.and(users.page.locator('[aria-current=page]')).allInnerTexts(),
      };
    };
    const expectShown = async (of: typeof paths): Promise<void> => {
      for (const [at, title, section, page] of of) {
        await goWithin(users.page, at);
        await heading(title);
        // Held is there while the app holds submissions, and on its own page.
        const all = section === 'Held' ? ['Overview', 'Held', ...SECTIONS.slice(1)] : SECTIONS;
        await expect.poll(() => currentOf('Main')).toEqual({ all, current: [section] });
        if (page) expect((await currentOf(section)).current, at).toEqual([page]);
      }
    };
    await users.logInAsAdmin();
    await expectShown([...paths, ...ofAdmins]);
    await users.logIn();
    await expectShown(paths);
    // One page of a section is left to an operator.
    await users.goTo(ofApp('audit'));
    await heading('Audit log');
    expect(await users.page.getByRole('navigation', { name: 'Team', exact: true }).count()).toBe(0);
  });

  it('leads an admin to the pages of all apps, and to another app', async () => {
    const other = await users.server.admin.buildApp();
    await users.logInAsAdmin();
    await users.goTo(ofApp('keys'));
    const switcher = (app: string) => users.page.getByRole('button', { name: app, exact: true });
    await switcher(`App: ${users.app.sourceAppId}`).click();
    await users.page.getByLabel('Search apps').fill(other.sourceAppId);
    const choice = users.page.getByRole('list', { name: 'Your apps' });
    await expect.poll(() => choice.getByRole('link').count()).toBe(1);
    await choice.getByRole('button', { name: `Favourite: ${other.sourceAppId}` }).click();
    await choice.getByRole('link').click();
    await switcher(`App: ${other.sourceAppId}`).click();
    // A favourite is the first one, also after a reload.
    await users.page.reload();
    await switcher(`App: ${other.sourceAppId}`).click();
    await expect.poll(() => choice.getByRole('link').first().innerText()).toContain(other.sourceAppId);
    await users.page.getByRole('link', { name: 'All apps' }).click();
    await heading('Apps');
    await switcher('All apps').waitFor();
    const pages = users.page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link');
    expect(await pages.allInnerTexts()).toEqual(['Overview', 'Apps', 'All people', 'Privacy', 'Audit log', 'Accounts']);
  });
});

describe('an earlier address of a page', () => {
  it.each([
    ['', 'form', 'Fields'],
    ['/json', 'form/json', 'Fields as JSON'],
    ['/versions', 'form/versions', 'Versions'],
    ['/connect', 'share', 'Share the form'],
    ['/connect/settings?from=link', 'settings?from=link', 'Settings'],
    ['/connect/design', 'form/design', 'Design'],
    ['/connect/import', 'share/import', 'Import a form'],
  ])('%s leads to %s', async (earlier, now, title) => {
    await users.logInAsAdmin();
    await users.goTo(`/apps/${users.app.sourceAppId}${earlier}`);
    await heading(title);
    expect(path()).toBe(ofApp(now));
  });
});
