// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let site: Site;
let app: string;
const pages: Record<string, SitePage> = {};
beforeAll(async () => {
  server = await sharedServer();
  site = await startSite(pages, 'localhost');
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

async function formOf() {
  const { sourceAppId } = await server.admin.buildApp({ fields: [] });
  const settings = { botProtection: 'proof-of-work', origins: [site.origin] };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}
const records = () => server.db.collection('users').find({ sourceAppId: app }).toArray();

describe('a form that asks for a proof of work', () => {
  it('solves a challenge in the hosted page', async () => {
    app = await formOf();
    const { page, expectClean, close } = await openPage(`${server.listener.url}/f/${app}`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button').click();
    await page.waitForURL('**/thanks');
    expect(await records()).toMatchObject([{ email: 'ada@example.com' }]);
    expectClean();
    await close();
  });

  it('solves a challenge on another site, under its strict policy', async () => {
    app = await formOf();
    const { url } = server.listener;
    pages['/page'] = {
      html: `<div data-user-collection="${app}"></div><script src="${url}/embed/v1.js"></script>`,
      headers: { 'Content-Security-Policy': `default-src 'none'; script-src ${url}; connect-src ${url}` },
    };
    const { page, expectClean, close } = await openPage(`${site.origin}/page`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button').click();
    await page.getByText('Thank you').waitFor();
    expect(await records()).toMatchObject([{ email: 'ada@example.com' }]);
    expectClean();
    await close();
  });

  it('says that it will be looked at where the page cannot solve challenges', async () => {
    app = await formOf();
    const { url, port } = { url: server.listener.url, port: new URL(server.listener.url).port };
    // Neither page is https, and neither is on localhost.
    const other = await startSite(pages);
    await server.admin
      .put(`/auth/apps/${app}/form`, { botProtection: 'proof-of-work', origins: [other.origin], thanks: 'You are in' })
      .expect(200);
    pages['/page'] = { html: `<div data-user-collection="${app}"></div><script src="${url}/embed/v1.js"></script>` };
    for (const address of [`${other.origin}/page`, `http://service.test:${port}/f/${app}`]) {
      // Chromium logs that it ignores a header of such a page.
      const { page, close } = await openPage(address);
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByRole('button').click();
      await page.getByText('Your entries will be checked before they are stored').waitFor();
      expect(await records()).toEqual([]);
      await close();
    }
    await other.close();
  });

  it('is held, and told so, without JavaScript', async () => {
    app = await formOf();
    const { page, close } = await openPage(`${server.listener.url}/f/${app}`, { javaScriptEnabled: false });
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button').click();
    await page.getByText('Your entries will be checked before they are stored').waitFor();
    expect(await records()).toEqual([]);
    await close();
  });
});
