// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, tableRows, type Visit, visit, visitAs } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let open: Visit;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  open = await visitAs(server, ADMIN);
});
afterEach(async () => {
  open.expectClean();
  await open.close();
});

const runAction = async (sourceAppId: string, action: string) => {
  await open.page.getByRole('button', { name: `Actions for ${sourceAppId}` }).click();
  await open.page.getByRole('menuitem', { name: action }).click();
};
const canLogIn = async (sourceAppId: string, password: string) =>
  (await server.client.post('/auth/login', { sourceAppId, password })).status === 200;

describe('apps', () => {
  it('prompt a new administrator to create the first app', async () => {
    await open.page.getByText('Create your first app').waitFor();
    expect(await open.page.getByRole('region', { name: 'Table of apps' }).count()).toBe(0);
  });

  it('are created with a password that is shown only once', async () => {
    await open.page.getByRole('button', { name: 'Create app' }).first().click();
    const dialog = open.page.getByRole('dialog');
    const create = async (name: string) => {
      await dialog.getByLabel('App ID').fill(name);
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    };
    await create('no spaces');
    await dialog.getByText('The app ID must be 1 to 80 letters, digits').waitFor();
    await create('admin');
    await dialog.getByText('An app with this ID already exists').waitFor();
    await create('shop');
    await open.page.getByRole('dialog', { name: 'shop was created' }).waitFor();
    await dialog.getByText("You won't see this again").waitFor();
    const password = await dialog.locator('code').innerText();
    expect(await canLogIn('shop', password)).toBe(true);
    const { body } = await server.admin.get('/auth/apps/shop/history').expect(200);
    expect(body).toMatchObject({ submissions: true });

    const done = dialog.getByRole('button', { name: 'Define fields' });
    expect(await done.isDisabled()).toBe(true);
    await open.page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('checkbox', { name: "I've saved this password" }).check();
    await done.click();
    await dialog.waitFor({ state: 'hidden' });
    await open.page.getByRole('heading', { level: 1, name: 'Fields' }).waitFor();
    expect(new URL(open.page.url()).pathname).toBe('/dashboard/apps/shop/form');
    expect(await open.page.content()).not.toContain(password);
    await open.page.goto(`${new URL(open.page.url()).origin}/dashboard/apps`);
    await open.page.getByRole('link', { name: 'shop' }).waitFor();
  });

  it('get a new password, which replaces the old one', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await open.page.reload();
    await runAction(sourceAppId, 'Rotate password');
    const dialog = open.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Rotate password' }).waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Current password' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Rotate password' }).click();
    await open.page.getByRole('dialog', { name: 'New password' }).waitFor();
    const fresh = await dialog.locator('code').innerText();
    expect(await canLogIn(sourceAppId, fresh)).toBe(true);
    expect(await canLogIn(sourceAppId, password)).toBe(false);
  });

  it('of the administrator get a new password only with the current one', async () => {
    const { app, password } = await server.services.apps.create('own-admin', 'admin');
    const own = await visit(server);
    try {
      await logIn(own.page, { sourceAppId: app.sourceAppId, password });
      await own.page.getByText('Administrators log in as own-admin.').locator('..').getByRole('button').click();
      const dialog = own.page.getByRole('dialog');
      const current = dialog.getByRole('textbox', { name: 'Current password' });
      const make = dialog.getByRole('button', { name: 'Rotate password' });
      await make.click();
      expect(await dialog.locator('input:invalid').count()).toBe(1);
      await current.fill('wrong');
      await make.click();
      await dialog.getByText('The current password is wrong.').waitFor();
      expect(await canLogIn(app.sourceAppId, password)).toBe(true);
      await current.fill(password);
      await make.click();
      await own.page.getByRole('dialog', { name: 'New password' }).waitFor();
      expect(await canLogIn(app.sourceAppId, await dialog.locator('code').innerText())).toBe(true);
      expect(await canLogIn(app.sourceAppId, password)).toBe(false);
      own.expectClean();
    } finally {
      await own.close();
    }
  });

  it('are deleted with their people after the app ID was typed', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    for (const name of ['a', 'b'])
      await server.client.submit(sourceAppId, { email: `${name}@example.com` }).expect(200);
    await open.page.reload();
    await open.page.getByRole('row', { name: new RegExp(`${sourceAppId} 2`) }).waitFor();
    await runAction(sourceAppId, 'Delete');
    const dialog = open.page.getByRole('dialog', { name: 'Delete app' });
    await dialog.getByText('its 2 people', { exact: true }).waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete app and 2 people' });
    await dialog.getByLabel('App ID').fill('admin');
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel('App ID').fill(sourceAppId);
    await remove.click();
    await open.page.getByText('2 people were deleted').waitFor();
    await open.page.getByRole('link', { name: sourceAppId, exact: true }).waitFor({ state: 'detached' });
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(0);
  });

  it('are not listed when administrators log in with them, so nobody deletes one', async () => {
    await open.page.getByText('Administrators log in as admin.').waitFor();
    expect(await open.page.getByRole('button', { name: 'Actions for admin' }).count()).toBe(0);
  });

  it('list the people of all apps or of one app, and open their records', async () => {
    const [one, two] = [await server.admin.buildApp(), await server.admin.buildApp()];
    await server.client.submit(one.sourceAppId, { email: 'one@example.com', data: { name: 'One' } }).expect(200);
    await server.client.submit(two.sourceAppId, { email: 'two@example.com' }).expect(200);
    await open.page.reload();
    await open.page.getByRole('link', { name: 'All people' }).click();
    await open.page.getByRole('link', { name: 'two@example.com' }).waitFor();
    expect((await tableRows(open.page, 'Table of people')).slice(0, 2).map((row) => row.slice(0, 2))).toEqual([
      ['two@example.com', two.sourceAppId],
      ['one@example.com', one.sourceAppId],
    ]);
    const search = open.page.getByLabel('Search the data of all apps');
    await search.fill('ONE');
    const found = async () => (await tableRows(open.page, 'Table of people')).map(([email]) => email);
    await expect.poll(found).toEqual(['one@example.com']);
    await search.fill('nobody at all');
    await open.page.getByText('No people match').waitFor();
    await search.fill('one');
    await open.page.getByRole('link', { name: 'one@example.com' }).click();
    await open.page.getByRole('definition').getByText('One', { exact: true }).waitFor();
    await open.page.goBack();
    await open.page.getByRole('link', { name: one.sourceAppId, exact: true }).click();
    await open.page.getByText('1 person', { exact: true }).waitFor();
    // Nothing is held, so the sidebar does not lead there.
    expect(await open.page.getByRole('link', { name: /^Held/ }).count()).toBe(0);
  });

  it('are searched and paged by the server, and link their people', async () => {
    for (let index = 0; index < 51; index += 1) await server.services.apps.create(`many-${100 + index}`, 'user');
    await server.services.apps.create('zebra', 'user');
    await server.client.submit('zebra', { email: 'stripes@example.com' }).expect(200);
    await open.page.reload();
    await open.page.getByText('Administrators log in as admin.').waitFor();
    const shown = await tableRows(open.page, 'Table of apps');
    expect(shown.length).toBeGreaterThan(45);
    expect(shown.map(([id]) => id)).not.toContain('admin');
    const last = open.page.getByRole('link', { name: 'zebra', exact: true });
    expect(await last.count()).toBe(0);
    await open.page.getByRole('button', { name: 'Show more apps' }).click();
    await last.waitFor();
    const search = open.page.getByLabel('Search apps');
    await open.page.getByRole('columnheader', { name: 'Created' }).getByRole('button').click();
    await expect.poll(async () => (await tableRows(open.page, 'Table of apps'))[0]?.[0]).toBe('zebra');
    await open.page.getByRole('columnheader', { name: 'Last submission' }).getByRole('button').click();
    await expect
      .poll(async () => (await tableRows(open.page, 'Table of apps'))[0]?.slice(0, 2))
      .toEqual(['zebra', '1']);
    await search.fill('none of them');
    await open.page.getByText('No apps match').waitFor();
    await search.fill('ZEB');
    await expect.poll(async () => (await tableRows(open.page, 'Table of apps')).map(([id]) => id)).toEqual(['zebra']);
    await open.page.reload();
    await last.click();
    await open.page.getByRole('link', { name: 'People', exact: true }).click();
    await open.page.getByRole('link', { name: 'stripes@example.com' }).waitFor();
  });
});
