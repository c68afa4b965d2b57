// @module-tag long

import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { tableRows } from '../support/browser/browser.ts';
import { withUsersPage } from './users-page.ts';

const users = withUsersPage([
  {
    key: 'topics',
    label: 'Topics',
    kind: 'multiselect',
    enum: ['news', 'events', 'jobs', 'talks, online', 'a\\b'],
    enumLabels: { news: 'The news' },
    maxItems: 2,
  },
]);
const chart = () => users.page.getByRole('region', { name: 'Breakdown by Topics' });

describe('several choices in the dashboard', () => {
  it('are shown with their labels, filtered by, and counted each', async () => {
    await users.submit('ada@example.com', { topics: ['events', 'news'] });
    await users.submit('alan@example.com', { topics: ['news'] });
    await users.submit('grace@example.com', {});
    await users.logIn();
    await users.waitForText('All 3 people');
    const cells = async () => (await tableRows(users.page, 'Table of people')).map((row) => row.slice(0, 2));
    expect(await cells()).toEqual([
      ['grace@example.com', expect.stringContaining('No value')],
      ['alan@example.com', 'The news'],
      ['ada@example.com', 'The news, events'],
    ]);
    await users.page.getByLabel('Break down by').selectOption('Topics');
    const bars = async () =>
      (await chart().getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(bars).toEqual(['The news 2 66.7%', 'events 1 33.3%', 'No value 1 33.3%']);
    await chart()
      .getByRole('button', { name: /events/ })
      .click();
    await users.waitForText('1 matching person');
    expect(await users.chips()).toEqual(['Topics includes events']);

    await users.page.getByRole('button', { name: 'Topics includes events', exact: true }).click();
    await users.page.getByLabel('Condition').selectOption('includes one of');
    await users.page.getByRole('checkbox', { name: 'The news' }).check();
    await users.page.getByRole('checkbox', { name: 'jobs' }).check();
    await users.page.getByRole('button', { name: 'Apply' }).click();
    await users.waitForText('2 matching people');
    expect(await users.chips()).toEqual(['Topics includes one of The news, jobs']);
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
  });

  it('with commas and backslashes are filtered by, also after a reload and from a chip', async () => {
    await users.submit('ada@example.com', { topics: ['talks, online'] });
    await users.submit('alan@example.com', { topics: ['a\\b'] });
    await users.submit('grace@example.com', { topics: ['news'] });
    await users.logIn();
    await users.waitForText('All 3 people');
    await users.page.getByRole('button', { name: 'Add filter' }).click();
    await users.page.getByLabel('Field').selectOption('Topics');
    await users.page.getByLabel('Condition').selectOption('includes one of');
    await users.page.getByRole('checkbox', { name: 'talks, online' }).check();
    await users.page.getByRole('button', { name: 'Apply' }).click();
    await users.waitForText('1 matching person');
    expect(await users.emails()).toEqual(['ada@example.com']);
    await users.page.reload();
    await users.waitForText('1 matching person');
    await users.page.getByRole('button', { name: 'Topics includes one of talks, online', exact: true }).click();
    expect(await users.page.getByRole('checkbox', { name: 'talks, online' }).isChecked()).toBe(true);
    await users.page.getByRole('checkbox', { name: 'a\\b' }).check();
    await users.page.getByRole('button', { name: 'Apply' }).click();
    await users.waitForText('2 matching people');
    expect(await users.emails()).toEqual(['alan@example.com', 'ada@example.com']);
  });

  it('are edited with boxes, and the bounds are explained', async () => {
    await users.submit('ada@example.com', { topics: ['news'] });
    await users.logIn();
    await users.page.getByRole('link', { name: 'ada@example.com' }).click();
    await users.page.getByRole('button', { name: 'Edit', exact: true }).click();
    const group = users.page.getByRole('group', { name: 'Topics' });
    expect(await group.getByRole('checkbox', { name: 'The news' }).isChecked()).toBe(true);
    await group.getByRole('checkbox', { name: 'jobs' }).check();
    await group.getByRole('checkbox', { name: 'events' }).check();
    await users.page.getByRole('button', { name: 'Save', exact: true }).click();
    await users.page.getByText('must have at most 2 choices').waitFor();
    await group.getByRole('checkbox', { name: 'The news' }).press('Space');
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
    await users.page.getByRole('button', { name: 'Save', exact: true }).click();
    await users.page.getByRole('definition').getByText('events, jobs').waitFor();
    const { db } = users.server;
    const record = await db.collection('users').findOne({ sourceAppId: users.app.sourceAppId });
    expect(record?.data).toEqual({ topics: ['events', 'jobs'] });
  });

  it('are defined in the schema editor, with labels, a default and a preview', async () => {
    await users.logInAsAdmin();
    await users.goTo(`/apps/${users.app.sourceAppId}`);
    await users.page.getByRole('button', { name: /^Topics / }).click();
    await users.page.getByRole('button', { name: 'More options' }).click();
    await users.page.getByLabel('Max choices').fill('1');
    const initial = users.page.getByRole('group', { name: 'Default value' });
    await initial.getByRole('checkbox', { name: 'jobs' }).check();
    await initial.getByRole('checkbox', { name: 'news' }).check();
    await users.page.getByText('must have at most 1 choice', { exact: false }).first().waitFor();
    await initial.getByRole('checkbox', { name: 'jobs' }).uncheck();
    expect(await axeViolationsInBothModes(users.page)).toEqual([]);
    await users.page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = users.page.getByRole('dialog', { name: /Save version/ });
    await dialog.getByText('max choices changed: 2 → 1').waitFor();
    await dialog.getByRole('button', { name: /Save version/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { body } = await users.server.admin.get(`/auth/apps/${users.app.sourceAppId}/schema`).expect(200);
    expect(body.fields[0]).toMatchObject({ maxItems: 1, default: ['news'], enumLabels: { news: 'The news' } });
  });
});
