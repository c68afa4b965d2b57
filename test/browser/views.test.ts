// @module-tag long

import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { openPage, type Visit, visit } from '../support/browser/browser.ts';
import { joinApp, PASSWORD } from '../support/server/accounts.ts';
import { startServer } from '../support/server/server.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();
const headers = () => users.page.getByRole('columnheader').allInnerTexts();
const views = (name = 'My views', page = users.page) => page.getByRole('list', { name, exact: true });
const menu = (page = users.page) => page.getByRole('button', { name: 'Views' }).click();

async function openView(name: string, list = 'My views', page = users.page): Promise<void> {
  await menu(page);
  await views(list, page).getByRole('link', { name }).click();
}

async function saveAs(name: string, isShared = false): Promise<void> {
  await menu();
  await save(name, isShared);
}

/** Saves in the open menu. */
async function save(name: string, isShared: boolean, page = users.page): Promise<void> {
  await page.getByLabel('Save this view as').fill(name);
  if (isShared) await page.getByRole('checkbox', { name: 'Share with everybody of the app' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

async function act(name: string, action: string): Promise<void> {
  await users.page.getByRole('button', { name: `Actions for ${name}` }).click();
  await users.page.getByRole('menuitem', { name: action }).click();
}

/** The views that the service has for the app, as its operator sees them. */
async function stored(): Promise<{ id: string; name: string; shared: boolean; query: string; revision: string }[]> {
  const { sourceAppId } = users.app;
  const found = await users.server.db.collection('apps').findOne({ sourceAppId });
  const all = await users.server.db.collection('views').find({ appId: found?._id }).sort({ name: 1 }).toArray();
  return all.map(({ _id, name, owner, query, revision }) => ({
    id: String(_id),
    name,
    shared: owner === 'shared',
    query,
    revision: String(revision),
  }));
}

/** Opens the dashboard in another browser as an account. */
async function visitWith({ email }: { email: string }, path: string, server = users.server): Promise<Visit> {
  const { url } = server.listener;
  const other = await openPage('about:blank', { origins: [url] });
  const data = { email, password: PASSWORD };
  await other.page.context().request.post(`${url}/auth/login`, { data, failOnStatusCode: true });
  await other.page.goto(`${url}/dashboard${path}`);
  return other;
}

describe('a view of the people', () => {
  it('is kept by its name, with filters, search, order and columns', async () => {
    await users.submit('ada@example.com', { name: 'Ada', plan: 'pro', age: 36 });
    await users.submit('alan@example.com', { name: 'Alan', plan: 'pro', age: 41 });
    await users.submit('grace@example.com', { plan: 'max' });
    await users.logIn();
    await users.waitForText('All 3 people');
    await users.goTo('/users?q=a&where=data.plan:eq:pro&sort=data.age&order=desc');
    await users.waitForText('2 matching people');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Visits' }).uncheck();
    await users.page.keyboard.press('Escape');
    const shown = await headers();
    expect(shown).not.toContain('Visits');
    await saveAs('Paying people');
    await views().getByRole('link', { name: 'Paying people' }).waitFor();

    await users.goTo('/users');
    await users.waitForText('All 3 people');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Born' }).uncheck();
    await users.page.keyboard.press('Escape');
    await openView('Paying people');
    await users.waitForText('2 matching people');
    await expect.poll(users.emails).toEqual(['alan@example.com', 'ada@example.com']);
    expect(await headers()).toEqual(shown);
    expect(await users.page.getByLabel('Search all data').inputValue()).toBe('a');
    const opened = users.page.getByRole('button', { name: 'Views: Paying people' });
    await opened.waitFor();
    // The line is as high as the letters, so that none is cut.
    const cut = opened.getByText('Views: Paying people');
    type Box = { scrollHeight: number; clientHeight: number };
    expect(await cut.evaluate(({ scrollHeight, clientHeight }: Box) => scrollHeight - clientHeight)).toBe(0);

    await menu();
    await act('Paying people', 'Rename');
    await users.page.getByLabel('Name', { exact: true }).fill('Customers');
    await users.page.getByRole('button', { name: 'Rename', exact: true }).click();
    await users.page.getByRole('button', { name: 'Views: Customers' }).click();
    await act('Customers', 'Delete');
    await views().waitFor({ state: 'detached' });
    expect(await stored()).toEqual([]);
  });

  it('is kept by an administrator with an account, also by the first one', async () => {
    const server = await startServer();
    try {
      const { sourceAppId } = await server.admin.buildApp({ fields: [] });
      const first = (await server.services.accounts.service.firstLink()) ?? '';
      const acceptance = { token: first, name: 'First', email: 'first@example.com', password: PASSWORD };
      await server.client.post('/auth/invitations/accept', acceptance).expect(200);
      const member = await joinApp(server, sourceAppId, 'viewer');
      await server.admin.patch(`/auth/accounts/${member.id}`, { admin: true }).expect(200);
      for (const email of [acceptance.email, member.email]) {
        const { page, ...opened } = await visitWith({ email }, `/apps/${sourceAppId}/users`, server);
        await menu(page);
        await save(`Own of ${email}`, false, page);
        await views('My views', page)
          .getByRole('link', { name: `Own of ${email}` })
          .waitFor();
        await save(`Ours by ${email}`, true, page);
        await views('Shared views', page)
          .getByRole('link', { name: `Ours by ${email}` })
          .waitFor();
        await page.reload();
        await menu(page);
        await views('My views', page)
          .getByRole('link', { name: `Own of ${email}` })
          .waitFor();
        await views('Shared views', page)
          .getByRole('link', { name: `Ours by ${email}` })
          .waitFor();
        opened.expectClean();
        await opened.close();
      }
    } finally {
      await server.close();
    }
  });

  it('is shared, opened by everybody by its address, and updated unless somebody else changed it', async () => {
    await users.submit('ada@example.com', { plan: 'pro' });
    await users.submit('alan@example.com', { plan: 'free' });
    const { sourceAppId } = users.app;
    const viewer = await joinApp(users.server, sourceAppId, 'viewer');
    const manager = await joinApp(users.server, sourceAppId, 'manager');
    await users.logIn();
    await users.goTo('/users?where=data.plan:eq:pro');
    await users.waitForText('1 matching person');
    await saveAs('Team', true);
    await views('Shared views').getByRole('link', { name: 'Team' }).waitFor();
    const [{ id = '' } = {}] = await stored();

    const other = await visitWith(viewer, `/apps/${sourceAppId}/users?view=${id}`);
    await other.page.getByText('1 matching person', { exact: true }).waitFor();
    await menu(other.page);
    await views('Shared views', other.page).getByRole('link', { name: 'Team' }).waitFor();
    expect(await other.page.getByRole('button', { name: 'Actions for Team' }).count()).toBe(0);
    expect(await other.page.getByLabel('Share with everybody of the app').count()).toBe(0);
    other.expectClean();
    await other.close();

    // The operator has opened it, and a manager changes it.
    await users.goTo(`/users?view=${id}`);
    await users.waitForText('1 matching person');
    await manager.client.patch(`/auth/views/${id}`, { query: 'where=data.plan%3Aeq%3Afree' }).expect(200);
    await users.page.getByRole('button', { name: 'Remove filter: Plan is Professional' }).click();
    await users.waitForText('All 2 people');
    await menu();
    await users.page.getByRole('button', { name: 'Update “Team”' }).click();
    await users.page.getByText('Somebody changed this view meanwhile').waitFor();
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
    expect(await stored()).toMatchObject([{ query: 'where=data.plan%3Aeq%3Afree' }]);
    await users.page.getByRole('button', { name: 'Save mine over it' }).click();
    await expect.poll(async () => (await stored()).map(({ query }) => query)).toEqual(['']);
    await users.page.getByRole('button', { name: /Update|Save mine/ }).waitFor({ state: 'detached' });
    await act('Team', 'Keep for myself');
    await views('My views').getByRole('link', { name: 'Team' }).waitFor();
    expect((await viewer.client.get('/auth/views').expect(200)).body.views).toEqual([]);
  });

  it('that nobody shared, or that was deleted, is not opened for others', async () => {
    const member = await joinApp(users.server, users.app.sourceAppId, 'editor');
    const { body } = await member.client.post('/auth/views', { name: 'Mine' }).expect(200);
    await users.logIn();
    await users.goTo(`/users?view=${body.id}`);
    await users.waitForText('This view cannot be opened');
    await users.page.getByRole('link', { name: 'Show all people' }).click();
    await users.waitForText('No people yet');
  });

  it('of fields that no longer exist opens with what is left, and says so', async () => {
    const { sourceAppId } = users.app;
    await users.submit('ada@example.com', { plan: 'pro', age: 36 });
    await users.logIn();
    await users.goTo(
      '/users?where=data.age:gte:18&where=data.plan:eq:pro&sort=data.born&columns=email,data.plan,data.age',
    );
    await users.waitForText('1 matching person');
    await saveAs('Adults');
    await views().getByRole('link', { name: 'Adults' }).waitFor();
    const fields = [{ key: 'plan', label: 'Plan', kind: 'select' as const, enum: ['pro'] }];
    await users.server.admin.putSchema(sourceAppId, { fields, rejectUnknown: true }).expect(200);
    const [{ id = '' } = {}] = await stored();
    await users.goTo(`/users?view=${id}`);
    const notice = users.page.getByRole('status').filter({ hasText: '“Adults” was opened without a part' });
    await notice.waitFor();
    expect(await notice.getByRole('listitem').allInnerTexts()).toEqual([
      'Filter: age at least 18',
      'Column: age',
      'Order by born',
    ]);
    expect(await users.chips()).toEqual(['Plan is pro']);
    expect((await headers()).map((text) => text.trim()).filter((text) => text !== '')).toEqual(['Email', 'Plan']);
  });

  it('is shared by its link, whatever the columns of the other browser', async () => {
    await users.submit('ada@example.com', { plan: 'pro', age: 36 });
    await users.submit('alan@example.com', { plan: 'free' });
    await users.logIn();
    await users.waitForText('All 2 people');
    await users.goTo('/users?where=data.plan:eq:pro&by=data.age');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Updated' }).check();
    await users.page.keyboard.press('Escape');
    await users.page.getByRole('region', { name: 'Breakdown by Age' }).waitFor();
    const { pathname, search } = new URL(users.page.url());
    const other = await visit(users.server, `${pathname.replace('/dashboard', '')}${search}`, {
      storageState: await users.page
        .context()
        .storageState({ indexedDB: false })
        .then(({ cookies }) => ({ cookies, origins: [] })),
    });
    await other.page.getByText('1 matching person', { exact: true }).waitFor();
    expect(await other.page.getByRole('columnheader').allInnerTexts()).toContain('Updated');
    await other.page.getByRole('region', { name: 'Breakdown by Age' }).waitFor();
    other.expectClean();
    await other.close();
  });

  it('keeps its page when a column is shown or hidden', async () => {
    for (let index = 0; index < 26; index += 1) await users.submit(`user${index}@example.com`, {});
    await users.logIn();
    await users.goTo('/users?size=25');
    await users.waitForText('1–25 of 26');
    await users.page.getByRole('button', { name: 'Next' }).click();
    await users.waitForText('26–26 of 26');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Updated' }).check();
    await users.page.keyboard.press('Escape');
    await users.page.getByRole('columnheader', { name: 'Updated' }).waitFor();
    await users.waitForText('26–26 of 26');
  });
});
