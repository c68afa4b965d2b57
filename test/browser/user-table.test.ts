// @module-tag long

import { describe, expect, it } from 'vitest';
import { storeRecords, withUsersPage } from './users-page.ts';

const users = withUsersPage();

describe('the pages of a long list', () => {
  it('are counted up to 10,000, counted exactly on demand, and opened by their number', async () => {
    await storeRecords(users, 10_001, () => ({ plan: 'pro' }));
    await users.logIn();
    await users.waitForText('All 10,001 people');
    await users.waitForText('1–50 of 10,001');
    await users.page.getByLabel('Page number').fill('201');
    await users.page.getByRole('button', { name: 'Go' }).click();
    await users.waitForText('10,001–10,001 of 10,001');
    expect(await users.page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);

    await users.goTo('/users?where=email:prefix:stored');
    await users.waitForText('More than 10,000 matching people');
    await users.page.getByRole('button', { name: 'Count exactly' }).click();
    await users.waitForText('10,001 matching people');
    const first = await users.emails();
    await users.page.getByRole('button', { name: 'Next' }).click();
    await users.waitForText('51–100 of 10,001');
    const second = await users.emails();
    expect(second.filter((email) => first.includes(email))).toEqual([]);
    await users.page.reload();
    await users.page.getByText(/^51–100/).waitFor();
    expect(await users.emails()).toEqual(second);
    await users.page.getByRole('button', { name: 'Previous' }).click();
    await users.page.getByText(/^1–50/).waitFor();
    expect(await users.emails()).toEqual(first);
  });
});

describe('the table', () => {
  it('keeps its header and the emails in view, and the widths of its columns', async () => {
    await storeRecords(users, 60, (index) => ({ name: `Name ${index}`, age: index === 0 ? 12_345.5 : 1998 }));
    await users.page.setViewportSize({ width: 900, height: 700 });
    await users.logIn();
    await users.waitForText('1–50 of 60');
    const header = users.page.getByRole('columnheader', { name: 'Email' });
    const before = await header.boundingBox();
    await users.submit(`${'long'.repeat(15)}@${'example'.repeat(8)}.com`, { name: 'Long', age: 33_003 });
    await users.page.getByRole('cell', { name: '33,003' }).waitFor();
    await users.page.getByRole('region', { name: 'Statistics' }).getByText('Last submission').waitFor();
    const shown = await header.boundingBox();
    expect(shown?.width).toBe(before?.width);
    const region = users.page.getByRole('region', { name: 'Table of people' });
    await region.evaluate((element) => Object.assign(element, { scrollLeft: 400, scrollTop: 500 }));
    expect(await header.boundingBox()).toEqual(shown);
    const style = "getComputedStyle([...document.querySelectorAll('td')].find((cell) => cell.innerText === '1998'))";
    expect(await users.page.evaluate(`${style}.textAlign`)).toBe('right');
  });

  it('does not move when the number of people is known', async () => {
    await storeRecords(users, 60, () => ({ plan: 'pro' }));
    await users.logIn();
    await users.waitForText('1–50 of 60');
    let release = (): void => undefined;
    const seen = new Promise<void>((resolve) => {
      release = resolve;
    });
    await users.page.route(/total=capped/, async (route) => {
      await seen;
      await route.continue();
    });
    await users.goTo('/users?where=data.plan:eq:pro');
    const table = users.page.getByRole('region', { name: 'Table of people' });
    await table.waitFor();
    await users.page.getByRole('region', { name: 'Statistics' }).waitFor();
    const before = await table.boundingBox();
    release();
    await users.waitForText('60 matching people');
    expect((await table.boundingBox())?.y).toBe(before?.y);
  });

  it('uses the whole width of a wide screen', async () => {
    await storeRecords(users, 3, () => ({ plan: 'pro' }));
    await users.page.setViewportSize({ width: 2200, height: 900 });
    await users.logIn();
    await users.waitForText('1–3 of 3');
    const box = await users.page.getByRole('region', { name: 'Table of people' }).boundingBox();
    expect(box?.width).toBeGreaterThan(1850);
  });
});
