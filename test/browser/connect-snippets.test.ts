import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, closePage, openPage } from '../support/browser.ts';
import { sharedServer, type TestServer } from '../support/server.ts';
import { type Site, type SitePage, startSite } from '../support/site.ts';
import { withPage } from './app-page.ts';
import { ConnectPage, EMAIL, fillForm, STORED, sendForm } from './connect-page.ts';

const run = promisify(execFile);

const pages: Record<string, SitePage> = {};
let server: TestServer;
let site: Site;
let folder: string;
let connect: ConnectPage;
beforeAll(async () => {
  server = await sharedServer();
  // Redirects to plain http are allowed to localhost only.
  site = await startSite(pages, 'localhost');
  folder = await mkdtemp(join(tmpdir(), 'user-collection-connect-'));
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});
withPage(async () => {
  connect = await ConnectPage.open(server);
  return connect;
});

const SCRIPTS = [
  { with: 'with', javaScriptEnabled: true },
  { with: 'without', javaScriptEnabled: false },
];

describe('the plain HTML form, as printed,', () => {
  it.each(SCRIPTS)('submits from another origin $with JavaScript once it is allowed', async ({ javaScriptEnabled }) => {
    show(await connect.snippet('Plain HTML'));
    const refused = await sendForm(site.origin, { javaScriptEnabled });
    await refused.getByRole('heading', { name: 'The form was not accepted' }).waitFor();
    expect(await connect.users()).toEqual([]);

    await connect.allowRefused(site.origin);
    const accepted = await sendForm(site.origin, { javaScriptEnabled });
    await accepted.waitForURL(`${server.listener.url}/f/${connect.app.sourceAppId}/thanks`);
    expect(await connect.users()).toMatchObject([STORED]);
    await connect.openReceived(EMAIL);
    await closeAll(refused, accepted);
  });

  it.each(SCRIPTS)('submits from a file $with JavaScript once files are allowed', async ({ javaScriptEnabled }) => {
    const file = join(folder, 'form.html');
    await writeFile(file, await connect.snippet('Plain HTML'));
    const refused = await sendForm(pathToFileURL(file).href, { javaScriptEnabled });
    await refused.getByRole('heading', { name: 'The form was not accepted' }).waitFor();

    await connect.allowRefused('files');
    const accepted = await sendForm(pathToFileURL(file).href, { javaScriptEnabled });
    await accepted.waitForURL(`**/f/${connect.app.sourceAppId}/thanks`);
    expect(await connect.users()).toMatchObject([STORED]);
    await connect.openReceived(EMAIL);
    await closeAll(refused, accepted);
  });

  it('shows the problems of the entries, and keeps them', async () => {
    await allow(site.origin);
    show(await connect.snippet('Plain HTML'));
    const { page } = await openPage(site.origin);
    await fillForm(page);
    await page.getByLabel('Code').fill('not a code');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: /^Code: / }).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe(STORED.data.note);
    await page.getByLabel('Code').fill(STORED.data.code);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(`**/f/${connect.app.sourceAppId}/thanks`);
    expect(await connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('sends people to a page of the site when the line for it is used', async () => {
    await allow(site.origin);
    const html = await connect.snippet('Plain HTML');
    const used = html.replace(/<!-- (<input type="hidden" name="_next" value=")[^"]*(">) -->/, `$1${site.origin}/ok$2`);
    expect(used).not.toBe(html);
    show(used);
    const page = await sendForm(site.origin);
    await page.waitForURL(`${site.origin}/ok`);
    expect(await connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });
});

describe('the embedded form, as printed,', () => {
  it('shows and sends the form on another origin once it is allowed', async () => {
    show(`<!doctype html><h1>My site</h1>${await connect.snippet('Embed')}`);
    const { page } = await openPage(site.origin);
    await page.getByText('The form cannot be shown here').waitFor();

    await connect.allowRefused(site.origin);
    await page.reload();
    await page.getByLabel('Email').waitFor();
    await fillForm(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${site.origin}/`);
    expect(await connect.users()).toMatchObject([STORED]);
    await connect.openReceived(EMAIL);
    await closeAll(page);
  });

  it('reserves about the height that the form needs', async () => {
    await allow(site.origin);
    show(`<!doctype html><meta name="viewport" content="width=device-width">${await connect.snippet('Embed')}`);
    const { page } = await openPage(site.origin);
    await page.getByLabel('Email').waitFor();
    const host = page.locator('div[data-user-collection]');
    const reserved = Number(await host.getAttribute('data-height'));
    const height = await host.evaluate((element) => {
      const [content] = element.shadowRoot?.children ?? [];
      return content?.getBoundingClientRect().height ?? 0;
    });
    expect(Math.abs(reserved - height) / height).toBeLessThan(0.05);
    await closeAll(page);
  });
});

describe('the enhanced form, as printed,', () => {
  it('shows problems at their fields and sends without leaving the page', async () => {
    await allow(site.origin);
    show(await connect.snippet('Enhanced form'));
    const { page } = await openPage(site.origin);
    await fillForm(page);
    await page.getByLabel('Code').fill('not a code');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/does not match/i).waitFor();
    expect(await page.getByLabel('Code').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Code').fill(STORED.data.code);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${site.origin}/`);
    expect(await connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('submits without JavaScript', async () => {
    await allow(site.origin);
    show(await connect.snippet('Enhanced form'));
    const page = await sendForm(site.origin, { javaScriptEnabled: false });
    await page.waitForURL(`**/f/${connect.app.sourceAppId}/thanks`);
    expect(await connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('submits once on a double click', async () => {
    const { page, button } = await openEnhanced();
    let requests = 0;
    let respond: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(`**/v1/forms/${connect.app.sourceAppId}`, async (route) => {
      if (route.request().method() === 'POST') {
        requests += 1;
        await held;
      }
      await route.continue();
    });
    await button.dblclick();
    await expect.poll(() => requests).toBe(1);
    expect(await button.isDisabled()).toBe(true);
    respond();
    await page.getByText('Thank you').waitFor();
    expect(await button.isEnabled()).toBe(true);
    expect(requests).toBe(1);
    expect((await connect.users())[0]?.data.visits).toHaveLength(1);
    await closeAll(page);
  });

  it('is stored once when a response is lost and the form is sent again', async () => {
    const { page, button } = await openEnhanced();
    let posts = 0;
    await page.route(`**/v1/forms/${connect.app.sourceAppId}`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      posts += 1;
      const response = await route.fetch();
      await (posts === 1 ? route.abort() : route.fulfill({ response }));
    });
    await button.click();
    await page.getByText('The form could not be sent').waitFor();
    expect((await connect.users())[0]?.data.visits).toHaveLength(1);
    await button.click();
    await page.getByText('Thank you').waitFor();
    expect((await connect.users())[0]?.data.visits).toHaveLength(1);

    await fillForm(page);
    await button.click();
    await expect.poll(async () => (await connect.users())[0]?.data.visits).toHaveLength(2);
    expect(posts).toBe(3);
    await closeAll(page);
  });

  async function openEnhanced() {
    await allow(site.origin);
    show(await connect.snippet('Enhanced form'));
    const { page } = await openPage(site.origin);
    await fillForm(page);
    return { page, button: page.getByRole('button', { name: 'Send' }) };
  }
});

describe('the other code, as printed,', () => {
  it('links to the form as a page', async () => {
    show(await connect.snippet('Link'));
    const { page } = await openPage(site.origin);
    await page.getByRole('link').click();
    await fillForm(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(await connect.users()).toMatchObject([STORED]);
    await connect.openReceived(EMAIL);
    await closeAll(page);
  });

  it('submits from a script of a page on another origin once it is allowed', async () => {
    show(`<!doctype html><script type="module">${await connect.snippet('JavaScript')}</script>`);
    const { page } = await openPage(site.origin);
    await connect.allowRefused(site.origin);
    const stored = page.waitForEvent('console', (message) => message.text().startsWith('Stored as'));
    await page.reload();
    await stored;
    expect(await connect.users()).toMatchObject([{ email: 'ada@example.com', data: { age: 18, terms: true } }]);
    await connect.openReceived('ada@example.com');
    await closeAll(page);
  });

  it('submits from a terminal', async () => {
    const command = await connect.snippet('Terminal');
    const { stdout } = await run('sh', ['-c', `${command} --silent --show-error`]);
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(['createdAt', 'id', 'updatedAt']);
    expect(await connect.users()).toMatchObject([
      { email: 'ada@example.com', data: { plan: STORED.data.plan, age: 18, terms: true } },
    ]);
    await connect.openReceived('ada@example.com');
  });

  it('submits from Node.js', async () => {
    const file = join(folder, 'submit.mjs');
    await writeFile(file, await connect.snippet('Node.js'));
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout).toContain('Stored as');
    expect(await connect.users()).toHaveLength(1);
  });

  it('is copied by a button', async () => {
    await connect.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = await connect.snippet('Terminal');
    await connect.page.getByRole('tabpanel', { name: 'Terminal' }).getByRole('button', { name: 'Copy' }).click();
    await connect.page.getByText('Copied').waitFor();
    expect(await connect.page.evaluate('navigator.clipboard.readText()')).toBe(text);
  });
});

/** Shows a complete page at the start of the site. */
function show(html: string): void {
  pages['/'] = { html, isComplete: true };
}

/** Allows an origin with the form for it. */
async function allow(origin: string): Promise<void> {
  await connect.page.getByLabel('Address of your website').fill(`${origin}/some/page?x=1`);
  await connect.page.getByRole('button', { name: 'Allow', exact: true }).click();
  await connect.page.getByRole('button', { name: `Remove ${origin}` }).waitFor();
}

async function closeAll(...opened: Page[]): Promise<void> {
  await Promise.all(opened.map(closePage));
}
