// @module-tag long

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openPage } from '../support/browser/browser.ts';
import { pdf } from '../support/server/uploads.ts';
import { ConnectPage, EMAIL, fillForm, STORED, sendForm } from './connect-page.ts';
import { closeAll, withPrintedCode } from './printed-code.ts';

const run = promisify(execFile);

const code = withPrintedCode();

describe('the embedded form, as printed,', () => {
  it('shows and sends the form on another origin once it is allowed', async () => {
    code.show(`<!doctype html><h1>My site</h1>${await code.connect.snippet('Embed')}`);
    const { page } = await openPage(code.site.origin);
    await page.getByText('The form could not be shown').waitFor();

    await code.connect.allowRefused(code.site.origin);
    await page.reload();
    await page.getByLabel('Email').waitFor();
    await fillForm(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${code.site.origin}/`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await code.connect.openReceived(EMAIL);
    await closeAll(page);
  });

  it('reserves about the height that the form needs', async () => {
    await code.allow(code.site.origin);
    code.show(
      `<!doctype html><meta name="viewport" content="width=device-width">${await code.connect.snippet('Embed')}`,
    );
    const { page } = await openPage(code.site.origin);
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
    await code.allow(code.site.origin);
    code.show(await code.connect.snippet('Enhanced form'));
    const { page } = await openPage(code.site.origin);
    await fillForm(page);
    await page.getByLabel('Code').fill('not a code');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/does not match/i).waitFor();
    expect(await page.getByLabel('Code').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Code').fill(STORED.data.code);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${code.site.origin}/`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('submits without JavaScript', async () => {
    await code.allow(code.site.origin);
    const snippet = await code.connect.snippet('Enhanced form');
    // Also in a page that declares no encoding, or another one.
    expect(snippet).toMatch(/<form [^>]* accept-charset="utf-8"/);
    code.show(snippet);
    const page = await sendForm(code.site.origin, { javaScriptEnabled: false });
    await page.waitForURL(`**/f/${code.connect.app.sourceAppId}/thanks`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('submits once on a double click', async () => {
    const { page, button } = await openEnhanced();
    let requests = 0;
    let respond: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(`**/v1/forms/${code.connect.app.sourceAppId}*`, async (route) => {
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
    expect((await code.connect.users())[0]?.data.visits).toHaveLength(1);
    await closeAll(page);
  });

  it('is stored once when a response is lost and the form is sent again', async () => {
    const { page, button } = await openEnhanced();
    let posts = 0;
    await page.route(`**/v1/forms/${code.connect.app.sourceAppId}*`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      posts += 1;
      const response = await route.fetch();
      await (posts === 1 ? route.abort() : route.fulfill({ response }));
    });
    await button.click();
    await page.getByText('The form could not be sent').waitFor();
    expect((await code.connect.users())[0]?.data.visits).toHaveLength(1);
    await button.click();
    await page.getByText('Thank you').waitFor();
    expect((await code.connect.users())[0]?.data.visits).toHaveLength(1);

    await fillForm(page);
    await button.click();
    await expect.poll(async () => (await code.connect.users())[0]?.data.visits).toHaveLength(2);
    expect(posts).toBe(3);
    await closeAll(page);
  });

  async function openEnhanced() {
    await code.allow(code.site.origin);
    code.show(await code.connect.snippet('Enhanced form'));
    const { page } = await openPage(code.site.origin);
    await fillForm(page);
    return { page, button: page.getByRole('button', { name: 'Send' }) };
  }
});

describe('the other code, as printed,', () => {
  it('links to the form as a page', async () => {
    code.show(await code.connect.snippet('Link'));
    const { page } = await openPage(code.site.origin);
    await page.getByRole('link').click();
    await fillForm(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you').waitFor();
    expect(await code.connect.users()).toMatchObject([STORED]);
    await code.connect.openReceived(EMAIL);
    await closeAll(page);
  });

  it('submits from a script of a page on another origin once it is allowed', async () => {
    code.show(`<!doctype html><script type="module">${await code.connect.snippet('JavaScript')}</script>`);
    const { page } = await openPage(code.site.origin);
    await code.connect.allowRefused(code.site.origin);
    const stored = page.waitForEvent('console', (message) => message.text().startsWith('Stored as'));
    await page.reload();
    await stored;
    expect(await code.connect.users()).toMatchObject([{ email: 'ada@example.com', data: { age: 18, terms: true } }]);
    await code.connect.openReceived('ada@example.com');
    await closeAll(page);
  });

  it('submits from a terminal', async () => {
    const command = await code.connect.snippet('Terminal');
    const { stdout } = await run('sh', ['-c', `${command} --silent --show-error`]);
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(['createdAt', 'id', 'updatedAt']);
    expect(await code.connect.users()).toMatchObject([
      { email: 'ada@example.com', data: { plan: STORED.data.plan, age: 18, terms: true } },
    ]);
    await code.connect.openReceived('ada@example.com');
  });

  it('submits from Node.js', async () => {
    const file = join(code.folder, 'submit.mjs');
    await writeFile(file, await code.connect.snippet('Node.js'));
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout).toContain('Stored as');
    expect(await code.connect.users()).toHaveLength(1);
  });

  it('sends the file of a required field first', async () => {
    const cv = { key: 'cv', label: 'CV', kind: 'file', required: true, types: ['pdf'] } as const;
    const connect = await ConnectPage.open(code.server, [{ ...cv, types: [...cv.types] }]);
    await writeFile(join(code.folder, 'cv.pdf'), pdf());
    await run('sh', ['-c', `${await connect.snippet('Terminal')} --silent --show-error`], { cwd: code.folder });
    const names = async () => (await connect.users()).map(({ data }) => data.cv[0].name);
    expect(await names()).toEqual(['cv.pdf']);
    await writeFile(join(code.folder, 'files.mjs'), await connect.snippet('Node.js'));
    const { stdout } = await run(process.execPath, ['files.mjs'], { cwd: code.folder });
    expect(stdout).toContain('Stored as');
    expect(await connect.snippet('JavaScript')).toContain("document.querySelector('input[type=file]').files[0];");
    await closeAll(connect.page);
  });

  it('has the JSON Schema of the app, which agrees with the service', async () => {
    const tab = code.connect.page.getByRole('tabpanel', { name: 'JSON Schema' });
    const text = await code.connect.snippet('JSON Schema');
    const { sourceAppId } = code.connect.app;
    const address = `${code.server.listener.url}/v1/schema?format=json-schema`;
    await tab.getByText(`${address} with the header x-app-id: ${sourceAppId}`).waitFor();
    const served = await code.server.client
      .get('/v1/schema?format=json-schema')
      .set('x-app-id', sourceAppId)
      .expect(200);
    expect(JSON.parse(text)).toEqual(JSON.parse(served.text));
    const isValid = new Ajv2020({ strict: true }).compile(JSON.parse(text));
    const { visits, ...data } = STORED.data;
    expect(isValid({ ...data, visits: ['first'] })).toBe(true);
    expect(isValid({ ...data, visits, code: 'not a code' })).toBe(false);
    await code.connect.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.getByRole('button', { name: 'Copy' }).click();
    await code.connect.page.getByText('Copied').waitFor();
    expect(await code.connect.page.evaluate('navigator.clipboard.readText()')).toBe(text);
  });

  it('is copied by a button', async () => {
    await code.connect.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = await code.connect.snippet('Terminal');
    await code.connect.page.getByRole('tabpanel', { name: 'Terminal' }).getByRole('button', { name: 'Copy' }).click();
    await code.connect.page.getByText('Copied').waitFor();
    expect(await code.connect.page.evaluate('navigator.clipboard.readText()')).toBe(text);
  });
});
