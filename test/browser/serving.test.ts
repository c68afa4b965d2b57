// @module-tag long

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page, Route } from 'playwright-core';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, visit, visitAs } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const BUDGET_BYTES = 250_000;
const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

let server: TestServer;
let page: string;
let assets: string[];
beforeAll(async () => {
  server = await sharedServer();
  page = await readFile(`${built}index.html`, 'utf8');
  assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
});
afterAll(closeBrowser);

/** The paths of all scripts that a page has loaded. */
async function scriptsOf(page: Page): Promise<string[]> {
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const paths = loaded.map((name) => new URL(name).pathname).filter((path) => path.endsWith('.js'));
  return [...new Set(paths)];
}

const get = (path: string) => request(server.listener.url).get(path);

describe('the dashboard files', () => {
  it('are at /dashboard/, and / redirects there', async () => {
    await get('/').expect(302).expect('Location', '/dashboard/');
    await get('/dashboard').expect(302).expect('Location', '/dashboard/');
  });

  it.each(['/dashboard/', '/dashboard/users', '/dashboard/apps/some.app/versions'])(
    'serve the page at %s without caching',
    async (path) => {
      const { text } = await get(path).expect(200).expect('Content-Type', /html/).expect('Cache-Control', 'no-cache');
      expect(text).toBe(page);
    },
  );

  it('forbid inline scripts, inline styles, eval and other origins', async () => {
    const { headers } = await get('/dashboard/').expect(200);
    expect(headers['content-security-policy']?.split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|javascript:/i);
  });

  it('serve compressed assets with their media type, cacheable for a year', async () => {
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const address of assets) {
      const { headers } = await get(address)
        .set('Accept-Encoding', 'gzip')
        .expect(200)
        .expect('Cache-Control', 'public, max-age=31536000, immutable')
        .expect('Content-Encoding', 'gzip')
        .expect('Vary', /Accept-Encoding/);
      expect(headers['content-type']).toMatch(
        { js: /javascript/, css: /css/, svg: /svg/ }[address.split('.').at(-1) ?? ''] ?? /never/,
      );
    }
  });

  it('serve uncompressed assets to clients that do not accept gzip', async () => {
    const script = assets.find((address) => address.endsWith('.js')) ?? '';
    const { headers, text } = await get(script).set('Accept-Encoding', 'identity').expect(200);
    expect(headers['content-encoding']).toBeUndefined();
    expect(text).toBe(await readFile(`${built}${script.replace('/dashboard/', '')}`, 'utf8'));
  });

  it.each(['/dashboard/assets/none.js', '/dashboard/assets/', '/dashboard/assets/..%2f..%2fpackage.json'])(
    'respond 404 at %s',
    async (path) => {
      const { body } = await get(path).expect(404);
      expect(Object.keys(body)).toEqual(['message', 'code']);
    },
  );

  it('do not expose the marker file of the build', () => get('/dashboard/.built-for').expect('Content-Type', /html/));

  it.each([
    ['English', 'en-GB', 'Password'],
    ['German', 'de-DE', 'Passwort'],
  ])('load at most 250 kB of compressed JavaScript before the log-in, for a reader of %s', async (_, locale, label) => {
    const scripts = assets.filter((address) => address.endsWith('.js'));
    expect(new Set(scripts).size, 'each is named once').toBe(scripts.length);
    const { page: logIn, close } = await visit(server, '/', { locale });
    await logIn.getByRole('textbox', { name: label }).waitFor();
    await logIn.waitForLoadState('networkidle');
    const loaded = await scriptsOf(logIn);
    await close();
    expect(loaded).toEqual(expect.arrayContaining(scripts));
    const sizes = await Promise.all(
      loaded.map(async (path) => (await readFile(`${built}${path.replace('/dashboard/', '')}.gz`)).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('load the texts of the pages beside the session, or the log-in, and not after it', async () => {
    const app = await server.admin.buildApp();
    const { page, expectClean, close } = await visit(server, '/', { locale: 'de-DE' });
    const texts = (path: string): boolean => /\/assets\/de-[^/]*\.js$/.test(path);
    const release: (() => void)[] = [];
    const hold = async (route: Route) => {
      await new Promise<void>((resolve) => release.push(resolve));
      await route.continue();
    };
    await page.getByRole('tab', { name: 'Mit App' }).click();
    await page.getByLabel('App-ID').fill(app.sourceAppId);
    await page.getByRole('textbox', { name: 'Passwort' }).fill(app.password);
    expect((await scriptsOf(page)).some(texts)).toBe(false);
    await page.route('**/auth/login', hold);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect.poll(async () => (await scriptsOf(page)).some(texts)).toBe(true);
    release.pop()?.();
    await page.getByRole('navigation', { name: 'Hauptnavigation' }).waitFor();
    await page.route('**/auth/session', hold);
    await page.reload();
    await expect.poll(async () => (await scriptsOf(page)).some(texts)).toBe(true);
    await page.unroute('**/auth/session', hold);
    for (const end of release) end();
    await page.getByRole('navigation', { name: 'Hauptnavigation' }).waitFor();
    expectClean();
    await close();
  });

  it('say so while the texts of the pages cannot be loaded', async () => {
    const app = await server.admin.buildApp();
    const { page, close } = await visit(server);
    await page.route(/\/assets\/en-[^/]*\.js$/, (route) => route.abort());
    await page.getByRole('tab', { name: 'By app' }).click();
    await page.getByLabel('App ID').fill(app.sourceAppId);
    await page.getByRole('textbox', { name: 'Password' }).fill(app.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The dashboard could not show this page.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload page' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await close();
  });

  it('load nothing of zod before log-in', async () => {
    const isZod = async (path: string) =>
      (await readFile(`${built}${path.replace('/dashboard/', '')}`, 'utf8')).includes('invalid_type');
    const scripts = (await readdir(`${built}assets`)).filter((name) => name.endsWith('.js'));
    expect(await Promise.all(scripts.map((name) => isZod(`assets/${name}`)))).toContain(true);
    const { page: logIn, close } = await visit(server);
    await logIn.getByRole('textbox', { name: 'Password' }).waitFor();
    const paths = await scriptsOf(logIn);
    await close();
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(await isZod(path), path).toBe(false);
  });

  it('load nothing that makes QR codes before the page of an account', async () => {
    const scripts = (await readdir(`${built}assets`)).filter((name) => name.endsWith('.js'));
    const makers: string[] = [];
    for (const name of scripts) {
      if ((await readFile(`${built}assets/${name}`, 'utf8')).includes('Data too long')) makers.push(name);
    }
    expect(makers).toEqual([expect.stringMatching(/^account-page/)]);
    expect(assets.filter((address) => address.includes('account-page'))).toEqual([]);
  });

  it('load at most two scripts and two style sheets beside the texts for the list of people', async () => {
    const app = await server.admin.buildApp();
    const { page: users, close } = await visitAs(server, app, '/users');
    await users.waitForLoadState('networkidle');
    const loaded = await users.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const later = loaded.map((name) => new URL(name).pathname).filter((path) => path.startsWith('/dashboard/assets/'));
    const more = [...new Set(later)].filter((path) => !assets.includes(path) && !/\/en-[^/]*$/.test(path));
    expect(more.length).toBeGreaterThan(0);
    for (const type of ['.js', '.css']) expect(more.filter((path) => path.endsWith(type)).length).toBeLessThan(3);
    await close();
  });

  it('load nothing from other origins in style sheets', async () => {
    for (const name of await readdir(`${built}assets`)) {
      if (!name.endsWith('.css')) continue;
      expect(await readFile(`${built}assets/${name}`, 'utf8')).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
    }
  });
});
