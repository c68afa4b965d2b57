// @module-tag long

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, startSite } from '../support/browser/site.ts';
import { CaptchaProviders, captchaSettings, ENTRIES, PROVIDERS } from '../support/peers/captcha.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

type Provider = (typeof PROVIDERS)[number];

const APIS = { turnstile: 'turnstile', hcaptcha: 'hcaptcha', recaptcha: 'grecaptcha', friendly: 'frcaptcha' };
const SCRIPTS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js',
  recaptcha: 'https://www.google.com/recaptcha/api.js',
  friendly: 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@0.1.26/site.min.js',
};
const FRAMES = {
  turnstile: 'https://challenges.cloudflare.com/frame',
  hcaptcha: 'https://newassets.hcaptcha.com/frame',
  recaptcha: 'https://www.google.com/recaptcha/frame',
  friendly: 'https://global.frcapi.com/frame',
};

let providers: CaptchaProviders;
let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
beforeAll(async () => {
  providers = await CaptchaProviders.start();
  server = await startServer(providers.env);
  site = await startSite(pages);
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
  await server.close();
  await providers.close();
});
beforeEach(() => {
  providers.answer = () => undefined;
});

/**
 * A script with the interface of that of a provider: it shows a challenge, with a frame, in each
 * element of its class, and in others by its function. A click solves the challenge.
 */
function scriptOf(provider: Provider): string {
  const entry = ENTRIES[provider];
  return `(() => {
    const show = (element, sitekey) => {
      if (sitekey !== 'site-key-of-${provider}' || element.firstChild) throw new Error('not to be shown');
      const input = Object.assign(document.createElement('input'), { type: 'hidden', name: '${entry}' });
      ${provider === 'friendly' ? "input.value = '.UNSTARTED';" : ''}
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'I am human' });
      button.onclick = () => { input.value = 'good#' + Math.random(); };
      element.append(input, button, Object.assign(document.createElement('iframe'), { src: '${FRAMES[provider]}' }));
    };
    window.${APIS[provider]} = ${
      provider === 'friendly'
        ? '{ createWidget: ({ element, sitekey }) => show(element, sitekey) }'
        : '{ render: (element, { sitekey }) => show(element, sitekey) }'
    };
    for (const element of document.querySelectorAll('.${entry.replace('-response', '')}')) {
      show(element, element.dataset.sitekey);
    }
  })();`;
}

async function openWith(provider: Provider, url: string) {
  const visit = await openPage(`${site.origin}/none`);
  const { page } = visit;
  await page.route(/^https:/, (route) => {
    const address = route.request().url();
    if (address === FRAMES[provider]) return route.fulfill({ contentType: 'text/html', body: 'A challenge' });
    return address === SCRIPTS[provider]
      ? route.fulfill({
          contentType: 'text/javascript',
          headers: { 'access-control-allow-origin': '*' },
          body: scriptOf(provider),
        })
      : route.abort();
  });
  await page.goto(url);
  return visit;
}

async function formOf(provider: Provider, more: object = {}): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Name', kind: 'text' }] });
  const settings = { ...captchaSettings(provider), origins: [site.origin], ...more };
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}
const records = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();
const held = async (app: string) => {
  const { body } = await server.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
  return body.held.map(({ reason }: { reason: string }) => reason);
};

const fill = (page: Page, email = 'ada@example.com') => page.getByLabel('Email').fill(email);
const solve = (page: Page) => page.getByRole('button', { name: 'I am human' }).click();
const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

/** An unsolved challenge, then a refused one with the same entries, then a good one. */
async function sendThrice(page: Page): Promise<void> {
  await fill(page);
  await page.getByLabel('Name').fill('Ada');
  await send(page);
  await page.getByText('Complete the check above the button, then send the form.').waitFor();
  const before = providers.asked.length;
  providers.answer = () => ({ body: { success: false, 'error-codes': ['timeout-or-duplicate'] } });
  await solve(page);
  await send(page);
  await page.getByText('The challenge was not solved, or its token has expired; solve a new one').waitFor();
  providers.answer = () => undefined;
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
  // The challenge is new: the form waits for its solution.
  await send(page);
  await page.getByText('Complete the check above the button, then send the form.').waitFor();
  expect(providers.asked.length).toBe(before + 1);
  await solve(page);
  await send(page);
}

describe.each(PROVIDERS)('the challenge of %s', (provider) => {
  it('is in the hosted form, and is new after a refusal', async () => {
    const app = await formOf(provider);
    const { page, expectClean, close } = await openWith(provider, `${server.listener.url}/f/${app}`);
    await page.frameLocator('iframe').getByText('A challenge').waitFor();
    await sendThrice(page);
    await page.waitForURL('**/thanks');
    expect(await records(app)).toMatchObject([{ data: { name: 'Ada' } }]);
    expectClean();
    await close();
  });

  it('is in the embedded form on another site, under its policy', async () => {
    const app = await formOf(provider);
    const { url } = server.listener;
    const policy = `script-src ${url} ${new URL(SCRIPTS[provider]).origin}; frame-src ${new URL(FRAMES[provider]).origin}`;
    pages['/page'] = {
      html: `<div data-user-collection="${app}"></div><script src="${url}/embed/v1.js"></script>`,
      headers: { 'Content-Security-Policy': `default-src 'none'; ${policy}; connect-src ${url}` },
    };
    const { page, expectClean, close } = await openWith(provider, `${site.origin}/page`);
    await page.frameLocator('iframe').getByText('A challenge').waitFor();
    await sendThrice(page);
    await page.getByText('Thank you').waitFor();
    expect(await records(app)).toMatchObject([{ data: { name: 'Ada' } }]);
    expectClean();
    await close();
  });
});

describe('a form with pages', () => {
  it.each(['hosted', 'embedded'])('shows the challenge before its button (%s)', async (kind) => {
    const app = await formOf('turnstile');
    const text = { kind: 'text' } as const;
    const fields = [
      { key: 'name', label: 'Name', ...text },
      { key: 'city', label: 'City', page: 2, ...text },
    ];
    await server.admin.putSchema(app, { rejectUnknown: true, fields }).expect(200);
    const { url } = server.listener;
    pages['/page'] = { html: `<div data-user-collection="${app}"></div><script src="${url}/embed/v1.js"></script>` };
    const address = kind === 'hosted' ? `${url}/f/${app}` : `${site.origin}/page`;
    const { page, expectClean, close } = await openWith('turnstile', address);
    await fill(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('City').fill('Linz');
    await solve(page);
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect(await records(app)).toMatchObject([{ data: { city: 'Linz' } }]);
    expectClean();
    await close();
  });
});

describe('a form of a site', () => {
  it('gets the challenge from the embed script, and another one for the next submission', async () => {
    const app = await formOf('turnstile');
    const { url } = server.listener;
    pages['/page'] = {
      html: `<form data-user-collection="${app}"><label>Email <input name="email" type="email"></label>
        <label>Name <input name="name"></label><button>Send</button></form><script src="${url}/embed/v1.js"></script>`,
    };
    const { page, expectClean, close } = await openWith('turnstile', `${site.origin}/page`);
    await fill(page);
    await page.frameLocator('iframe').getByText('A challenge').waitFor();
    await sendThrice(page);
    await page.getByText('Thank you').waitFor();
    await fill(page, 'bob@example.com');
    await solve(page);
    await send(page);
    await page.getByText('Thank you').waitFor();
    while ((await records(app)).length < 2) await page.waitForTimeout(50);
    providers.answer = () => ({ status: 500, body: {} });
    await fill(page, 'eve@example.com');
    await solve(page);
    await send(page);
    await page.getByText('Your entries will be checked before they are stored').waitFor();
    providers.answer = () => undefined;
    expect(await held(app)).toEqual(['captcha-away']);
    expectClean();
    await close();
  });

  it('in a shadow root gets the challenge in its slot', async () => {
    const app = await formOf('turnstile');
    const form = `<form data-user-collection="${app}"><label>Email <input name="email" type="email"></label>
      <label>Name <input name="name"></label><slot name="captcha"></slot><button>Send</button></form>`;
    pages['/page'] = {
      html: `<main></main><script src="${server.listener.url}/embed/v1.js"></script><script>
        document.querySelector('main').attachShadow({ mode: 'open' }).innerHTML = \`${form}\`;</script>`,
    };
    const { page, expectClean, close } = await openWith('turnstile', `${site.origin}/page`);
    await fill(page);
    await page.frameLocator('iframe').getByText('A challenge').waitFor();
    await sendThrice(page);
    await page.getByText('Thank you').waitFor();
    expect(await records(app)).toMatchObject([{ data: { name: 'Ada' } }]);
    expectClean();
    await close();
  });

  it('works without JavaScript of the service where Connect made it', async () => {
    const app = await formOf('hcaptcha');
    const { url } = server.listener;
    pages['/page'] = {
      html: `<form action="${url}/v1/forms/${app}" method="post"><label>Email <input name="email" type="email"></label>
        <div class="h-captcha" data-sitekey="site-key-of-hcaptcha"></div>
        <script src="${SCRIPTS.hcaptcha}" async defer></script><button>Send</button></form>`,
    };
    const { page, close } = await openWith('hcaptcha', `${site.origin}/page`);
    await fill(page);
    await solve(page);
    await send(page);
    await page.waitForURL('**/thanks');
    expect(await records(app)).toHaveLength(1);
    await close();
  });
});

describe('a hosted form', () => {
  it('is sent where the script of the provider does not load: it is held, and says so', async () => {
    const app = await formOf('turnstile', { thanks: 'You are in' });
    // The route of another provider lets nothing else through.
    const { page, close } = await openWith('friendly', `${server.listener.url}/f/${app}`);
    await fill(page);
    await send(page);
    await page.getByText('Your entries will be checked before they are stored').waitFor();
    expect(await records(app)).toEqual([]);
    expect(await held(app)).toEqual(['no-captcha']);
    await close();
  });

  it('asks for the solution in the language of the form', async () => {
    const app = await formOf('turnstile', { locale: 'de' });
    const { page, close } = await openWith('turnstile', `${server.listener.url}/f/${app}`);
    await page.getByLabel('E-Mail').fill('ada@example.com');
    await page.getByRole('button', { name: 'Senden' }).click();
    await page.getByText('Schließen Sie die Prüfung über der Schaltfläche ab').waitFor();
    await close();
  });
});
