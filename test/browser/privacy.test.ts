import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer } from '../support/server/server.ts';
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
  (await users.page.getByRole('list', { name: 'Held data' }).locator(':scope > li').allInnerTexts()).map(
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
    const dialog = users.page.getByRole('dialog', { name: `Erase in ${users.app.sourceAppId}` });
    const erase = dialog.getByRole('button', { name: 'Erase permanently' });
    await dialog.getByRole('textbox', { name: 'Email' }).fill('alan@example.com');
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('checkbox', { name: 'No import may bring the person back' }).check();
    await erase.click();
    await users.page.getByText(/^Receipt .*: (?:1 record, 1 held submission|1 held submission, 1 record)\./).waitFor();
    await expect.poll(held).toEqual([expect.stringContaining('Block on imports of this person')]);
    expect(await records({ email })).toBe(1);
    expect(await records({ sourceAppId: users.app.sourceAppId })).toBe(1);
  });

  it('is shown in words, whatever it is held as', { tags: 'long' }, async () => {
    const { server, app } = users;
    const email = 'ada@example.com';
    const note = 'word '.repeat(1_000);
    const address = { city: 'London', floors: [1, 2] };
    const data = { address, name: 'Ada', plan: 'free', visits: ['hello', { page: '/pricing' }], note };
    const { id } = await users.submit(email, data);
    await hold(email);
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    const key = await createKey(server, operator, ['users:write']);
    await operator.patch(`/auth/users/${id}`, { set: { name: 'Eve', plan: 'pro' } }).expect(200);
    await key.send('patch', `/auth/users/${id}`, { set: { age: 36 } }).expect(200);
    const query = `q=${email}&where=data.plan:eq:pro&where=data.age:gte:18`;
    await operator.post('/auth/views', { name: `About ${email}`, query }).expect(200);
    const change = { set: { plan: 'max', news: true }, unset: ['age'] };
    const many = await operator.patch(`/auth/users?q=${email}&confirm=1`, change).expect(200);
    await expect
      .poll(async () => (await operator.get(`/auth/changes/${many.body.id}`).expect(200)).body.state)
      .toBe('completed');
    await users.logIn();
    await users.goTo('/privacy');
    await find(email);
    await showData(email);
    const list = users.page.getByRole('list', { name: 'Held data' });
    const rows = async (kind: string, number = 0) => {
      const entry = list.locator(':scope > li').filter({ has: users.page.getByText(`${kind} in ${app.sourceAppId}`) });
      const texts = await entry.nth(number).locator(':scope > dl > div').allInnerTexts();
      return texts.map((text) => text.replace(/\s+/g, ' '));
    };
    const day = /\d{1,2} \w+ \d{4}, \d{2}:\d{2}/.source;
    await expect.poll(() => rows('Record')).toContain('Full name Eve');
    expect(await rows('Record')).toEqual([
      'Full name Eve',
      'Plan max',
      expect.stringMatching(/^News .*Yes$/),
      expect.stringMatching(`^Visits ${day} hello ${day} page /pricing$`),
      'address city London floors 1 2',
      expect.stringMatching(/^note word .*… Show all 5,000 characters$/),
      expect.stringMatching(/^ID [0-9a-f-]{36}$/),
      'Email ada@example.com',
      'Schema version 2',
      expect.stringMatching(/^Created \d/),
      expect.stringMatching(/^Updated \d/),
    ]);
    expect(await rows('Held submission')).toEqual(
      expect.arrayContaining(['Email ada@example.com', 'Reason The hidden field was filled in']),
    );
    expect(await rows('Change of many records')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^New values Plan max News Yes$/), 'Removed values Age']),
    );
    expect(await rows('Saved view that names the person')).toEqual([
      expect.stringMatching(/^ID /),
      'Name About ada@example.com',
      'Filter Search for “ada@example.com” Plan is Professional Age at least 18',
    ]);
    const about = ['Origin Shared log-in, many people at once', 'Origin An API key', 'Origin Shared log-in'];
    for (const [number, author] of about.entries()) {
      expect(await rows('Change in the history', number)).toContain(author);
    }
    expect(await rows('Change in the history', 2)).toContain(
      'Changes Full name Before: Ada→ After: Eve Plan Before: free→ After: Professional',
    );
    expect(await list.innerText()).not.toMatch(/[{}[\]]/);
    await users.page.setViewportSize({ width: 375, height: 740 });
    expect(await users.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
  });

  it('is found by an admin in all apps, and erased in one or in all', { tags: 'long' }, async () => {
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
    await users.page.getByText('Nothing is stored about this person.').waitFor();
    expect(await records({ email })).toBe(0);
  });

  it('that is no record is shown for a whole email', { tags: 'long' }, async () => {
    await hold('bot@example.com');
    await users.logIn();
    await users.goTo('/privacy');
    await find('bot@example.com');
    await showData('bot@example.com');
    await expect.poll(held).toEqual([`Held submission in ${users.app.sourceAppId}`]);
  });
});

describe('the retention of an app', () => {
  it('shows how many people it would erase before it is saved, and ends', { tags: 'long' }, async () => {
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
    await users.page.getByText('Now: People are kept until somebody erases them.').waitFor();
    await users.page.getByRole('checkbox', { name: 'Erase people automatically' }).check();
    await users.page.getByLabel('Days').fill('30');
    await users.page.getByRole('button', { name: 'Check and save' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase people automatically' });
    await dialog.getByText('1 person has reached this age').waitFor();
    expect(await stored()).toBeNull();
    expect(await dialog.getByRole('button', { name: 'Save retention' }).isDisabled()).toBe(true);
    await dialog.getByLabel('App ID').fill(app.sourceAppId);
    await dialog.getByRole('button', { name: 'Save retention' }).click();
    await users.page.getByText('Now: People are erased 30 days after the last change.').waitFor();
    expect(await stored()).toEqual({ days: 30, basis: 'updatedAt' });
    await users.page.getByRole('checkbox', { name: 'Erase people automatically' }).uncheck();
    await users.page.getByRole('button', { name: 'Save', exact: true }).click();
    await users.page.getByText('Now: People are kept until somebody erases them.').waitFor();
    expect(await stored()).toBeNull();
  });

  it('of any app is set by an admin', { tags: 'long' }, async () => {
    await users.logInAsAdmin();
    await users.page.getByRole('button', { name: `Actions for ${users.app.sourceAppId}` }).click();
    await users.page.getByRole('menuitem', { name: 'Privacy and retention' }).click();
    await users.page.getByRole('checkbox', { name: 'Erase people automatically' }).check();
    await users.page.getByLabel('Counted from').selectOption('the creation');
    await users.page.getByRole('button', { name: 'Check and save' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase people automatically' });
    await dialog.getByText('Nobody has reached this age yet.').waitFor();
    await dialog.getByLabel('App ID').fill(users.app.sourceAppId);
    await dialog.getByRole('button', { name: 'Save retention' }).click();
    await users.page.getByText('Now: People are erased 730 days after the creation.').waitFor();
  });
});
