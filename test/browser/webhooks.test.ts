// @module-tag long

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { Receiver } from '../support/peers/receiver.ts';
import { RECEIVER_FOLDER } from '../support/peers/receiver-process.ts';
import type { Client, TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { row, withWebhooks } from './webhook-pages.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

let server: TestServer;
let app: TestApp;
let receiver: Receiver;
let operator: Client;
const { openAs, show, submit, create, choose } = withWebhooks((test) => {
  ({ server, app, receiver, operator } = test);
});

describe('the webhooks of an app', () => {
  it('are added with a secret that is shown once, tested, changed and deleted', async () => {
    const page = await show('/users');
    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('example.com');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('The URL must be an absolute http or https URL').waitFor();
    expect(await dialog.getByRole('link').count()).toBe(0);
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('checkbox', { name: 'Erased' }).uncheck();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText("You won't see this again").waitFor();
    const secret = await dialog.locator('code').innerText();
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Copy secret' }).click();
    await dialog.getByRole('checkbox', { name: "I've saved this secret" }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('People created, updated', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: `Send test event to ${receiver.url}` }).click();
    await page.getByText('The test event was accepted').waitFor();
    await page.getByText(/^Status 200 · \d/).waitFor();
    const [{ text, headers } = { text: '', headers: {} }] = receiver.received;
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
    receiver.answer = () => ({ status: 500, body: '<b>broken</b>' });
    await page.getByRole('button', { name: `Send test event to ${receiver.url}` }).click();
    await page.getByText('The test event was not accepted').waitFor();
    await page.getByText('<b>broken</b>').waitFor();

    await choose(page, 'Change URL and events');
    await dialog.getByRole('checkbox', { name: 'Created' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Updated' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Choose at least one event.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Erased' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('People erased', { exact: true }).waitFor();

    await choose(page, 'Delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await choose(page, 'Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await server.db.collection('webhooks').countDocuments({ sourceAppId: app.sourceAppId })).toBe(0);
  });

  it('have a URL that breaks after a slash only, and is cut where a part is longer than a line', async () => {
    const url = `https://hooks.receiver.example.com/services/newsletter/subscriptions/${'x'.repeat(80)}`;
    const { body } = await operator.post('/auth/webhooks', { url, events: ['user.created'] }).expect(200);
    const page = await show('/webhooks');
    await page.setViewportSize({ width: 375, height: 740 });
    for (const path of ['', `/${body.id}`]) {
      await page.goto(`${server.listener.url}/dashboard/apps/${app.sourceAppId}/webhooks${path}`);
      const shown = page.getByTitle(url);
      await shown.waitFor();
      expect(await shown.innerText()).toBe(url);
      // Each part is on one line.
      const lines = await page.evaluate(`
        [...document.querySelector('[title^="https://hooks"]').childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        })`);
      expect(lines).toEqual([1, 1, 1, 1, 1, 1]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    }
  });

  it('name the setting of the service that refuses a URL, with a link to what explains it', async () => {
    const page = await show('/webhooks');
    const errors = [{ path: 'url', message: 'must begin with https://', code: 'notHttps' }];
    const json = { message: 'Invalid webhook', code: 'invalidWebhook', errors };
    await page.route('**/auth/webhooks?*', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 400, json }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('http://example.com/hooks');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('The URL must begin with https://. The setting').waitFor();
    const link = dialog.getByRole('link', { name: 'WEBHOOKS_ALLOW_PRIVATE' });
    expect(await link.getAttribute('href')).toMatch(/^\/docs\/operations\.md/);
  });

  it('post messages to a chat, whose URL is not shown again', async () => {
    const url = new URL('/services/secret-of-a-channel', receiver.url).href;
    const shown = `${new URL(url).origin}/…`;
    const page = await show('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Receiver').selectOption('Slack');
    await dialog.getByText('The URL of an incoming webhook of a Slack app.').waitFor();
    await dialog.getByLabel('URL').fill(url);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('gets a message for each event from now on').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Slack', { exact: true }).waitFor();

    await page.getByRole('button', { name: `Send test event to ${shown}` }).click();
    await page.getByText('The test event was accepted').waitFor();
    expect(JSON.parse(receiver.received[0]?.text ?? '')).toMatchObject({
      mrkdwn: false,
      blocks: [{ type: 'header' }, {}, {}],
    });

    await page.getByRole('button', { name: `Actions for ${shown}` }).click();
    await page.getByRole('menuitem', { name: 'Change URL and events' }).click();
    expect(await dialog.getByLabel('URL').inputValue()).toBe('');
    await dialog.getByLabel('Receiver').selectOption('Plain text');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Plain text', { exact: true }).waitFor();
    await submit({ name: 'Ada' });
    expect((await receiver.until(2))[1]?.text).toContain('name: Ada');
    expect(await page.content()).not.toContain('secret-of-a-channel');

    await page.getByRole('button', { name: `Actions for ${shown}` }).click();
    await page.getByRole('menuitem', { name: 'Change URL and events' }).click();
    await dialog.getByLabel('Receiver').selectOption('Program');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The URL must be an absolute http or https URL').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).waitFor();
  });

  it('at a private address are refused at the field of the URL, when added and when changed', async () => {
    const { id } = await create();
    const strict = await startServer({}, server.database);
    let page: Page | undefined;
    try {
      page = await openAs(strict, app, '/webhooks');
      const refused = 'The URL must not name a private address or localhost.';
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      await dialog.getByLabel('URL').fill('https://192.168.0.1/hooks');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.getByText(refused).waitFor();
      expect(await dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await choose(page, 'Change URL and events');
      await dialog.getByLabel('URL').fill('https://localhost/');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText(refused).waitFor();
      await dialog.getByLabel('URL').fill('https://example.com/');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Actions for https://example.com/' }).waitFor();
      expect((await operator.get('/auth/webhooks').expect(200)).body.webhooks).toMatchObject([{ id }]);
    } finally {
      await page?.close();
      await strict.close();
    }
  });

  it('get a new secret beside the old one', async () => {
    const { id, secret } = await create();
    const page = await show('/webhooks');
    await choose(page, 'Rotate secret');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For 24 hours each event is signed with both secrets').waitFor();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText("You won't see this again").waitFor();
    const rotated = await dialog.locator('code').innerText();
    expect(rotated).not.toBe(secret);
    await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    const [{ text, headers } = { text: '', headers: {} }] = receiver.received;
    for (const one of [secret, rotated]) {
      expect(() => new Webhook(one).verify(text, headers as Record<string, string>)).not.toThrow();
    }
  });

  it('show why they are disabled, and are enabled again', async () => {
    receiver.answer = () => ({ status: 410 });
    await create();
    const page = await show('/webhooks');
    await page.getByText('Active', { exact: true }).waitFor();
    await choose(page, 'Disable');
    await page.getByText('Switched off by an operator').waitFor();
    await page.getByRole('button', { name: `Enable ${receiver.url}` }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await submit({ name: 'Ada' });
    await page.getByRole('link', { name: receiver.url, exact: true }).click();
    await page.getByText('It answered 410 Gone').waitFor();
    await page.getByText('Nothing is delivered while the webhook is disabled.').waitFor();
    expect(await page.getByRole('button', { name: 'Replay since…' }).isDisabled()).toBe(true);
  });

  it('show since when they fail', async () => {
    receiver.answer = () => ({ status: 500 });
    await create();
    await submit({ name: 'Ada' });
    await receiver.until(1);
    await expect
      .poll(() => server.db.collection('webhooks').findOne({ failingSince: { $exists: true }, url: receiver.url }))
      .not.toBeNull();
    const page = await show('/webhooks');
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByText('since just now; disabled after five days').waitFor();
  });

  it('of any app are open to admins', async () => {
    const { id } = await create();
    const page = await openAs(server, ADMIN, `/apps/${app.sourceAppId}`);
    await page.getByRole('link', { name: 'Automation' }).click();
    await page.getByRole('button', { name: `Send test event to ${receiver.url}` }).click();
    await page.getByText('The test event was accepted').waitFor();
    const { body } = await submit({ name: 'Ada' });
    await page.getByRole('link', { name: `Deliveries to ${receiver.url}` }).click();
    expect(page.url()).toContain(`/apps/${app.sourceAppId}/webhooks/${id}`);
    await row(page, /Delivered.*user.created/).waitFor();
    await page.getByRole('link', { name: body.id }).click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
  });

  it('of another app are not found', async () => {
    const page = await show('/webhooks/01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57');
    await page.getByRole('heading', { level: 1, name: 'Webhook not found' }).waitFor();
  });
});

describe('the code that verifies signatures', () => {
  it('is the program that the tests run, in each language', async () => {
    const page = await show('/webhooks');
    for (const [name, file] of [
      ['Node.js', 'receiver.mjs'],
      ['Python', 'receiver.py'],
      ['Go', 'receiver.go'],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      const shown = await page.getByRole('tabpanel', { name }).locator('pre').textContent();
      expect(shown).toBe(await readFile(join(RECEIVER_FOLDER, file), 'utf8'));
      await page.getByText(`Save it as ${file}`).waitFor();
    }
  });
});
