import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';
import { FIELDS, withUsersPage } from './users-page.ts';

// Administrators find persons in all apps.
const users = withUsersPage(FIELDS, () => startServer());
const DAY_MS = 86_400_000;

const records = (filter: object) => users.server.db.collection('users').countDocuments(filter);
const find = async (text: string) => {
  await users.page.getByLabel('Email, or a part of it').fill(text);
  await users.page.getByRole('button', { name: 'Find' }).click();
};
const showData = (email: string) => users.page.getByRole('button', { name: `Show data of ${email}` }).click();
const held = async () =>
  (await users.page.getByRole('list', { name: 'Held data' }).getByRole('listitem').allInnerTexts()).map(
    (text) => text.split('\n')[0],
  );

/** A submission that bot protection holds. */
const hold = (email: string) =>
  fetch(`${users.server.listener.url}/v1/forms/${users.app.sourceAppId}`, {
    method: 'POST',
    body: new URLSearchParams({ email, _gotcha: 'filled' }),
    redirect: 'manual',
  });

async function exported(): Promise<{ email: string; entries: { kind: string; sourceAppId: string }[] }> {
  const download = users.page.waitForEvent('download');
  await users.page.getByRole('button', { name: 'Export everything' }).click();
  return JSON.parse(await readFile(await (await download).path(), 'utf8'));
}

describe('the data of a person', () => {
  it('is found by a part of the email, exported and erased in the own app only', async () => {
    const other = await users.server.admin.buildApp();
    const email = `ada.${other.sourceAppId}@example.com`;
    await users.server.client.submit(other.sourceAppId, { email }).expect(200);
    await users.submit(email, { name: 'Ada' });
    await users.submit('alan@example.com', {});
    await hold(email);
    await users.logIn();
    await users.page.getByRole('link', { name: 'Privacy' }).click();
    await find('ADA.');
    await users.page.getByText('1 person found').waitFor();
    await showData(email);
    await expect
      .poll(held)
      .toEqual([`Held submission in ${users.app.sourceAppId}`, `Record in ${users.app.sourceAppId}`]);
    const file = await exported();
    expect(file.email).toBe(email);
    expect(file.entries.map(({ kind }) => kind).sort()).toEqual(['held', 'record']);

    await users.page.getByRole('button', { name: 'Erase everything' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase in this app' });
    const erase = dialog.getByRole('button', { name: 'Erase permanently' });
    await dialog.getByRole('textbox', { name: 'Email' }).fill('alan@example.com');
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('checkbox', { name: 'No import may bring the person back' }).check();
    await erase.click();
    await users.page.getByText(/^Receipt .*: (?:1 record, 1 held submission|1 held submission, 1 record)\./).waitFor();
    await expect.poll(held).toEqual([expect.stringContaining('Marked so that no import brings the person back')]);
    expect(await records({ email })).toBe(1);
    expect(await records({ sourceAppId: users.app.sourceAppId })).toBe(1);
  });

  it('is shown, whatever it is held as', async () => {
    const long = 'word '.repeat(1_000);
    await users.submit('ada@example.com', { name: 'Ada', visits: [{ page: '/pricing' }], note: long });
    await hold('ada@example.com');
    await users.logIn();
    await users.goTo('/privacy');
    await find('ada@example.com');
    await showData('ada@example.com');
    const entry = (kind: string) =>
      users.page
        .getByRole('list', { name: 'Held data' })
        .getByRole('listitem')
        .filter({ has: users.page.getByText(`${kind} in ${users.app.sourceAppId}`) });
    const rows = async (kind: string) =>
      (await entry(kind).locator('dl > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(() => rows('Record')).toContain('name Ada');
    expect(await rows('Record')).toEqual([
      'name Ada',
      expect.stringMatching(/^note word .*… Show all 5,000 characters$/),
      expect.stringMatching(/^visits \[ \{ "page": "\/pricing", "timestamp": /),
      expect.stringMatching(/^ID [0-9a-f-]{36}$/),
      'Email ada@example.com',
      'Schema version 2',
      expect.stringMatching(/^Created \d/),
      expect.stringMatching(/^Updated \d/),
    ]);
    expect(await rows('Held submission')).toEqual(expect.arrayContaining(['Email ada@example.com', 'Reason honeypot']));
  });

  it('is found by an admin in all apps, and erased in one or in all', async () => {
    const others = [await users.server.admin.buildApp(), await users.server.admin.buildApp()];
    const email = `grace.${users.app.sourceAppId}@example.com`;
    const apps = [users.app, ...others];
    for (const { sourceAppId } of apps) await users.server.client.submit(sourceAppId, { email }).expect(200);
    await users.logInAsAdmin();
    await users.page.getByRole('link', { name: 'Privacy' }).click();
    await find(email.slice(2, 12));
    await users.page.getByText(apps.map(({ sourceAppId }) => sourceAppId).join(', ')).waitFor();
    await showData(email);
    await expect.poll(held).toHaveLength(3);
    expect((await exported()).entries).toHaveLength(3);

    await users.page.getByRole('button', { name: `Erase in this app: ${users.app.sourceAppId}` }).click();
    const one = users.page.getByRole('dialog', { name: `Erase in ${users.app.sourceAppId}` });
    await one.getByRole('textbox', { name: 'Email' }).fill(email);
    await one.getByRole('button', { name: 'Erase permanently' }).click();
    await expect.poll(held).toHaveLength(2);
    expect(await records({ sourceAppId: users.app.sourceAppId })).toBe(0);
    await users.page.getByRole('button', { name: 'Erase in all apps' }).click();
    const all = users.page.getByRole('dialog', { name: 'Erase in all apps' });
    await all.getByRole('textbox', { name: 'Email' }).fill(email);
    await all.getByRole('button', { name: 'Erase permanently' }).click();
    await users.page.getByText('Nothing is held of this person.').waitFor();
    expect(await records({ email })).toBe(0);
  });

  it('that is no record is shown for a whole email', async () => {
    await hold('bot@example.com');
    await users.logIn();
    await users.goTo('/privacy');
    await find('bot@example.com');
    await showData('bot@example.com');
    await expect.poll(held).toEqual([`Held submission in ${users.app.sourceAppId}`]);
  });
});

describe('the retention of an app', () => {
  it('shows how many users it would erase before it is saved, and ends', async () => {
    const { server, app } = users;
    await users.submit('old@example.com', {});
    await users.submit('new@example.com', {});
    const before = { createdAt: new Date(Date.now() - 40 * DAY_MS), updatedAt: new Date(Date.now() - 40 * DAY_MS) };
    await server.db
      .collection('users')
      .updateOne({ email: 'old@example.com', sourceAppId: app.sourceAppId }, { $set: before });
    const stored = async () => (await server.admin.get(`/auth/apps/${app.sourceAppId}/retention`).expect(200)).body;
    await users.logIn();
    await users.goTo('/privacy');
    await users.page.getByText('Now: Users are kept until somebody erases them.').waitFor();
    await users.page.getByRole('checkbox', { name: 'Erase users automatically' }).check();
    await users.page.getByLabel('Days').fill('30');
    await users.page.getByRole('button', { name: 'Check and save' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase users automatically' });
    await dialog.getByText('1 user is that old now').waitFor();
    expect(await stored()).toBeNull();
    expect(await dialog.getByRole('button', { name: 'Save retention' }).isDisabled()).toBe(true);
    await dialog.getByLabel('App ID').fill(app.sourceAppId);
    await dialog.getByRole('button', { name: 'Save retention' }).click();
    await users.page.getByText('Now: Users are erased 30 days after the last change.').waitFor();
    expect(await stored()).toEqual({ days: 30, basis: 'updatedAt' });
    await users.page.getByRole('checkbox', { name: 'Erase users automatically' }).uncheck();
    await users.page.getByRole('button', { name: 'Save', exact: true }).click();
    await users.page.getByText('Now: Users are kept until somebody erases them.').waitFor();
    expect(await stored()).toBeNull();
  });

  it('of any app is set by an admin', async () => {
    await users.logInAsAdmin();
    await users.page.getByRole('button', { name: `Actions for ${users.app.sourceAppId}` }).click();
    await users.page.getByRole('menuitem', { name: 'Privacy and retention' }).click();
    await users.page.getByRole('checkbox', { name: 'Erase users automatically' }).check();
    await users.page.getByLabel('Counted from').selectOption('the creation');
    await users.page.getByRole('button', { name: 'Check and save' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase users automatically' });
    await dialog.getByText('No user is that old now.').waitFor();
    await dialog.getByLabel('App ID').fill(users.app.sourceAppId);
    await dialog.getByRole('button', { name: 'Save retention' }).click();
    await users.page.getByText('Now: Users are erased 730 days after the creation.').waitFor();
  });
});
