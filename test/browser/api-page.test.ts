// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);

const open = () => openPage(`${server.listener.url}/docs`, { origins: [server.listener.url] });

describe('the page of the API', () => {
  it('fits a phone and has no axe violations in both modes', async () => {
    const { page, expectClean, close } = await open();
    const openSome = (step: number) =>
      page.evaluate(`document.querySelectorAll("details").forEach((one, n) => { one.open = n % ${step} === 0; })`);
    await openSome(1);
    await page.setViewportSize({ width: 320, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    // All look alike, and axe takes half a minute for all of them.
    await openSome(10);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    expectClean();
    await close();
  });

  it('shows the parameters, the body with an example and the responses of an operation', async () => {
    const { page, expectClean, close } = await open();
    await page.getByText('Submit a user record', { exact: true }).click();
    const shown = page.locator('#submitUser');
    await shown.getByText('Callers: anyone, or an API key with the scope submit.').waitFor();
    await shown
      .getByRole('listitem')
      .filter({ hasText: /^x-app-id header, required/ })
      .waitFor();
    expect(JSON.parse((await shown.locator('pre').first().textContent()) ?? '')).toEqual({
      email: 'Ada@Example.com',
      data: { name: 'Ada' },
    });
    await shown.getByText('429 Too Many Requests').waitFor();
    // A link opens the type that it names.
    await shown.getByRole('link', { name: 'SubmittedUser' }).click();
    await page.locator('#type-SubmittedUser').getByText('updatedAt').first().waitFor();
    expectClean();
    await close();
  });

  it('lists the endpoints by tag beside them, and filters both by a search', async () => {
    const { page, expectClean, close } = await open();
    const menu = page.getByRole('navigation', { name: 'Endpoints' });
    const submit = menu.getByRole('link', { name: 'POST /v1/users', exact: true });
    const audit = page.locator('[data-operation="listAuditEvents"]');
    await submit.waitFor();
    await menu.getByRole('link', { name: 'Audit', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('submitUser');
    await menu.getByRole('status').getByText('1 endpoint').waitFor();
    await audit.waitFor({ state: 'hidden' });
    await menu.getByRole('link', { name: 'Audit', exact: true }).waitFor({ state: 'hidden' });
    await submit.press('Enter');
    const shown = page.locator('#submitUser');
    await shown.getByRole('heading', { name: 'Call it' }).waitFor();
    // A link to a type that the search hides shows it.
    await shown.getByRole('link', { name: 'SubmittedUser' }).click();
    await page.locator('#type-SubmittedUser').getByText('updatedAt').first().waitFor();
    await audit.waitFor();
    await page.getByRole('link', { name: 'Back to the dashboard' }).click();
    await page.waitForURL(/\/dashboard\//);
    expectClean();
    await close();
  });

  it('has commands with the address of the service to copy', async () => {
    const { page, expectClean, close } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Submit a user record', { exact: true }).click();
    const shown = page.locator('#submitUser');
    await shown.getByRole('button', { name: 'Copy curl' }).click();
    await shown.getByText('Copied').waitFor();
    const { url } = server.listener;
    const command = [
      `curl -sS -X POST '${url}/v1/users'`,
      "-H 'x-app-id: newsletter'",
      "-H 'Content-Type: application/json'",
      `-d '{"email":"Ada@Example.com","data":{"name":"Ada"}}'`,
    ].join(' \\\n  ');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    expect(await shown.locator('[data-sample="fetch"]').textContent()).toContain(`await fetch("${url}/v1/users", {`);
    await page.goto(`${url}/docs#listUsers`);
    const list = page.locator('#listUsers [data-sample="curl"]');
    expect(await list.textContent()).toBe(`curl -sS '${url}/auth/users' \\\n  -H 'Authorization: Bearer uck_…'`);
    expectClean();
    await close();
  });
});
