import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { closeBrowser, closePage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { withPage } from './app-page.ts';
import { ConnectPage } from './connect-page.ts';

/** What a test of the code that the Connect page prints works with. */
interface PrintedCode {
  server: TestServer;
  /** A site that shows what {@link show} got. */
  site: Site;
  /** An empty folder of the file. */
  folder: string;
  /** The Connect page of the app of the test. */
  connect: ConnectPage;
  /** Shows a complete page at the start of the site. */
  show(html: string): void;
  /** Allows an origin with the form for it. */
  allow(origin: string): Promise<void>;
}

/** Registers the hooks of a test file about printed code. */
export function withPrintedCode(): PrintedCode {
  const pages: Record<string, SitePage> = {};
  const code = {} as PrintedCode;
  beforeAll(async () => {
    code.server = await sharedServer();
    // Redirects to plain http are allowed to localhost only.
    code.site = await startSite(pages, 'localhost');
    code.folder = await mkdtemp(join(tmpdir(), 'user-collection-connect-'));
  });
  afterAll(async () => {
    await closeBrowser();
    await code.site.close();
    await rm(code.folder, { recursive: true, force: true });
  });
  withPage(async () => {
    code.connect = await ConnectPage.open(code.server);
    return code.connect;
  });
  return Object.assign(code, {
    show(html: string): void {
      pages['/'] = { html, isComplete: true };
    },
    async allow(origin: string): Promise<void> {
      const { page } = code.connect;
      await page.getByLabel('Address of your website').fill(`${origin}/some/page?x=1`);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByRole('button', { name: `Remove ${origin}` }).waitFor();
    },
  });
}

export async function closeAll(...opened: Page[]): Promise<void> {
  await Promise.all(opened.map(closePage));
}
