// @module-tag long

import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage([
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'visits', label: 'Visits', kind: 'array' },
  { key: 'age', label: 'Age', kind: 'number' },
]);

const box = (n: number) => users.page.getByRole('checkbox', { name: `Select u${n}@example.com`, exact: true });
const button = (name: string) => users.page.getByRole('button', { name, exact: true });
const heading = (n: number) =>
  users.page.getByRole('heading', { level: 1, name: `u${n}@example.com`, exact: true }).waitFor();

async function submitPeople(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await users.submit(`u${n}@example.com`, { name: `N${n % 2}`, age: n });
}

/** The users whose rows are selected. */
async function ticked(): Promise<number[]> {
  const names = await users.page
    .getByRole('checkbox', { checked: true })
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('aria-label') ?? ''));
  return names.map((name) => Number(/\d+/.exec(name)?.[0]));
}

describe('rows of the table', () => {
  it('are selected as a range with the Shift key, in both directions', async () => {
    await submitPeople(7);
    await users.logIn();
    await box(5).click();
    await box(2).click({ modifiers: ['Shift'] });
    await expect.poll(ticked).toEqual([5, 4, 3, 2]);
    await box(4).click();
    await box(3).click({ modifiers: ['Shift'] });
    await expect.poll(ticked).toEqual([5, 2]);
    await box(0).click();
    await box(6).click({ modifiers: ['Shift'] });
    await users.page.getByRole('status').getByText('7 selected people', { exact: true }).waitFor();
    expect(await users.page.evaluate('String(getSelection())')).toBe('');
  });

  it('are edited cell by cell with the arrow keys', async () => {
    await submitPeople(3);
    await users.logIn();
    await button('Edit in table').click();
    const focused = () =>
      users.page.evaluate('document.activeElement.innerText.replace(/\\s+/g, " ").replace(" ,", ",")');
    await users.page.getByRole('button', { name: 'edit Full name of u2@example.com' }).focus();
    const moves = [
      ['ArrowDown', 'N1, edit Full name of u1@example.com'],
      // The list of visits has no editor in the table.
      ['ArrowRight', '1, edit Age of u1@example.com'],
      ['ArrowDown', '0, edit Age of u0@example.com'],
      ['ArrowDown', '0, edit Age of u0@example.com'],
      ['ArrowLeft', 'N0, edit Full name of u0@example.com'],
      ['ArrowLeft', 'u0@example.com'],
      ['ArrowUp', 'u1@example.com'],
    ] as const;
    for (const [key, name] of moves) {
      await users.page.keyboard.press(key);
      expect(await focused(), key).toBe(name);
    }
    await users.page.keyboard.press('ArrowRight');
    await users.page.keyboard.press('Enter');
    const dialog = users.page.getByRole('dialog', { name: 'Edit u1@example.com' });
    await dialog.getByLabel('Full name').fill('New');
    await dialog.getByLabel('Full name').press('ArrowLeft');
    await users.page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('New, edit Full name of u1@example.com');
  });
});

describe('a record', () => {
  it('leads to those beside it, in the order and with the filter of its list, over its pages', async () => {
    await submitPeople(60);
    await users.logIn();
    // u1, u3, …, u59: 30 users on two pages.
    await users.goTo('/users?where=data.name:eq:N1&sort=data.age&order=asc&size=25');
    await users.page.getByRole('link', { name: 'u47@example.com' }).click();
    await heading(47);
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
    await button('Next person').click();
    await heading(49);
    await button('Next person').click();
    await heading(51);
    await users.page.reload();
    await heading(51);
    await button('Previous person').click();
    await heading(49);
    await button('Previous person').click();
    await heading(47);
    await users.page.getByRole('main').getByRole('link', { name: 'People' }).click();
    await users.page.getByText(/^1–25/).waitFor();
    expect(await users.chips()).toEqual(['Full name is N1']);

    await users.page.getByRole('link', { name: 'u1@example.com', exact: true }).click();
    await heading(1);
    expect(await button('Previous person').isDisabled()).toBe(true);
    await users.page.goBack();
    await button('Next').click();
    await users.page.getByText(/^26–30/).waitFor();
    await users.page.getByRole('row', { name: /u59@/ }).getByText('59', { exact: true }).click();
    await heading(59);
    expect(await button('Next person').isDisabled()).toBe(true);
    const { pathname } = new URL(users.page.url());
    await users.goTo('/users');
    await users.waitForText('All 60 people');
    await users.goTo(pathname.replace('/dashboard', ''));
    await heading(59);
    expect(await button('Next person').count()).toBe(0);
  });
});
