import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/axe.ts';
import { closeBrowser, goWithin, type Visit, visit, visitAs } from '../support/browser.ts';
import { Client, type TestApp } from '../support/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';
import { dialog, heading, VIEWS, type View } from './views.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 320, height: 740 };

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Full name', kind: 'text', required: true, regex: '^[A-Z]' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'ok', label: 'Agrees', kind: 'checkbox', consent: { version: '1' } },
      { key: 'visits', label: 'Visits', kind: 'array' },
    ],
  });
  await server.services.apps.create('other-app'); // a view rotates its password
  for (let index = 0; index < 30; index += 1) {
    const data = { name: `Name ${index}`, plan: 'pro', ok: index % 2 === 1, visits: [{ page: '/' }], other: index };
    await server.client.submit(app.sourceAppId, { email: `user${index}@example.com`, data }).expect(200);
  }
  const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
  const scopes = ['users:read', 'export', 'users:write'];
  const key = { name: 'Nightly export', scopes, cidrs: ['203.0.113.0/24', '2001:db8::/32'] };
  await operator.post('/auth/keys', key).expect(200);
  await server.client.submit(app.sourceAppId, {}).set('Origin', 'https://www.example.com').expect(403);
  const body = new URLSearchParams({ email: 'bot@example.com', 'data[name]': 'Bot', _gotcha: 'filled' });
  await fetch(`${server.listener.url}/v1/forms/${app.sourceAppId}`, { method: 'POST', body, redirect: 'manual' });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

/** The page of each role, in which the views are shown one after the other. */
const visits = new Map<View['role'], Visit>();

async function visitOf(role: View['role']): Promise<Visit> {
  const visited =
    visits.get(role) ??
    (role === 'anonymous' ? await visit(server, '/') : await visitAs(server, role === 'admin' ? ADMIN : app));
  visits.set(role, visited);
  return visited;
}

/** Shows a page that has nothing of the view before it. */
async function showAnew(page: Page, path: string): Promise<void> {
  await goWithin(page, '/none');
  await heading('Page not found')(page);
  await page.evaluate('sessionStorage.clear()');
  await goWithin(page, path);
}

describe('every page', () => {
  it.each(VIEWS)('$name fits a phone, and has no serious or critical axe violations in both modes', async (view) => {
    const { page, close, expectClean } = await visitOf(view.role);
    await page.setViewportSize(PHONE);
    if (view.role !== 'anonymous') await showAnew(page, view.path.replace('APP', app.sourceAppId));
    await view.open(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    const checkMode = (mode: string) => page.locator(`html[data-mantine-color-scheme=${mode}]`).waitFor();
    expect(await axeViolationsInBothModes(page, { isSerious: true, checkMode })).toEqual([]);
    expectClean();
    if (!view.endsSession) return;
    visits.delete(view.role);
    await close();
  });
});

describe('the navigation of an operator', () => {
  it.each([320, 375, 700, 1000])('shows every page at a width of %i px, in a header of one height', async (width) => {
    const { page, close } = await visitAs(server, app, '/users', { viewport: { width, height: 740 } });
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    await navigation.getByRole('link', { name: 'Held (1)' }).waitFor();
    await page.getByText('1–30 of 30').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const boxes = await Promise.all((await navigation.getByRole('link').all()).map((link) => link.boundingBox()));
    expect(boxes).toHaveLength(7);
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      // The least size of a target (WCAG 2.5.8).
      expect(box?.height).toBeGreaterThanOrEqual(24);
    }
    expect((await navigation.boundingBox())?.height).toBe(60);
    await close();
  });
});

describe('with the keyboard only', () => {
  it('an operator logs in, finds a user and opens the record', async () => {
    const { page, close, expectClean } = await visit(server, '/');
    await page.getByLabel('App ID').waitFor();
    await page.keyboard.type(app.sourceAppId);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.password);
    await page.keyboard.press('Enter');
    await page.getByText('1–30 of 30').waitFor();
    await tabTo(page, 'Search all data');
    await page.keyboard.type('user12');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await tabTo(page, 'user12@example.com');
    await page.keyboard.press('Enter');
    await heading('user12@example.com')(page);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'Erase user');
    await page.keyboard.press('Enter');
    await dialog(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Erase user');
    expectClean();
    await close();
  });
});

const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") || document.activeElement.innerText.trim()',
  ) as Promise<string>;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}
