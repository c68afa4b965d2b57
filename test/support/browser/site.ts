import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { sharedServer, type TestServer } from '../server/server.ts';
import { closeBrowser } from './browser.ts';

/** A page of a site, with the headers that its owner sets. */
export interface SitePage {
  html: string;
  /** Whether `html` is the whole page and not only its body. */
  isComplete?: boolean;
  headers?: Record<string, string>;
}

/** A web site of somebody else, on an origin of its own. */
export interface Site {
  origin: string;
  close(): Promise<void>;
}

/**
 * Serves pages by path, and an empty page at every other path.
 *
 * @param host a name under .test, which the browser of the tests resolves to this machine
 */
export async function startSite(pages: Record<string, SitePage>, host = 'site.test'): Promise<Site> {
  const server = createServer((req, res) => {
    const {
      html,
      isComplete = false,
      headers = {},
    } = pages[new URL(req.url ?? '/', 'http://site').pathname] ?? { html: '' };
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers });
    res.end(isComplete ? html : `<!doctype html><html lang="en"><title>A site</title>${html}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Registers the hooks that start a site beside the shared server, and close it and the browser.
 *
 * @param pages the pages of the site, by path
 * @param started is called with both
 */
export function withSite(pages: Record<string, SitePage>, started: (server: TestServer, site: Site) => void): void {
  let site: Site;
  beforeAll(async () => {
    const server = await sharedServer();
    site = await startSite(pages);
    started(server, site);
  });
  afterAll(async () => {
    await closeBrowser();
    await site.close();
  });
}
