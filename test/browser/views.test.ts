import { describe, expect, it } from 'vitest';
import { visit } from '../support/browser.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();
const headers = () => users.page.getByRole('columnheader').allInnerTexts();
const views = () => users.page.getByRole('list', { name: 'Saved views' });

async function openView(name: string): Promise<void> {
  await users.page.getByRole('button', { name: 'Views' }).click();
  await views().getByRole('link', { name }).click();
}

describe('a view of the users', () => {
  it('is kept by its name in this browser, with filters, search, order and columns', async () => {
    await users.submit('ada@example.com', { name: 'Ada', plan: 'pro', age: 36 });
    await users.submit('alan@example.com', { name: 'Alan', plan: 'pro', age: 41 });
    await users.submit('grace@example.com', { plan: 'max' });
    await users.logIn();
    await users.waitForText('All 3 users');
    await users.goTo('/users?q=a&where=data.plan:eq:pro&sort=data.age&order=desc');
    await users.waitForText('2 matching users');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Visits' }).uncheck();
    await users.page.keyboard.press('Escape');
    const shown = await headers();
    expect(shown).not.toContain('Visits');
    await users.page.getByRole('button', { name: 'Views' }).click();
    await users.page.getByText('kept in this browser').waitFor();
    await users.page.getByLabel('Save this view as').fill('Paying users');
    await users.page.getByRole('button', { name: 'Save', exact: true }).click();
    await views().getByRole('link', { name: 'Paying users' }).waitFor();

    await users.goTo('/users');
    await users.waitForText('All 3 users');
    await users.page.getByRole('button', { name: 'Choose columns' }).click();
    await users.page.getByRole('checkbox', { name: 'Born' }).uncheck();
    await users.page.keyboard.press('Escape');
    await openView('Paying users');
    await users.waitForText('2 matching users');
    await expect.poll(users.emails).toEqual(['alan@example.com', 'ada@example.com']);
    expect(await headers()).toEqual(shown);
    expect(await users.page.getByLabel('Search all data').inputValue()).toBe('a');

    await users.page.getByRole('button', { name: 'Views' }).click();
    await users.page.getByRole('button', { name: 'Remove view: Paying users' }).click();
    await views().waitFor({ state: 'detached' });
    await users.page.reload();
    await users.page.getByRole('button', { name: 'Views' }).click();
    await users.page.getByLabel('Save this view as').waitFor();
    expect(await views().count()).toBe(0);
  });

  it('is shared by its link, whatever the columns of the other browser', async () => {
    await users.submit('ada@example.com', { plan: 'pro', age: 36 });
    await users.submit('alan@example.com', { plan: 'free' });
    await users.logIn();
    await users.waitForText('All 2 users');
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
    await other.page.getByText('1 matching user', { exact: true }).waitFor();
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
