// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { type Site, startSite } from '../support/browser/site.ts';
import { conditionVectors } from '../support/samples/condition-vectors.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let site: Site;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  app = (await server.admin.buildApp()).sourceAppId;
  site = await startSite({ '/page': { html: '<h1>A site</h1>' } });
});
afterAll(async () => {
  await closeBrowser();
  await site.close();
});

/** Starts a form that sends the texts of a vector, with the module that pages load. */
const RUN = `async ({ url, vectors }) => {
  const { start } = await import(url);
  const tools = { clearProblems() {}, controlsOf: () => [], describeWithout() {}, showProblems() {} };
  return vectors.map(({ name, fields, form: texts }) => {
    const form = document.createElement('form');
    for (const { key } of fields) {
      const element = document.createElement('div');
      element.dataset.field = key;
      for (const text of Object.hasOwn(texts, key) ? texts[key] : []) {
        const control = document.createElement('textarea');
        control.name = 'data[' + key + ']';
        control.value = text;
        element.append(control);
      }
      element.append(Object.assign(document.createElement('span'), { className: 'mark' }));
      form.append(element);
    }
    document.body.append(form);
    start(form, { fields, texts: {} }, tools);
    const keysOf = (selector) => [...form.querySelectorAll(selector)].map((one) => one.closest('[data-field]').dataset.field);
    const sent = [...new Set([...new FormData(form).keys()].map((one) => one.slice(5, -1)))];
    const result = { name, shown: keysOf('div:not([data-off])'), required: keysOf('div:not([data-off]) .mark:not([data-off])'), sent };
    form.remove();
    return result;
  });
}`;

it.each([
  ['the hosted form', () => `${server.listener.url}/f/${app}`],
  ['the embed', () => `${site.origin}/page`],
])('%s evaluates conditions as the service', async (_name, at) => {
  const vectors = conditionVectors.filter(({ form }) => form);
  const { page, close } = await openPage(at());
  const url = `${server.listener.url}/embed/v1-steps.js`;
  const results = (await page.evaluate(`(${RUN})(${JSON.stringify({ url, vectors })})`)) as {
    shown: string[];
    required: string[];
    sent: string[];
  }[];
  for (const [index, { name, form = {}, shown, required }] of vectors.entries()) {
    const result = results[index];
    expect(result).toMatchObject({ name, shown, ...(required && { required }) });
    expect(result?.sent).toEqual(shown.filter((key) => Object.hasOwn(form, key) && form[key]?.length !== 0));
  }
  await close();
});
