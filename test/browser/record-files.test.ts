// @module-tag long

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, tableRows, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { PNG, pdfOf, upload } from '../support/server/uploads.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);
beforeEach(async () => {
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Your name', kind: 'text' },
      { key: 'cv', label: 'Documents', kind: 'file', types: ['pdf', 'png'], maxFiles: 3 },
    ],
  });
});

/** A record with a picture and a PDF; resolves with its id. */
async function submitFiles(): Promise<string> {
  const send = async (content: Buffer, name: string): Promise<string> =>
    (await upload(server.client.url, app.sourceAppId, content, { name })).body.token;
  const cv = [await send(PNG, 'photo.png'), await send(pdfOf(123_456), 'Lebenslauf.pdf')];
  const { body } = await server.client
    .submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada', cv } })
    .expect(200);
  return body.id;
}

describe('files in the dashboard', () => {
  it('are counted in the list, and shown with name, type and size in the record', async () => {
    const id = await submitFiles();
    const { page, expectClean, close } = await visitAs(server, app, '/users');
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    expect((await tableRows(page, 'Table of people'))[0]).toContain('2 files');
    await page.getByRole('link', { name: 'ada@example.com' }).click();
    const files = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /\.(png|pdf)$/ }) });
    await expect.poll(() => files.count()).toBe(2);
    expect(await files.nth(1).innerText()).toMatch(/Lebenslauf\.pdf\s+PDF · 123\.5 kB/);
    // The picture itself is its thumbnail.
    await expect.poll(() => page.evaluate("document.querySelector('li img')?.naturalWidth ?? 0")).toBeGreaterThan(0);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Lebenslauf.pdf' }).click();
    expect((await download).suggestedFilename()).toBe('Lebenslauf.pdf');
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(id).not.toBe('');
    expectClean();
    await close();
  });

  it('are added and removed by keyboard, and what somebody else added stays', async () => {
    const id = await submitFiles();
    const { page, expectClean, close } = await visitAs(server, app, `/users/${id}`);
    const add = page.getByRole('button', { name: 'Add a file to Documents' });
    await add.focus();
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'third.pdf', mimeType: 'application/pdf', buffer: pdfOf(2_000) });
    await page.getByRole('link', { name: 'third.pdf' }).waitFor();
    // Three is the most that the field takes.
    expect(await add.count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the file photo.png' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'photo.png' }).waitFor({ state: 'detached' });
    const { body } = await server.admin.get(`/auth/users/${id}?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(body.data.cv.map(({ name }: { name: string }) => name)).toEqual(['Lebenslauf.pdf', 'third.pdf']);
    const second = page.waitForEvent('filechooser');
    await add.click();
    await (await second).setFiles({ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<h1>no</h1>') });
    await page.getByText('The file was not added').waitFor();
    expectClean();
    await close();
  });
});
