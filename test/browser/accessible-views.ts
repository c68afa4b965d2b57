import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, goWithin, pathAs, type Visit, visit, visitAs } from '../support/browser/browser.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { heading, VIEWS, type View } from './views.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 320, height: 740 };

/**
 * Registers the hooks that start a server with an app of 30 users.
 *
 * @param started is called with both
 */
export function withAppOfViews(started: (server: TestServer, app: TestApp) => void): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    const app = await server.admin.buildApp({
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
    started(server, app);
  });
  afterAll(async () => {
    await closeBrowser();
    await server.close();
  });
}

/** Shows a page that has nothing of the view before it. */
async function showAnew(page: Page, path: string): Promise<void> {
  await goWithin(page, '/none');
  await heading('Page not found')(page);
  await page.evaluate('sessionStorage.clear()');
  await goWithin(page, path);
}

/** Registers a test for each view of the role. All are shown in one page, one after the other. */
export function testViews(role: View['role'], on: () => { server: TestServer; app: TestApp }): void {
  let visited: Visit | undefined;

  async function visitOf(): Promise<Visit> {
    const { server, app } = on();
    visited ??= role === 'anonymous' ? await visit(server, '/') : await visitAs(server, role === 'admin' ? ADMIN : app);
    return visited;
  }

  const views = VIEWS.filter((view) => view.role === role);
  it.each(views)('$name fits a phone, and has no axe violations in both modes', async (view) => {
    const { page, close, expectClean } = await visitOf();
    await page.setViewportSize(PHONE);
    const { app } = on();
    const path = role === 'operator' ? pathAs(app, view.path) : view.path.replace('APP', app.sourceAppId);
    if (role !== 'anonymous') await showAnew(page, path);
    await view.open(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    const checkMode = (mode: string) => page.locator(`html[data-mantine-color-scheme=${mode}]`).waitFor();
    expect(await axeViolationsInBothModes(page, { checkMode })).toEqual([]);
    expectClean();
    if (!view.endsSession) return;
    visited = undefined;
    await close();
  });
}
