import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { closeBrowser, type Visit, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

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

/**
 * Registers the hooks that get the shared server for a test file, or start one with options, and
 * close it and the browser.
 */
export function withServer(started: (server: TestServer) => void, options?: Parameters<typeof startServer>[2]): void {
  let server: TestServer;
  beforeAll(async () => {
    server = options ? await startServer({}, undefined, options) : await sharedServer();
    started(server);
  });
  afterAll(async () => {
    await closeBrowser();
    await server.close();
  });
}

/** Registers the hooks that open a page for each test, and fail if the test caused errors in it. */
export function withPage(open: () => Promise<AppPage>): void {
  let opened: AppPage;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    opened.visit.expectClean();
    await opened.visit.close();
  });
}
