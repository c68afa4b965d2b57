import type { Page } from 'playwright-core';
import { type Visit, visitAs } from '../support/browser.ts';
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

  /** Opens a page of the dashboard with a session. */
  protected static openAs(server: TestServer, path: string, account: TestApp): Promise<Visit> {
    return visitAs(server, account, path);
  }
}
