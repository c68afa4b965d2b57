import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import { Receiver } from '../support/peers/receiver.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const ALL = ['user.created', 'user.updated', 'user.erased'];

/** What a test about webhooks works with: a new app, its operator, and a receiver. */
interface WebhookTest {
  server: TestServer;
  app: TestApp;
  receiver: Receiver;
  operator: Client;
}

/**
 * Registers the hooks of a test file about webhooks.
 *
 * @param each is called before each test
 */
export function withWebhooks(each: (test: WebhookTest) => void) {
  let server: TestServer;
  let app: TestApp;
  let receiver: Receiver;
  let operator: Client;
  let opened: Visit | undefined;
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
    each({ server, app, receiver, operator });
  });
  afterEach(async () => {
    await receiver.close();
    opened?.expectClean();
    await opened?.close();
    opened = undefined;
  });

  /** Opens a page of the dashboard until the test ends. */
  async function openAs(on: TestServer, account: TestApp, path: string): Promise<Page> {
    opened = await visitAs(on, account, path);
    return opened.page;
  }

  return {
    openAs,
    show: (path: string): Promise<Page> => openAs(server, app, path),
    submit: (data: object, email = 'ada@example.com') =>
      server.client.submit(app.sourceAppId, { email, data }).expect(200),
    create: async (): Promise<{ id: string; secret: string }> =>
      (await operator.post('/auth/webhooks', { url: receiver.url, events: ALL }).expect(200)).body,
    /** Chooses an action from the menu of the webhook. */
    async choose(page: Page, action: string): Promise<void> {
      await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    },
  };
}

export const row = (page: Page, name: string | RegExp): Locator => page.getByRole('row', { name });
