import type { Page } from 'playwright-core';
import { logIn, type Visit, visit } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import type { TestServer } from '../support/server.ts';

/** Page object: a page of the dashboard about one app. */
export class AppPage {
  readonly app: TestApp;
  readonly visit: Visit;
  readonly page: Page;
  protected readonly server: TestServer;

  constructor(server: TestServer, app: TestApp, opened: Visit) {
    this.server = server;
    this.app = app;
    this.visit = opened;
    this.page = opened.page;
  }

  /** Opens a page of the dashboard and logs in. */
  protected static async openAs(server: TestServer, path: string, account: TestApp): Promise<Visit> {
    const opened = await visit(server, path);
    await logIn(opened.page, account);
    return opened;
  }
}
