// @module-tag long

import { describe, expect, it } from 'vitest';
import { goWithin, logIn } from '../support/browser/browser.ts';
import { joinApp } from '../support/server/accounts.ts';
import { createKey } from '../support/server/keys.ts';
import { rename, untilRenamed } from '../support/server/renames.ts';
import { ADMIN_PASSWORD, type TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { ADMIN, SchemaPage } from './schema-page.ts';

let server: TestServer;
let schema: SchemaPage;
withServer(
  (started) => {
    server = started;
  },
  { writesEndMs: 300 },
);
withPage(async () => {
  schema = await SchemaPage.open(server);
  return schema;
});

describe('the versions of a schema', () => {
  it('can be edited as JSON, and only valid JSON is applied', async () => {
    await schema.go('JSON');
    const text = schema.page.getByLabel('Schema as JSON');
    await text.fill('{ "rejectUnknown": true, ');
    await schema.page.getByRole('alert').getByRole('listitem').getByText('JSON').waitFor();
    await text.fill(JSON.stringify({ rejectUnknown: 1, fields: [{ key: '9', kind: 'text' }], more: true }));
    for (const problem of [
      'more is not a known property',
      'rejectUnknown must be true or false',
      'fields.0.key: must start',
    ]) {
      await schema.page.getByRole('alert').getByText(problem).waitFor();
    }
    // It is kept when the tab or the page is left. The fields wait: it would replace their changes.
    await schema.go('Fields');
    await schema.page.getByText('The text in the JSON tab is not a valid schema yet').waitFor();
    expect(await schema.fields.count()).toBe(0);
    expect(await schema.page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await schema.page.getByRole('link', { name: 'Share the form' }).click();
    await schema.page.getByRole('heading', { level: 1, name: 'Share the form' }).waitFor();
    await schema.page.goBack();
    await schema.page.getByRole('link', { name: 'Go to the JSON tab' }).click();
    expect(JSON.parse(await text.inputValue())).toMatchObject({ more: true });
    await text.fill(JSON.stringify({ rejectUnknown: true, fields: [{ key: 'city', kind: 'text', required: true }] }));
    await schema.page.getByText('The schema is invalid').waitFor({ state: 'detached' });
    await schema.press('Discard');
    expect(JSON.parse(await text.inputValue()).fields).toHaveLength(3);
    await schema.press('Undo');
    expect(JSON.parse(await text.inputValue()).fields).toHaveLength(1);
    await schema.go('Fields');
    expect(await schema.keys()).toEqual(['city']);
    await schema.save();
    expect(await schema.stored()).toEqual({
      version: 3,
      rejectUnknown: true,
      fields: [{ key: 'city', label: 'city', kind: 'text', required: true }],
    });
  });

  it('are listed with their changes and can be loaded into the editor', async () => {
    await server.admin
      .putSchema(schema.app.sourceAppId, { fields: [{ key: 'name', label: 'Name', kind: 'text' }] })
      .expect(200);
    await schema.go('Versions');
    await schema.page.getByRole('button', { name: /Version 3 · live/ }).click();
    await schema.page.getByText('“Age” (age) removed').waitFor();
    await schema.page.getByText('“Name” (name) label changed: “Full name” → “Name”').waitFor();
    await schema.page.getByText('Schema version 3 · live').waitFor();
    await schema.page.getByRole('button', { name: /^Version 2/ }).click();
    await schema.press('Load into editor');
    await schema.field('Full name').waitFor();
    expect(await schema.keys()).toEqual(['name', 'plan', 'age']);
    await schema.save();
    expect(await schema.stored()).toMatchObject({
      version: 4,
      fields: [{ key: 'name' }, { key: 'plan' }, { key: 'age' }],
    });
  });

  it('name the people and API keys that stored them, also deleted ones', async () => {
    const { sourceAppId } = schema.app;
    const fields = [{ key: 'name', label: 'Name', kind: 'text' as const }];
    const member = await joinApp(server, sourceAppId, 'manager');
    const key = await createKey(server, server.admin, ['schema:write'], { sourceAppId });
    await member.client.putSchema(sourceAppId, { fields }).expect(200);
    await key.send('put', `/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, fields }).expect(200);
    const version = (number: number) => schema.page.getByRole('button', { name: new RegExp(`^Version ${number}`) });
    await schema.go('Versions');
    await version(4).getByText('by API key test', { exact: true }).waitFor();
    await version(3)
      .getByText(/^by Member \d+$/)
      .waitFor();
    await version(2).getByText('by admin', { exact: true }).waitFor();
    await server.admin.delete(`/auth/keys/${key.id}?sourceAppId=${sourceAppId}`).expect(200);
    await server.admin.delete(`/auth/accounts/${member.id}`).expect(200);
    await schema.page.reload();
    await schema.go('Versions');
    await version(4).getByTitle(key.id, { exact: true }).getByText('by Deleted API key').waitFor();
    await version(3).getByTitle(member.id, { exact: true }).getByText('by Deleted account').waitFor();
  });

  it('are loaded into the editor as renames back when fields were renamed since', async () => {
    const { sourceAppId } = schema.app;
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    const fields = [{ key: 'fullName', label: 'Full name', kind: 'text' }];
    await rename(server.admin, sourceAppId, { fields, renames: [{ from: 'name', to: 'fullName' }] } as never).expect(
      200,
    );
    await untilRenamed(server, sourceAppId);
    await schema.go('Versions');
    await schema.page.getByRole('button', { name: /^Version 2/ }).click();
    await schema.press('Load into editor');
    await schema.field('Plan').waitFor();
    const dialog = await schema.review();
    await dialog.getByText('key changed: fullName → name; stored values move to the new key').waitFor();
    await dialog.getByRole('button', { name: 'Save version 4' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { body } = await server.admin.get('/auth/admin/users').query({ sourceAppId }).expect(200);
    expect(body.users[0].data).toEqual({ name: 'Ada' });
  });

  it('keep a draft across a reload and the end of the session', async () => {
    await schema.press('Remove Age');
    await schema.page.getByText('1 unsaved change').waitFor();
    // Another page asks too.
    await goWithin(schema.page, '/apps');
    await schema.page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
    await server.db.collection('sessions').deleteMany({});
    const asked: string[] = [];
    schema.page.removeAllListeners('dialog');
    schema.page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await schema.page.reload();
    expect(asked).toEqual(['beforeunload']);
    await logIn(schema.page, ADMIN);
    await schema.page.goBack();
    await schema.page.getByText('Your unsaved changes were restored').waitFor();
    expect(await schema.keys()).toEqual(['name', 'plan']);
    await server.admin.logIn('admin', ADMIN_PASSWORD);
    await schema.save();
    await schema.page.reload();
    await schema.page.getByText('No changes').waitFor();
  });

  it('are not found when the app does not exist', async () => {
    await schema.page.goto(`${server.listener.url}/dashboard/apps/none`);
    await schema.page.getByText('No app has the ID none').waitFor();
  });
});
