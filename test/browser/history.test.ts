// @module-tag long

import { describe, expect, it } from 'vitest';
import { joinApp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const stored = async (email: string) => {
  const record = await users.server.db.collection('users').findOne({ sourceAppId: users.app.sourceAppId, email });
  return record?.data;
};
const history = () => users.page.getByRole('region', { name: 'History' });
const entries = async () =>
  (await history().locator('ol > li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));

async function openRecord(email: string): Promise<void> {
  await users.page.getByRole('link', { name: email }).click();
  await users.page.getByRole('heading', { level: 1, name: email }).waitFor();
}

async function rename(name: string): Promise<void> {
  await users.page.getByRole('button', { name: 'Edit' }).click();
  await users.page.getByRole('textbox', { name: 'Full name' }).fill(name);
  await users.page.getByRole('button', { name: 'Save' }).click();
  await users.page.getByRole('dialog').waitFor({ state: 'detached' });
}

describe('the history of a record', () => {
  it('shows who changed what, from which value to which, and undoes a change', async () => {
    await users.submit('ada@example.com', { name: 'Ada', plan: 'free' });
    await users.logIn();
    await openRecord('ada@example.com');
    await history().getByText('No changes by your team or by imports are kept').waitFor();
    await rename('Eve');
    await history().getByText('Shared log-in').waitFor();
    expect(await entries()).toEqual([
      expect.stringMatching(/^Shared log-in · \d{1,2} \w+ \d{4}, \d{2}:\d{2} Full name Before: Ada→ After: Eve Undo$/),
    ]);
    await history().getByRole('button', { name: 'Undo change 1' }).click();
    await history().getByText('undid change 1').waitFor();
    expect(await stored('ada@example.com')).toEqual({ name: 'Ada', plan: 'free' });
    await history().getByRole('button', { name: 'Undo change 1' }).click();
    await history().getByRole('alert').getByText('Nothing was undone: Full name was changed since').waitFor();
  });

  it('fits a phone, however long a name is', async () => {
    const name = 'k'.repeat(51);
    const { id } = await users.submit('ada@example.com', { name: 'Ada' });
    const operator = await new Client(users.server.listener.url).logIn(users.app.sourceAppId, users.app.password);
    await operator.patch(`/auth/users/${id}`, { set: { [name]: 1 } }).expect(200);
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.setViewportSize({ width: 320, height: 740 });
    await history().getByText(name).waitFor();
    expect(await users.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('names the people and API keys that changed it, also deleted ones', async () => {
    const { server, app } = users;
    const { id } = await users.submit('ada@example.com', { name: 'Ada' });
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    const member = await joinApp(server, app.sourceAppId, 'editor');
    const key = await createKey(server, operator, ['users:write']);
    await member.client.patch(`/auth/users/${id}`, { set: { age: 1 } }).expect(200);
    await key.send('patch', `/auth/users/${id}`, { set: { age: 2 } }).expect(200);
    await users.logIn();
    await openRecord('ada@example.com');
    await history().getByText('API key test', { exact: true }).waitFor();
    await history()
      .getByText(/^Member \d+$/)
      .waitFor();
    await operator.delete(`/auth/keys/${key.id}`).expect(200);
    await server.admin.delete(`/auth/accounts/${member.id}`).expect(200);
    await users.page.reload();
    await history().getByText('Deleted account', { exact: true }).waitFor();
    await history().getByText('Deleted API key', { exact: true }).waitFor();
    for (const one of [key, member]) await history().getByTitle(one.id, { exact: true }).waitFor();
    expect(await history().innerText()).not.toContain(key.id);
  });

  it('is undone in the notice after an edit, though others edited since', async () => {
    const { id } = await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await openRecord('ada@example.com');
    await rename('Eve');
    await users.server.admin
      .patch(`/auth/users/${id}?sourceAppId=${users.app.sourceAppId}`, { set: { age: 3 } })
      .expect(200);
    const notice = users.page.getByRole('alert').filter({ hasText: 'The change of ada@example.com is stored' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await users.page.getByRole('alert').getByText('The values before the change are stored').waitFor();
    expect(await stored('ada@example.com')).toEqual({ name: 'Ada', age: 3 });
    await history().getByText('undid change 1').waitFor();
  });

  it('pages through many changes, and shows submissions where the app keeps them', async () => {
    const { admin } = users.server;
    const { sourceAppId } = users.app;
    await admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    const { id } = await users.submit('ada@example.com', { name: 'Ada', visits: ['first'] });
    for (let n = 0; n < 25; n += 1) {
      await admin.patch(`/auth/users/${id}?sourceAppId=${sourceAppId}`, { set: { age: n } }).expect(200);
    }
    await users.logIn();
    await users.goTo(`/apps/${sourceAppId}/users`);
    await openRecord('ada@example.com');
    await history().getByRole('button', { name: 'Show earlier changes' }).click();
    await history().getByText('Submitted').waitFor();
    const all = await entries();
    expect(all).toHaveLength(26);
    expect(all[24]).toContain('Age Before: – No value → After: 0');
    expect(all[25]).toMatch(/^Submitted · .* Full name Ada Visits Added \d{1,2} \w+ \d{4}, \d{2}:\d{2} first$/);
  });

  it('says which fields a submission did not show', async () => {
    const { admin } = users.server;
    const { sourceAppId } = users.app;
    await admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    const showIf = { all: [{ field: 'plan', op: 'eq' as const, value: 'pro' }] };
    await admin
      .putSchema(sourceAppId, {
        fields: [
          { key: 'plan', kind: 'text' },
          { key: 'seats', label: 'Seats', kind: 'number', showIf },
        ],
      })
      .expect(200);
    await users.submit('ada@example.com', { plan: 'pro', seats: 3 });
    await users.submit('ada@example.com', { plan: 'free' });
    await users.logIn();
    await users.goTo(`/apps/${sourceAppId}/users`);
    await openRecord('ada@example.com');
    await history().getByText('Not shown').waitFor();
    expect((await entries())[0]).toMatch(/ plan free Seats Not shown$/);
    expect(await stored('ada@example.com')).toEqual({ plan: 'free' });
  });

  it('keeps submissions, for so many days, as the privacy page says', async () => {
    const { sourceAppId } = users.app;
    await users.logIn();
    await users.goTo(`/apps/${sourceAppId}/privacy`);
    await users.page.getByLabel('Keep submissions too, as they came').check();
    await users.page.getByLabel('How long changes and submissions are kept').fill('30');
    await users.page.getByRole('button', { name: 'Save history settings' }).click();
    await users.page.getByText('The settings apply now').waitFor();
    const { body } = await users.server.admin.get(`/auth/apps/${sourceAppId}/history`).expect(200);
    expect(body).toEqual({ submissions: true, days: 30 });
  });
});
