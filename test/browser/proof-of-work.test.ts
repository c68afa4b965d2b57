// @module-tag long

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as Solver from '../../web/embed/proof-of-work.ts';
import { closeBrowser, closePage, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

/** Only in the page. */
declare const solver: typeof Solver;

const SOLVER = fileURLToPath(new URL('../../web/embed/proof-of-work.ts', import.meta.url));

let service: TestServer;
let site: Server;
let port: number;
beforeAll(async () => {
  service = await sharedServer();
  const lib = { entry: SOLVER, formats: ['es' as const] };
  const [{ output }] = (await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib },
  })) as [Rollup.RollupOutput];
  const policy = `default-src 'none'; script-src 'self'; connect-src ${service.listener.url}`;
  const files: Record<string, string> = {
    '/': '<!doctype html><title>Site</title><script type="module" src="/page.js"></script>',
    '/page.js': "import * as solver from '/solver.js'; globalThis.solver = solver;",
    '/solver.js': output[0].code,
  };
  site = createServer(({ url = '' }, res) => {
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Content-Type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    res.end(files[url] ?? '');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  port = (site.address() as AddressInfo).port;
});
afterAll(async () => {
  await closeBrowser();
  site.close();
  await service.close();
});

/** Opens a page of another site and collects what its policy refuses. */
async function open(origin: string): Promise<{ page: Page; problems: string[] }> {
  const { page } = await openPage('about:blank');
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(origin);
  await page.waitForFunction('globalThis.solver');
  return { page, problems };
}

it('a page of another site with a strict policy solves a challenge and submits (spec 4.5)', async () => {
  const origin = `http://localhost:${port}`;
  const { sourceAppId } = await service.admin.buildApp();
  const settings = { botProtection: 'proof-of-work', origins: [origin] };
  await service.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  const { page, problems } = await open(origin);
  const status = await page.evaluate(
    async ({ url, sourceAppId }) => {
      const challenge = (await (await fetch(`${url}/v1/forms/${sourceAppId}/challenge`)).json()) as Solver.Challenge;
      const headers = {
        'x-app-id': sourceAppId,
        'x-altcha': await solver.solve(challenge),
        'Content-Type': 'application/json',
      };
      const body = JSON.stringify({ email: 'ada@x.org' });
      return (await fetch(`${url}/v1/users`, { method: 'POST', headers, body })).status;
    },
    { url: service.listener.url, sourceAppId },
  );
  expect(status).toBe(200);
  expect(problems).toEqual([]);
  await closePage(page);
});

it('a page that is in no secure context learns that it cannot solve challenges', async () => {
  const { page } = await open(`http://site.test:${port}`);
  const result = await page.evaluate(async () => {
    const challenge = { parameters: { algorithm: 'PBKDF2/SHA-256' } } as Solver.Challenge;
    return [solver.canSolve(), await solver.solve(challenge).catch((error: Error) => error.message)];
  });
  expect(result).toEqual([false, 'Proof of work needs a secure context (https)']);
  await closePage(page);
});
