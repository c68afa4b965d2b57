// @module-tag long

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = { '/preview': { html: '<h1>Preview</h1>' } };
withSite(pages, (...started) => {
  [server, site] = started;
});

async function formOf(): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Name', kind: 'text' }] });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [site.origin] }).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();
const script = () => `<script src="${server.listener.url}/embed/v1.js"></script>`;
const actionOf = (app: string): string => `${server.listener.url}/v1/forms/${app}`;

const htmlOf = (app: string, buttons: string, attributes = 'method="post"') => `
<form data-user-collection="${app}" action="${actionOf(app)}" ${attributes}>
  <label>Email <input name="email" type="email" required value="ada@example.com"></label>
  <input type="hidden" name="action" value="x"><input type="hidden" name="method" value="x">
  ${buttons}<button>Send</button>
</form>`;

async function open(html: string) {
  pages['/page'] = { html };
  return openPage(`${site.origin}/page`);
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
/** Sends the form with its own button. When that is answered, what was done before has ended. */
async function sendAfterwards(page: Page, app: string): Promise<void> {
  expect(await records(app)).toEqual([]);
  await press(page, 'Send');
  await page.getByText('Thank you').waitFor();
  expect((await records(app)).map(({ email }) => email)).toEqual(['ada@example.com']);
}

describe('a button of a marked form (spec 4.5.2)', () => {
  it('closes the dialog with `formmethod`, without a record', async () => {
    const app = await formOf();
    const cancel = '<button formmethod="dialog" formnovalidate value="cancelled">Cancel</button>';
    const dialog = `<dialog>${htmlOf(app, cancel)}</dialog>${script()}<script>document.querySelector('dialog').showModal()</script>`;
    const { page, close } = await open(dialog);
    await press(page, 'Cancel');
    await page.waitForFunction('!document.querySelector("dialog").open');
    expect(await page.evaluate('document.querySelector("dialog").returnValue')).toBe('cancelled');
    await page.evaluate('document.querySelector("dialog").showModal()');
    await sendAfterwards(page, app);
    await close();
  });

  it.each([
    ['formaction', '<button formaction="/preview">Preview</button>'],
    ['formmethod', '<button formmethod="get" formaction="/preview">Preview</button>'],
    ['an image', '<input type="image" alt="Preview" formaction="/preview">'],
  ])('with %s goes where it leads, without a record', async (_name, button) => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app, button) + script());
    await press(page, 'Preview');
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await page.goBack();
    await sendAfterwards(page, app);
    await close();
  });

  it('opens its target, which the browser sends the form to', async () => {
    const app = await formOf();
    const button = '<button formaction="/preview" formtarget="_blank">Preview</button>';
    const { page, close } = await open(htmlOf(app, button) + script());
    const popup = page.waitForEvent('popup');
    await press(page, 'Preview');
    await (await popup).getByRole('heading', { name: 'Preview' }).waitFor();
    await sendAfterwards(page, app);
    await close();
  });

  it.each([
    ['the address', (app: string) => `formaction="${actionOf(app).replace('http:', 'HTTP:')}"`],
    ['the method', () => 'formmethod="POST"'],
    ['the target', () => 'formtarget="_SELF"'],
  ])('that says %s of the form in other words sends it as another one', async (_name, attributes) => {
    const app = await formOf();
    const { page, close } = await open(htmlOf(app, `<button ${attributes(app)}>Send it</button>`) + script());
    await press(page, 'Send it');
    await page.getByText('Thank you').waitFor();
    expect(page.url()).toBe(`${site.origin}/page`);
    expect(await records(app)).toHaveLength(1);
    await close();
  });

  it('closes the dialog of a form with that method, unless it says otherwise', async () => {
    const app = await formOf();
    const own = htmlOf(
      app,
      '<button value="cancelled">Cancel</button><button formmethod="post">Store</button>',
      'method="dialog"',
    );
    const { page, close } = await open(`<dialog open>${own}</dialog>${script()}`);
    await press(page, 'Store');
    await page.getByText('Thank you').waitFor();
    expect(await records(app)).toHaveLength(1);
    await press(page, 'Cancel');
    await page.waitForFunction('!document.querySelector("dialog").open');
    expect(await records(app)).toHaveLength(1);
    await close();
  });

  it('skips the check of the page in an embedded form with `formnovalidate`', async () => {
    const app = await formOf();
    const { page, close } = await open(`<div data-user-collection="${app}"></div>${script()}`);
    await page.getByLabel('Email').fill('ada');
    await press(page, 'Send');
    await page.getByText('Must be an email address').waitFor();
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.evaluate('document.querySelector("div").shadowRoot.querySelector("button").formNoValidate = true');
    await press(page, 'Send');
    expect((await refused).status()).toBe(400);
    await close();
  });
});

describe('a listener of the site', () => {
  it.each(['window', 'document', 'document.body'])('of %s that comes after the script decides', async (target) => {
    const app = await formOf();
    const own = `<script>${target}.addEventListener('submit', (event) => {
      if (event.submitter.name === 'check') event.preventDefault();
      window.seen = event.submitter.name;
    })</script>`;
    const { page, close } = await open(htmlOf(app, '<button name="check">Check</button>') + script() + own);
    await press(page, 'Check');
    expect(await page.evaluate('seen')).toBe('check');
    expect(await page.getByRole('button', { name: 'Check' }).isEnabled()).toBe(true);
    await sendAfterwards(page, app);
    await close();
  });

  it('that stops the event leaves the form to the browser', async () => {
    const app = await formOf();
    const own = `<script>document.body.addEventListener('submit', (event) => event.stopPropagation())</script>`;
    const { page, close } = await open(htmlOf(app, '') + script() + own);
    await press(page, 'Send');
    await page.waitForURL(`${server.listener.url}/f/${app}/thanks*`);
    expect(await records(app)).toHaveLength(1);
    await close();
  });
});

it('a marked form in a shadow root of the site is one, in the language of its host', async () => {
  const app = await formOf();
  await server.admin.put(`/auth/apps/${app}/form`, { origins: [site.origin], languages: ['de'] }).expect(200);
  const own = `<main lang="de"></main>${script()}<script>
    document.querySelector('main').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(htmlOf(app, '<button formaction="/preview">Preview</button>'))};
  </script>`;
  const { page, close } = await open(own);
  await press(page, 'Send');
  await page.getByText('Vielen Dank').waitFor();
  expect(page.url()).toBe(`${site.origin}/page`);
  expect(await records(app)).toHaveLength(1);
  await press(page, 'Preview');
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  expect(await records(app)).toHaveLength(1);
  await close();
});
