// @module-tag long

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

async function submitPeople(): Promise<void> {
  await users.submit('ada@example.com', { name: 'Ada Lovelace', plan: 'pro', age: 36, born: '1815-12-10', news: true });
  await users.submit('alan@example.com', {
    name: 'Alan Turing',
    plan: 'free',
    age: 41,
    born: '1912-06-23',
    news: false,
  });
  await users.submit('grace@example.com', { plan: 'max', age: 85, born: '1906-12-09', visits: ['yale'] });
}

interface NewFilter {
  field: string;
  words?: string;
  value?: string;
  choice?: string;
  checked?: string[];
}

async function addFilter({ field, words, value, choice, checked = [] }: NewFilter): Promise<void> {
  await users.page.getByRole('button', { name: 'Add filter' }).click();
  const form = users.page.getByRole('dialog');
  await form.getByLabel('Field').selectOption(field);
  if (words) await form.getByLabel('Condition').selectOption(words);
  if (value) await form.getByLabel(/^(?:Text|Number|Date|Values)$/).fill(value);
  if (choice) await form.getByLabel('Value').selectOption(choice);
  for (const name of checked) await form.getByRole('checkbox', { name }).check();
  await form.getByRole('button', { name: 'Apply' }).click();
}

describe('the search', () => {
  it('marks nobody as new who is in the list because it ended', async () => {
    await submitPeople();
    await users.logIn();
    await users.goTo(`/apps/${users.app.sourceAppId}/users?q=yale`);
    await users.waitForText('1 matching person');
    await users.page.getByLabel('Search all data').fill('');
    await users.waitForText('All 3 people');
    await expect.poll(users.emails).toHaveLength(3);
    expect(await users.page.getByText(/new (?:person|people)$/).count()).toBe(0);
    await users.submit('late@example.com', {});
    await users.waitForText('1 new person');
  });

  it('finds beginnings of words of an email and of any text, in any case, also while they are typed', async () => {
    await submitPeople();
    await users.logIn();
    const search = users.page.getByLabel('Search all data');
    for (const [text, found] of [
      ['LOVELACE', 'ada@example.com'],
      ['grace@', 'grace@example.com'],
      ['Yale', 'grace@example.com'],
    ] as const) {
      await search.fill(text);
      await expect.poll(() => new URL(users.page.url()).searchParams.get('q')).toBe(text);
      await users.waitForText('1 matching person');
      await expect.poll(users.emails).toEqual([found]);
    }
    // A space after which the next word follows is kept.
    await search.fill('');
    await users.waitForText('All 3 people');
    await search.pressSequentially('ada ');
    await expect.poll(() => new URL(users.page.url()).searchParams.get('q')).toBe('ada');
    await users.waitForText('1 matching person');
    await search.pressSequentially('lovelace');
    await expect.poll(() => new URL(users.page.url()).searchParams.get('q')).toBe('ada lovelace');
  });
});

/** A condition, the words that show it, and whom it finds. */
const FILTERS: [NewFilter, string, string[]][] = [
  [{ field: 'Email', words: 'begins with', value: 'AL' }, 'Email begins with AL', ['alan']],
  [{ field: 'Full name', words: 'contains', value: 'tur' }, 'Full name contains tur', ['alan']],
  [{ field: 'Full name', words: 'is empty' }, 'Full name is empty', ['grace']],
  [
    { field: 'Full name', words: 'is one of', value: 'Alan Turing, Nobody' },
    'Full name is one of Alan Turing, Nobody',
    ['alan'],
  ],
  [{ field: 'Plan', choice: 'Professional' }, 'Plan is Professional', ['ada']],
  [{ field: 'Plan', words: 'is not', choice: 'Professional' }, 'Plan is not Professional', ['grace', 'alan']],
  [
    { field: 'Plan', words: 'is one of', checked: ['free', 'Professional'] },
    'Plan is one of free, Professional',
    ['alan', 'ada'],
  ],
  [{ field: 'Age', words: 'at least', value: '41' }, 'Age at least 41', ['grace', 'alan']],
  [{ field: 'Age', words: 'less than', value: '41.0' }, 'Age less than 41', ['ada']],
  [{ field: 'Born', words: 'on', value: '1906-12-09' }, 'Born on 9 Dec 1906', ['grace']],
  [{ field: 'Born', words: 'before', value: '1906-12-09' }, 'Born before 9 Dec 1906', ['ada']],
  [{ field: 'News', choice: 'No' }, 'News is No', ['alan']],
  [{ field: 'News', words: 'is empty' }, 'News is empty', ['grace']],
  [{ field: 'Visits', words: 'contains', value: 'yale' }, 'Visits contains yale', ['grace']],
  [{ field: 'Created', words: 'after', value: '2020-01-31' }, 'Created after 31 Jan 2020', ['grace', 'alan', 'ada']],
  [{ field: 'Schema version', words: 'more than', value: '1' }, 'Schema version more than 1', ['grace', 'alan', 'ada']],
];

describe('the filter builder', () => {
  it('has the conditions of each kind', async () => {
    await submitPeople();
    await users.logIn();
    for (const [filter, words, found] of FILTERS) {
      await users.waitForText('All 3 people');
      await addFilter(filter);
      await users.page.getByRole('button', { name: words, exact: true }).waitFor();
      await users.waitForText(found.length === 1 ? '1 matching person' : `${found.length} matching people`);
      await expect.poll(users.emails, { message: words }).toEqual(found.map((name) => `${name}@example.com`));
      await users.page.getByRole('button', { name: `Remove filter: ${words}` }).click();
    }
  }, 60_000);

  it('combines conditions, which stay in the URL and can be changed and removed, also when they are wrong', async () => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 3 people');
    await addFilter({ field: 'Age', words: 'at least', value: '40' });
    await users.waitForText('2 matching people');
    await addFilter({ field: 'Age', words: 'at most', value: '50' });
    await users.waitForText('1 matching person');
    expect(new URL(users.page.url()).searchParams.getAll('where')).toEqual(['data.age:gte:40', 'data.age:lte:50']);
    await users.page.reload();
    await users.waitForText('1 matching person');
    expect(await users.chips()).toEqual(['Age at least 40', 'Age at most 50']);

    await users.page.getByRole('button', { name: 'Age at most 50', exact: true }).click();
    const form = users.page.getByRole('dialog');
    await form.getByLabel('Number').fill('90');
    await form.getByRole('button', { name: 'Apply' }).click();
    await users.waitForText('2 matching people');
    await users.page.goBack();
    await users.waitForText('1 matching person');
    await users.page.getByRole('button', { name: 'Remove filter: Age at most 50' }).click();
    await users.waitForText('2 matching people');
    expect(await users.chips()).toEqual(['Age at least 40']);

    // A link with a condition that the service refuses.
    await users.goTo('/users?where=data.age:gte:old');
    await users.page.getByText('must have a decimal number as its value').waitFor();
    await users.page.getByRole('button', { name: 'Remove filter: Age at least old' }).click();
    await users.waitForText('All 3 people');
  });
});

describe('what is filtered', () => {
  it('is erased after its number was typed; a number that changed erases nothing', async () => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 3 people');
    expect(await users.page.getByRole('button', { name: 'Erase matching people' }).count()).toBe(0);
    await addFilter({ field: 'Age', words: 'at least', value: '41' });
    await users.waitForText('2 matching people');
    await users.page.getByRole('button', { name: 'Erase matching people' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase people' });
    const number = dialog.getByLabel('Number of people');
    await number.fill('3');
    expect(await dialog.getByRole('button', { name: 'Erase 2 people permanently' }).isDisabled()).toBe(true);
    await users.submit('edsger@example.com', { age: 72 });
    await number.fill('2');
    await dialog.getByRole('button', { name: 'Erase 2 people permanently' }).click();
    await dialog.getByText('3 records match; nothing was erased').waitFor();
    const count = () => users.server.db.collection('users').countDocuments({ sourceAppId: users.app.sourceAppId });
    expect(await count()).toBe(4);
    await number.fill('3');
    await dialog.getByRole('button', { name: 'Erase 3 people permanently' }).click();
    await users.page.getByText('3 people were erased').waitFor();
    await users.page.getByText('No people match').waitFor();
    expect(await count()).toBe(1);
  });

  it('is erased while a text says what happens; cancelled in time, it stays', async () => {
    await submitPeople();
    await users.logIn();
    await addFilter({ field: 'Age', words: 'at least', value: '41' });
    await users.waitForText('2 matching people');
    const erase = async () => {
      await users.page.getByRole('button', { name: 'Erase matching people' }).click();
      const dialog = users.page.getByRole('dialog', { name: 'Erase people' });
      await dialog.getByLabel('Number of people').fill('2');
      await dialog.getByRole('button', { name: 'Erase 2 people permanently' }).click();
      return dialog;
    };
    const count = () => users.server.db.collection('users').countDocuments({ sourceAppId: users.app.sourceAppId });
    let send = () => {};
    const wait = new Promise<void>((resolve) => {
      send = resolve;
    });
    // The request waits in the browser, as it does in the service with many users.
    await users.page.route(/\/auth\/users\?.*confirm=2/, async (route) => {
      await wait;
      await route.continue().catch(() => undefined);
    });
    const cancelled = await erase();
    await cancelled.getByText(/^Erasing 2 people… Keep this page open until the end\./).waitFor();
    await cancelled.getByRole('progressbar', { name: 'Erased people' }).waitFor();
    expect(await axeViolations(users.page)).toEqual([]);
    await cancelled.getByRole('button', { name: 'Cancel' }).click();
    await users.page.getByText('Erasure stopped').waitFor();
    expect(await count()).toBe(3);
    const dialog = await erase();
    await dialog.getByText(/^Erasing 2 people…/).waitFor();
    send();
    await users.page.getByText('2 people were erased').waitFor();
    expect(await count()).toBe(1);
  });

  it('is exported with the columns of the table and labels as headers', async () => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 3 people');
    await addFilter({ field: 'Plan', choice: 'Professional' });
    await users.waitForText('1 matching person');
    await users.page.getByRole('button', { name: 'Export' }).click();
    await users.page.getByRole('menuitemcheckbox', { name: 'Only the columns of the table' }).click();
    await users.page.getByRole('menuitemcheckbox', { name: 'Labels as headers' }).click();
    const download = users.page.waitForEvent('download');
    await users.page.getByRole('menuitem', { name: 'CSV for programs' }).click();
    const [header, ...rows] = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n');
    expect(header).toContain('Full name,Plan,Age,Born,News,Visits');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain('ada@example.com,Ada Lovelace,pro,36,1815-12-10,true');
  });
});

describe('an admin', () => {
  it('sees, filters, opens and erases the people of any app', async () => {
    await submitPeople();
    await users.logInAsAdmin();
    // The server has more apps than one page shows.
    await users.page.getByLabel('Search apps').fill(users.app.sourceAppId);
    await users.page.getByRole('button', { name: `Actions for ${users.app.sourceAppId}`, exact: true }).click();
    await users.page.getByRole('menuitem', { name: 'View people' }).click();
    await users.waitForText('All 3 people');
    await addFilter({ field: 'Plan', choice: 'Professional' });
    await users.waitForText('1 matching person');
    await users.page.getByRole('link', { name: 'ada@example.com' }).click();
    await users.page.getByRole('definition').getByText('Ada Lovelace').waitFor();
    await users.page.getByRole('button', { name: 'Erase person' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase person' });
    await dialog.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Erase permanently' }).click();
    await users.waitForText('All 2 people');
  });
});
