// @module-tag long

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';
import { pdfOf } from '../support/server/uploads.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

/** Tells the test of the progress of requests. Whatever limits them has the time of the test. */
const WATCH = `
  window.watched = [];
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (body) {
    const { onprogress } = this.upload;
    watched.push(onprogress !== null);
    if (onprogress) this.upload.onprogress = (event) => (onprogress(event), (window.progress = event.loaded));
    return send.call(this, body);
  };
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), ms);
    return controller.signal;
  };`;

const UNLIMITED = -1;

/** Opens a form of a site whose file is sent with it, by a slow connection and the test's clock. */
async function openForm(bytesPerSecond: number) {
  const fields = [{ key: 'cv', label: 'CV', kind: 'file', types: ['pdf'] }];
  const { sourceAppId: app } = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${app}/form`, { origins: [site.origin] }).expect(200);
  const action = `${server.listener.url}/v1/forms/${app}`;
  pages['/page'] = {
    html: `<form action="${action}" method="post" enctype="multipart/form-data" data-user-collection="${app}">
      <label>Email <input type="email" name="email"></label><label>CV <input type="file" name="cv"></label>
      <button>Send</button></form><script src="${server.listener.url}/embed/v1.js"></script>`,
  };
  const { page, close } = await openPage('about:blank');
  await page.clock.install();
  await page.addInitScript(WATCH);
  await page.goto(`${site.origin}/page`);
  const devTools = await page.context().newCDPSession(page);
  const setSpeed = (uploadThroughput: number) =>
    devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: UNLIMITED,
      uploadThroughput,
    });
  await setSpeed(bytesPerSecond);
  await page.getByLabel('Email').fill('ada@example.com');
  return { app, page, setSpeed, close };
}

async function sendFile(page: Page): Promise<void> {
  await page.getByLabel('CV').setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: pdfOf(400_000) });
  await page.getByRole('button', { name: 'Send' }).click();
}

const progress = (page: Page) => page.evaluate('window.progress ?? 0') as Promise<number>;
const failure = (page: Page) => page.getByText('The form could not be sent');

it('a file that goes on arrives, however long it takes', async () => {
  const { app, page, setSpeed, close } = await openForm(50_000);
  await sendFile(page);
  for (let step = 0, before = 0; step < 3; step += 1) {
    await expect.poll(() => progress(page), { interval: 20 }).toBeGreaterThan(before);
    await page.clock.fastForward(20_000);
    // Of what arrives from now on.
    before = await progress(page);
    expect(await failure(page).count()).toBe(0);
  }
  await setSpeed(UNLIMITED);
  await page.getByText('Thank you').waitFor();
  expect(await server.db.collection('users').findOne({ sourceAppId: app })).toMatchObject({
    data: { cv: [{ name: 'cv.pdf', size: 400_000 }] },
  });
  await close();
});

it('one that does not go on ends, and can be sent again', async () => {
  const { app, page, setSpeed, close } = await openForm(50_000);
  await sendFile(page);
  await expect.poll(() => progress(page), { interval: 20 }).toBeGreaterThan(0);
  await setSpeed(1);
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await page.clock.fastForward(31_000);
  await failure(page).waitFor();
  await setSpeed(UNLIMITED);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Thank you').waitFor();
  expect(await server.db.collection('users').countDocuments({ sourceAppId: app })).toBe(1);
  await close();
});

it('a form without a file needs no preflight, and does not wait for an answer for ever', async () => {
  const { page, close } = await openForm(UNLIMITED);
  let isHeld = false;
  await page.route('**/v1/forms/*', (route) => {
    isHeld ||= route.request().method() === 'POST';
    return isHeld ? undefined : route.continue();
  });
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => isHeld).toBe(true);
  await page.clock.fastForward(31_000);
  await failure(page).waitFor();
  expect(await page.evaluate('watched.some(Boolean)')).toBe(false);
  await close();
});
