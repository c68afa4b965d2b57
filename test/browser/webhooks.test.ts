import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/axe.ts';
import { closeBrowser, goWithin, type Visit, visitAs } from '../support/browser.ts';
import { Client, type TestApp } from '../support/client.ts';
import { Receiver } from '../support/receiver.ts';
import { RECEIVER_FOLDER } from '../support/receiver-process.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const SCREEN = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 640 };

let server: TestServer;
let app: TestApp;
let receiver: Receiver;
let operator: Client;
let open: Visit;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  receiver = await Receiver.start();
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(async () => {
  await receiver.close();
  open?.expectClean();
  await open?.close();
});

/** Asks for a pause, so that the test sees the delivery wait. */
const BUSY = { status: 503, headers: { 'Retry-After': '600' }, body: 'try <later>' };
const ALL = ['user.created', 'user.updated', 'user.erased'];
const submit = (data: object, email = 'ada@example.com') =>
  server.client.submit(app.sourceAppId, { email, data }).expect(200);
const create = async (): Promise<{ id: string; secret: string }> =>
  (await operator.post('/auth/webhooks', { url: receiver.url, events: ALL }).expect(200)).body;
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });

async function show(path: string): Promise<Page> {
  open = await visitAs(server, app, path);
  return open.page;
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('the webhooks of an app', () => {
  it('are added with a secret that is shown once, tested, changed and deleted', async () => {
    const page = await show('/users');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('example.com');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('The URL must be an absolute http or https URL').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('checkbox', { name: 'Erased' }).uncheck();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText("You won't see this again").waitFor();
    const secret = await dialog.locator('code').innerText();
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Copy secret' }).click();
    await dialog.getByRole('checkbox', { name: "I've saved this secret" }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Users created, updated', { exact: true }).waitFor();
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
    await page.getByText('Users erased', { exact: true }).waitFor();

    await choose(page, 'Delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await choose(page, 'Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await server.db.collection('webhooks').countDocuments({ sourceAppId: app.sourceAppId })).toBe(0);
  });

  it('at a private address are refused at the field of the URL, when added and when changed', async () => {
    const { id } = await create();
    const strict = await startServer({}, server.database);
    try {
      open = await visitAs(strict, app, '/webhooks');
      const { page } = open;
      const refused = 'The URL must not name a private address or localhost.';
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      await dialog.getByLabel('URL').fill('https://192.168.0.1/hooks');
      await dialog.getByRole('button', { name: 'Add' }).click();
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
      await open.page.close();
      await strict.close();
    }
  });

  it('get a new secret beside the old one', async () => {
    const { id, secret } = await create();
    const page = await show('/webhooks');
    await choose(page, 'Rotate secret');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The old one signs for 24 hours more').waitFor();
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
    open = await visitAs(server, ADMIN, `/apps/${app.sourceAppId}`);
    const { page } = open;
    await page.getByRole('link', { name: 'Webhooks' }).click();
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

describe('the deliveries of a webhook', () => {
  it('appear without a reload, and show what happened to them', async () => {
    const { id } = await create();
    receiver.answer = (_, index) => (index === 0 ? BUSY : undefined);
    const page = await show(`/webhooks/${id}`);
    await page.getByText('No deliveries yet').waitFor();
    const { body } = await submit({ name: 'Ada' });
    await row(page, /Waiting.*503.*Next attempt.*user.created/).waitFor();
    await page.getByRole('button', { name: `Try now user.created, revision 1 of ${body.id}` }).click();
    await row(page, /Delivered.*200.*2 attempts.*user.created/).waitFor();
    await submit({ name: 'Ada Lovelace' });
    await row(page, /Delivered.*user.updated.*2.*data.name/).waitFor();

    await page.getByRole('button', { name: `Details of user.created, revision 1 of ${body.id}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('try <later>').waitFor();
    const attempts = await dialog.getByRole('listitem').allInnerTexts();
    expect(attempts).toEqual([
      expect.stringMatching(/Status 503 · \d+ m?s\s+try <later>/),
      expect.stringMatching(/200/),
    ]);
    await dialog.getByText(`POST ${receiver.url}`).waitFor();
    await dialog.getByText('webhook-signature: v1,').waitFor();
    // The record as it is now.
    await dialog.getByText('"name": "Ada Lovelace"').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: body.id }).first().click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
  });

  it('are replayed one by one, and all since a time', async () => {
    const { id } = await create();
    const { body } = await submit({ name: 'Ada' });
    await submit({ name: 'Grace' }, 'grace@example.com');
    const page = await show(`/webhooks/${id}`);
    await expect.poll(() => row(page, /Delivered/).count()).toBe(2);
    await page.getByRole('button', { name: `Replay user.created, revision 1 of ${body.id}` }).click();
    const [first, , again] = await receiver.until(3);
    expect(again?.body).toEqual(first?.body);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await row(page, /Delivered.*2 attempts/).waitFor();

    await page.getByRole('button', { name: 'Replay since…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('2 events will be delivered again').waitFor();
    await receiver.until(5);
    await page.getByRole('button', { name: 'Replay since…' }).click();
    await dialog.getByLabel('Since').fill('2100-01-01T00:00');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Nothing to replay').waitFor();
    expect(receiver.received.length).toBe(5);
  });

  it('are filtered by state, page by page', async () => {
    receiver.answer = ({ body }) => ({ status: body.data.email === 'bad@example.com' ? 500 : 200 });
    const { id } = await create();
    await submit({ name: 'Bad' }, 'bad@example.com');
    for (let index = 0; index < 26; index += 1) await submit({ name: `N${index}` }, `user${index}@example.com`);
    await receiver.until(27);
    const page = await show(`/webhooks/${id}`);
    await expect.poll(() => row(page, /Delivered/).count()).toBe(25);
    await page.getByRole('button', { name: 'Older' }).click();
    await row(page, /Waiting.*500/).waitFor();
    expect(await row(page, /user.created/).count()).toBe(2);
    await page.getByLabel('State').selectOption('Waiting');
    await expect.poll(() => row(page, /Delivered/).count()).toBe(0);
    await row(page, /Waiting/).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No deliveries in this state').waitFor();
    await page.reload();
    await page.getByText('No deliveries in this state').waitFor();
  });

  it('of an erased record have no link and nothing of the person', async () => {
    const { id } = await create();
    const { body } = await submit({ name: 'Ada' });
    await receiver.until(1);
    await operator.delete(`/auth/users/${body.id}`).expect(200);
    const page = await show(`/webhooks/${id}`);
    await row(page, /Delivered.*user.erased/).waitFor();
    expect(await page.getByRole('link', { name: body.id }).count()).toBe(0);
    await page.getByRole('button', { name: `Details of user.erased, revision 2 of ${body.id}` }).click();
    await page.getByRole('dialog').getByText('"type": "user.erased"').waitFor();
    expect(await page.content()).not.toContain('ada@example.com');
  });
});

describe('the pages of webhooks', () => {
  type View = [name: string, show: (page: Page) => Promise<unknown>];
  const EMPTY_LIST: View = ['the empty list', (page) => page.getByText('No webhooks yet').waitFor()];
  const showDeliveries = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: receiver.url, exact: true }).click();
    await row(page, /Failed.*410/).waitFor();
  };
  /** Of one webhook that is disabled, which the last one enables. */
  const VIEWS: View[] = [
    ['the list', (page) => page.getByText('It answered 410 Gone').waitFor()],
    [
      'the result of a test',
      async (page) => {
        await page.getByRole('button', { name: `Send test event to ${receiver.url}` }).click();
        await page.getByText('The test event was not accepted').waitFor();
      },
    ],
    [
      'the actions',
      async (page) => {
        await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      },
    ],
    [
      'the form',
      async (page) => {
        await page.getByRole('button', { name: 'Add webhook' }).click();
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByText(/^The URL must/).waitFor();
      },
    ],
    [
      'a new secret',
      async (page) => {
        await choose(page, 'Rotate secret');
        await page.getByRole('button', { name: 'Rotate secret' }).click();
        await page.getByText("You won't see this again").waitFor();
      },
    ],
    ['the deliveries', showDeliveries],
    [
      'a delivery',
      async (page) => {
        await showDeliveries(page);
        await page.getByRole('button', { name: /^Details of user.created/ }).click();
        await page.getByText('"name": "Ada"').waitFor();
      },
    ],
    [
      'the form of replays',
      async (page) => {
        const { body } = await operator.get('/auth/webhooks').expect(200);
        await operator.patch(`/auth/webhooks/${body.webhooks[0].id}`, { enabled: true }).expect(200);
        await showDeliveries(page);
        await page.getByRole('button', { name: 'Replay since…' }).click();
        await page.getByLabel('Since').waitFor();
      },
    ],
  ];

  async function expectAccessible(page: Page, [name, showView]: View): Promise<void> {
    await page.setViewportSize(PHONE);
    await goWithin(page, '/none');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await goWithin(page, '/webhooks');
    await showView(page);
    for (const viewport of [PHONE, SCREEN]) {
      await page.setViewportSize(viewport);
      const found = await axeViolationsInBothModes(page, { isSerious: true });
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect({ name, viewport, found, width }).toEqual({ name, viewport, found: [], width: viewport.width });
    }
  }

  it('have no axe violations in both modes and fit a small phone', async () => {
    const page = await show('/webhooks');
    await expectAccessible(page, EMPTY_LIST);
    receiver.answer = () => ({ status: 410, body: '{"gone":true}' });
    await create();
    await submit({ name: 'Ada', long: 'x'.repeat(200) });
    await expect.poll(async () => (await operator.get('/auth/webhooks')).body.webhooks[0].disabledReason).toBe('gone');
    for (const view of VIEWS) await expectAccessible(page, view);
  }, 120_000);
});

describe('the code that verifies signatures', () => {
  it.each([
    ['Node.js', 'receiver.mjs'],
    ['Python', 'receiver.py'],
    ['Go', 'receiver.go'],
  ])('for %s is the program that the tests run', async (name, file) => {
    const page = await show('/webhooks');
    await page.getByRole('tab', { name }).click();
    const shown = await page.getByRole('tabpanel', { name }).locator('pre').textContent();
    expect(shown).toBe(await readFile(join(RECEIVER_FOLDER, file), 'utf8'));
    await page.getByText(`Save it as ${file}`).waitFor();
  });
});
