// @module-tag long

import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage();

const chart = (label: string) => users.page.getByRole('region', { name: `Breakdown by ${label}` });
const breakDownBy = (label: string) => users.page.getByLabel('Break down by').selectOption(label);

/** The number of labels below columns that cover the one before. */
const OVERLAPS = `[...document.querySelectorAll('figure > figcaption')].map((axis) => [...axis.children])
  .flatMap((labels) => labels.slice(1).map((label, index) => [labels[index], label]))
  .filter(([before, label]) => before.getBoundingClientRect().right > label.getBoundingClientRect().left).length`;

async function submitPeople(): Promise<void> {
  await users.submit('ada@example.com', { name: 'Ada', plan: 'pro', age: 36, born: '1815-12-10', news: true });
  await users.submit('alan@example.com', { name: 'Alan', plan: 'pro', age: 41, born: '1912-06-23', news: false });
  await users.submit('grace@example.com', { name: 'Ada', plan: 'max', age: 85, born: '1906-12-09' });
  await users.submit('edsger@example.com', { age: 72 });
}

describe('a breakdown', () => {
  it('counts the values of the people that match, and filters by the bar that is pressed', async () => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 4 people');
    await breakDownBy('Plan');
    const bars = async () =>
      (await chart('Plan').getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(bars).toEqual(['Professional 2 50%', 'max 1 25%', 'No value 1 25%']);
    await chart('Plan')
      .getByRole('button', { name: /Professional/ })
      .click();
    await users.waitForText('2 matching people');
    expect(await users.chips()).toEqual(['Plan is Professional']);
    await expect.poll(bars).toEqual(['Professional 2 100%']);
    await users.page.reload();
    await expect.poll(bars).toEqual(['Professional 2 100%']);
    await users.goTo('/users?by=data.plan');
    await chart('Plan')
      .getByRole('button', { name: /No value/ })
      .click();
    await users.waitForText('1 matching person');
    expect(await users.emails()).toEqual(['edsger@example.com']);
  });

  it('has no axe violations while it is counted', async () => {
    await submitPeople();
    await users.logIn();
    let answer: () => void = () => undefined;
    const isChecked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await users.page.route('**/auth/users/breakdown*', async (route) => {
      await isChecked;
      await route.continue();
    });
    await breakDownBy('Plan');
    await chart('Plan').getByRole('status').getByText('Counting').waitFor();
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
    answer();
    await chart('Plan')
      .getByRole('button', { name: /Professional/ })
      .waitFor();
  });

  it('shows numbers and dates in ranges, which replace a range before', async () => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 4 people');
    await breakDownBy('Age');
    const bars = chart('Age').getByRole('button');
    await expect.poll(() => bars.count()).toBe(11);
    await chart('Age').getByRole('button', { name: '35 – under 40: 1 person, 25%' }).click();
    await users.waitForText('1 matching person');
    expect(await users.chips()).toEqual(['Age at least 35', 'Age less than 40']);
    await chart('Age').getByRole('button', { name: '36: 1 person, 100%' }).click();
    await expect.poll(users.chips).toEqual(['Age at least 36', 'Age less than 37']);
    await users.goTo('/users?by=data.born');
    await chart('Born')
      .getByRole('button', { name: /^1 Jan 1910 – 31 Dec 1914: 1 person/ })
      .click();
    await users.waitForText('1 matching person');
    expect(await users.emails()).toEqual(['alan@example.com']);
    expect(await users.chips()).toEqual(['Born on or after 1 Jan 1910', 'Born before 1 Jan 1915']);
  });

  it('has an axis of counts and one of values, and a bar of those without a value on the same scale', async () => {
    await submitPeople();
    await users.submit('kurt@example.com', { name: 'Kurt' });
    await users.logIn();
    await users.goTo('/users?by=data.age');
    const figure = chart('Age').getByRole('figure');
    await figure.waitFor();
    const texts = (of: string) => figure.locator(of).allInnerTexts();
    expect(await texts('> div > span')).toEqual(['0', '1']);
    expect(await texts('figcaption > span')).toEqual(['35', '50', '65', '90']);
    expect((await texts('li')).filter((text) => text !== '')).toEqual(['1', '1', '1', '1']);
    await users.page.setViewportSize({ width: 375, height: 720 });
    for (const [by, label] of [
      ['data.born', 'Born'],
      ['createdAt', 'Created'],
      ['data.age', 'Age'],
    ] as const) {
      await users.goTo(`/users?by=${by}`);
      await chart(label).getByRole('figure').waitFor();
      expect(await users.page.evaluate(OVERLAPS)).toBe(0);
    }
    // One of five users: a fifth of the length.
    const rest = chart('Age').getByRole('button', { name: /^No value/ });
    expect(await rest.locator('rect').getAttribute('width')).toBe('20');
  });

  it('is pressed with the keyboard, and can be closed', async () => {
    await submitPeople();
    await users.logIn();
    await users.goTo('/users?by=data.news');
    await chart('News').getByRole('button', { name: /^Yes/ }).focus();
    await users.page.keyboard.press('Enter');
    await users.waitForText('1 matching person');
    expect(await users.chips()).toEqual(['News is Yes']);
    await users.page.getByLabel('Break down by').selectOption('');
    await chart('News').waitFor({ state: 'detached' });
    expect(new URL(users.page.url()).searchParams.has('by')).toBe(false);
  });
});

describe('a range of a filter', () => {
  it.each([
    ['Age', '37', '73', ['edsger', 'alan'], ['Age at least 37', 'Age at most 73']],
    [
      'Born',
      '1906-12-09',
      '1912-06-23',
      ['grace', 'alan'],
      ['Born on or after 9 Dec 1906', 'Born on or before 23 Jun 1912'],
    ],
  ])('of %s has both ends', async (field, from, to, found, words) => {
    await submitPeople();
    await users.logIn();
    await users.waitForText('All 4 people');
    await users.page.getByRole('button', { name: 'Add filter' }).click();
    const form = users.page.getByRole('dialog');
    await form.getByLabel('Field').selectOption(field);
    await form.getByLabel('Condition').selectOption('between');
    await form.getByLabel('From').fill(from);
    expect(await form.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await form.getByLabel('To', { exact: true }).fill(to);
    await form.getByRole('button', { name: 'Apply' }).click();
    await users.waitForText('2 matching people');
    expect(await users.chips()).toEqual(words);
    expect(await users.emails()).toEqual(found.map((name) => `${name}@example.com`));
  });
});
