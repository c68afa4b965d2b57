// @module-tag long

import { describe, expect, it } from 'vitest';
import { goWithin, pathAs, visitAs } from '../support/browser/browser.ts';
import { rename } from '../support/server/renames.ts';
import { withUsersPage } from './users-page.ts';

const TEXT = { kind: 'text' } as const;
const users = withUsersPage([
  { key: 'name', label: 'Full name', ...TEXT },
  { key: 'town', label: 'Town', ...TEXT },
  { key: 'note', label: 'Note', ...TEXT },
]);

/** Names each field of the first schema, in every part of a link. */
const LINK =
  '/users?where=data.town:eq:Rome&where=data.note:eq:x&sort=data.town&order=asc&columns=email,data.note,data.name&by=data.town';

/** Renames `town` to `city`, then to `place`, and removes `note`. */
async function renameFields(rejectUnknown: boolean): Promise<void> {
  const { admin } = users.server;
  const { sourceAppId } = users.app;
  const name = { key: 'name', label: 'Full name', ...TEXT };
  const steps = [
    { from: 'town', to: 'city' },
    { from: 'city', to: 'place' },
  ];
  for (const step of steps) {
    const fields = [name, { key: step.to, label: 'Place', ...TEXT }];
    const replace = async () => (await rename(admin, sourceAppId, { rejectUnknown, fields, renames: [step] })).status;
    // Another rename waits until the values of the one before have moved.
    await expect
      .poll(
        () => {
          users.server.services.jobs.wake('renames');
          return replace();
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBe(200);
  }
}

const note = () => users.page.getByRole('status').filter({ hasText: 'Parts of this link were left out' });
const parameters = () => new URL(users.page.url()).searchParams;

describe('a link from before a field was renamed', () => {
  it.each([true, false])(
    'shows the field under its new key to who may read the versions, and names the rest (%s)',
    async (rejectUnknown) => {
      await users.submit('ada@example.com', { name: 'Ada', town: 'Rome', note: 'x' });
      await users.submit('alan@example.com', { name: 'Alan', town: 'Oslo', note: 'x' });
      await renameFields(rejectUnknown);

      await users.logInAsAdmin();
      await users.goTo(`/apps/${users.app.sourceAppId}${LINK}`);
      await note().waitFor();
      expect(await note().getByRole('listitem').allInnerTexts()).toEqual(['Filter: note is x', 'Column: note']);
      await users.waitForText('1 matching person');
      expect(await users.emails()).toEqual(['ada@example.com']);
      expect(await users.chips()).toEqual(['Place is Rome']);
      await users.page.getByRole('region', { name: 'Breakdown by Place' }).waitFor();
      expect(parameters().getAll('where')).toEqual(['data.place:eq:Rome', 'data.note:eq:x']);
      expect(parameters().get('sort')).toBe('data.place');

      await users.logIn();
      await users.goTo(LINK);
      await note().waitFor();
      expect(await note().getByRole('listitem').allInnerTexts()).toEqual([
        'Filter: town is Rome',
        'Filter: note is x',
        'Column: note',
        'Order by town',
        'Breakdown by town',
      ]);
      await users.waitForText('All 2 people');
      expect(await users.emails()).toEqual(['alan@example.com', 'ada@example.com']);
      expect(await users.page.getByRole('alert').count()).toBe(0);
      await users.page.getByRole('columnheader', { name: 'Full name' }).getByRole('button').click();
      await expect.poll(users.emails).toEqual(['ada@example.com', 'alan@example.com']);
    },
    120_000,
  );
});

describe('a request that failed', () => {
  it('leads to the whole list when the service refuses the link', async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    await users.goTo('/users?where=data.name:gte:1&sort=data.name&order=asc');
    const alert = users.page.getByRole('alert');
    await alert.getByText('Could not load the data').waitFor();
    expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await alert.getByRole('button', { name: 'Show all people' }).click();
    await users.waitForText('1–1 of 1');
  });

  it('is offered again only where that can help', async () => {
    const { page, close } = await visitAs(users.server, users.app, '/share');
    let status = 0;
    await page.route(/\/auth\/users\?/, (route) => route.fulfill({ status, json: { message: `Refused: ${status}` } }));
    const offered: [status: number, buttons: number][] = [];
    const statuses = [400, 403, 404, 409, 429, 500, 503];
    for (status of statuses) {
      // Another list, which is not loaded yet.
      await goWithin(page, pathAs(users.app, `/users?q=status${status}`));
      const alert = page.getByRole('alert').filter({ hasText: `Refused: ${status}` });
      await alert.getByText('Could not load the data').waitFor();
      offered.push([status, await alert.getByRole('button', { name: 'Try again' }).count()]);
    }
    expect(offered).toEqual(statuses.map((one) => [one, one >= 429 ? 1 : 0]));
    await close();
  });
});
