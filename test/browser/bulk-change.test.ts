// @module-tag long

import { describe, expect, it } from 'vitest';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const dialog = () => users.page.getByRole('dialog', { name: 'Change a field of many people' });
/** The cells of the preview. */
async function previewed(count: number): Promise<string[][]> {
  const rows = dialog().getByRole('table', { name: 'Preview' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(count);
  return Promise.all((await rows.all()).map((row) => row.getByRole('cell').allInnerTexts()));
}

const stored = async () => {
  const found = users.server.db.collection('users').find({ sourceAppId: users.app.sourceAppId }).sort({ email: 1 });
  return (await found.toArray()).map(({ data }) => data);
};

async function submitPeople(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await users.submit(`u${n}@example.com`, { name: `N${n}`, plan: 'free' });
}

describe('a change of many people', () => {
  it('is previewed, made for all that match, and undone', async () => {
    await submitPeople(12);
    await users.submit('other@example.com', { plan: 'max' });
    await users.logIn();
    await users.goTo(`/apps/${users.app.sourceAppId}/users?where=data.plan:eq:free`);
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Plan');
    await dialog().getByText('Removes the value of 12 people').waitFor();
    await dialog().getByRole('button', { name: 'Remove the value of 12 people' }).waitFor();
    await dialog().getByLabel('New value').selectOption('Professional');
    await dialog().getByText('and 2 more').waitFor();
    expect((await previewed(10))[0]).toEqual(['u11@example.com', 'free', 'Professional']);
    await dialog().getByRole('button', { name: 'Change 12 people' }).click();
    await dialog().getByText('12 people changed.').waitFor();
    expect((await stored()).map(({ plan }) => plan)).toEqual(['max', ...Array(12).fill('pro')]);
    await dialog().getByRole('button', { name: 'Undo' }).click();
    await dialog().getByText('Undone: 12 people restored.').waitFor();
    expect((await stored()).map(({ plan }) => plan)).toEqual(['max', ...Array(12).fill('free')]);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('is listed after a reload, with its result and Undo; who had the value is counted', async () => {
    await submitPeople(3);
    await users.submit('other@example.com', { plan: 'max' });
    await users.logIn();
    await users.goTo(`/apps/${users.app.sourceAppId}/users?where=email:contains:example`);
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Plan');
    await dialog().getByLabel('New value').selectOption('max');
    await dialog().getByRole('button', { name: 'Change 4 people' }).click();
    await dialog().getByText('3 people changed. 1 person had this value already.').waitFor();
    await users.page.reload();
    const recent = users.page.getByRole('group').filter({ hasText: 'Recent bulk changes' });
    // Also the closed list says which change is the newest.
    await recent
      .locator('summary')
      .getByText(/^Plan: max, /)
      .waitFor();
    await recent.getByText('Recent bulk changes').click();
    const change = recent.getByRole('listitem');
    await change.getByText('3 people changed. 1 person had this value already.').waitFor();
    await change.getByRole('button', { name: 'Undo' }).click();
    await change.getByText('Undone: 3 people restored.').waitFor();
    expect((await stored()).map(({ plan }) => plan)).toEqual(['max', 'free', 'free', 'free']);
  });

  it('is made for all people without a filter', async () => {
    await submitPeople(3);
    await users.submit('other@example.com', { plan: 'max' });
    await users.logIn();
    await users.waitForText('All 4 people');
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Plan');
    await dialog().getByLabel('New value').selectOption('Professional');
    expect(await previewed(4)).toHaveLength(4);
    await dialog().getByRole('button', { name: 'Change 4 people' }).click();
    await dialog().getByText('4 people changed.').waitFor();
    expect((await stored()).map(({ plan }) => plan)).toEqual(Array(4).fill('pro'));
  });

  it('is made for the selected ones only, and names what an undo leaves', async () => {
    await submitPeople(3);
    await users.logIn();
    for (const email of ['u0@example.com', 'u2@example.com']) {
      await users.page.getByRole('checkbox', { name: `Select ${email}`, exact: true }).check();
    }
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Full name');
    await dialog().getByLabel('New value').fill('Somebody');
    expect((await previewed(2)).map(([email]) => email)).toEqual(['u2@example.com', 'u0@example.com']);
    await dialog().getByRole('button', { name: 'Change 2 people' }).click();
    await dialog().getByText('2 people changed.').waitFor();
    expect((await stored()).map(({ name }) => name)).toEqual(['Somebody', 'N1', 'Somebody']);
    await users.submit('u0@example.com', { name: 'Herself' });
    await dialog().getByRole('button', { name: 'Undo' }).click();
    await dialog().getByText('Undone: 1 person restored. 1 person left.').waitFor();
    await dialog().getByText('changed since: data.name').waitFor();
    expect((await stored()).map(({ name }) => name)).toEqual(['Herself', 'N1', 'N2']);
  });

  it('is refused in the dialog when the schema refuses the value', async () => {
    await submitPeople(1);
    await users.logIn();
    await users.page.getByRole('checkbox', { name: 'Select u0@example.com', exact: true }).check();
    await users.page.getByRole('button', { name: 'Change a field' }).click();
    await dialog().getByLabel('Field').selectOption('Age');
    await dialog().getByLabel('New value').fill('old');
    await dialog().getByRole('button', { name: 'Change 1 person' }).click();
    await dialog().getByRole('alert').getByText('Invalid change').waitFor();
    expect(await stored()).toEqual([{ name: 'N0', plan: 'free' }]);
  });
});
