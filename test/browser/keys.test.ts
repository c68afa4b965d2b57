// @module-tag long

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey, withKey } from '../support/server/keys.ts';
import { ADMIN_PASSWORD, sharedServer, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp();
});

async function open(path: string, as = app): Promise<Visit> {
  const opened = await visitAs(server, as, path);
  return opened;
}

describe('the API keys page', () => {
  it('creates a key that works, and shows it once', async () => {
    const { page, expectClean, close } = await open('/users');
    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText(`Programs use API keys to read, change and submit people of ${app.sourceAppId}`).waitFor();
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Nightly <b>export</b>');
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Read people' }).check();
    await dialog.getByRole('checkbox', { name: 'Export' }).check();
    // Only administrators give it.
    expect(await dialog.getByRole('checkbox', { name: 'Replace the schema' }).count()).toBe(0);
    await dialog.getByLabel('Networks').fill('10.0/8');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Each entry must be an IP address or a network').waitFor();
    await dialog.getByLabel('Networks').fill('127.0.0.0/8,\n::1');
    await dialog.getByRole('button', { name: 'Create' }).dblclick();

    await dialog.getByText("You won't see this again").waitFor();
    const key = await dialog.getByText(/^uck_\S{43}$/).innerText();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    await dialog.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    const command = await dialog.locator('pre').innerText();
    expect(command).toContain(`curl -sS '${server.listener.url}/auth/users?limit=1' `);
    await page.keyboard.press('Escape');
    // Back is cancelled.
    await expect(page.evaluate('Promise.all(Object.values(navigation.back()))')).rejects.toThrow('AbortError');
    expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: "I've saved this key" }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(key);

    const row = page.getByRole('row', { name: /Nightly <b>export<\/b>/ });
    for (const text of ['From 127.0.0.0/8, ::1/128', 'Read people', 'Export', 'Never used']) {
      await row.getByText(text, { exact: true }).last().waitFor();
    }
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ users: [], limit: 1 });
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    expect((await operator.get('/auth/keys')).body.keys).toHaveLength(1);
    const lastUse = async () => (await operator.get('/auth/keys')).body.keys[0].lastUsedAt;
    await expect.poll(lastUse).not.toBeNull();
    await page.reload();
    await row.getByText('just now').last().waitFor();
    await row
      .getByText(/^from .*127\.0\.0\.1$/)
      .last()
      .waitFor();
    expectClean();
    await close();
  });

  it('shows a command that submits example values of the schema', async () => {
    const plan = { key: 'plan', kind: 'select' as const, enum: ['free', 'pro'], required: true };
    await server.admin.putSchema(app.sourceAppId, { fields: [plan] }).expect(200);
    const { page, expectClean, close } = await open('/keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('checkbox', { name: 'Submit' }).check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const { stdout } = await promisify(execFile)('sh', ['-c', await dialog.locator('pre').innerText()]);
    expect(JSON.parse(stdout)).toHaveProperty('id');
    expectClean();
    await close();
  });

  it('deletes a key after a confirmation', async () => {
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    const { send } = await createKey(server, operator, ['users:read']);
    const { page, expectClean, close } = await open('/keys');
    await page.getByRole('button', { name: 'Delete test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this API key?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await send('get', '/auth/users').expect(200);
    await page.getByRole('button', { name: 'Delete test' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No API keys yet').waitFor();
    await send('get', '/auth/users').expect(401);
    expectClean();
    await close();
  });

  it('lets administrators give any scope, to the keys of any app', async () => {
    const { page, expectClean, close } = await open('/apps', { sourceAppId: 'admin', password: ADMIN_PASSWORD });
    // The server has more apps than one page shows.
    await page.getByLabel('Search apps').fill(app.sourceAppId);
    await page.getByRole('button', { name: `Actions for ${app.sourceAppId}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'API keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByRole('checkbox', { name: 'Replace the schema' }).check();
    await dialog.getByLabel('Ends').selectOption('Never');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const key = await dialog.getByText(/^uck_\S{43}$/).innerText();
    await withKey(server, key)('get', `/auth/apps/${app.sourceAppId}/schema`).expect(200);
    await dialog.getByRole('checkbox', { name: "I've saved this key" }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /CI/ }).getByText('Never ends').last().waitFor();
    expectClean();
    await close();
  });

  it('has the lines that connect an assistant, where the service has tools', async () => {
    const own = await startServer({ MCP: 'true' });
    try {
      const { page, expectClean, close } = await visitAs(own, await own.admin.buildApp(), '/keys');
      const card = page.getByRole('region', { name: 'Assistants' });
      await card.getByText('~/.cursor/mcp.json').waitFor();
      const { mcpServers } = JSON.parse(await card.locator('pre').innerText());
      expect(mcpServers).toEqual({
        'user-collection': { url: `${own.listener.url}/mcp`, headers: { Authorization: 'Bearer uck_…' } },
      });
      await card.getByRole('tab', { name: 'VS Code' }).click();
      const { servers } = JSON.parse(await card.locator('pre').innerText());
      expect(servers['user-collection']).toEqual({
        type: 'http',
        url: `${own.listener.url}/mcp`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an input of VS Code
        headers: { Authorization: 'Bearer ${input:key}' },
      });
      expectClean();
      await close();
      const others = await open('/keys');
      await others.page.getByText('No API keys yet').waitFor();
      expect(await others.page.getByRole('region', { name: 'Assistants' }).count()).toBe(0);
      await others.close();
    } finally {
      await own.close();
    }
  });
});
