// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeBrowser, openPage, type Visit } from '../support/browser/browser.ts';
import { type Site, startSite } from '../support/browser/site.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

/** What scripts of sites send a form with: the options of `fetch`, of the form `form`. */
const SCRIPTS: [string, string][] = [
  ['FormData', '{ body: new FormData(form) }'],
  ['URLSearchParams', '{ body: new URLSearchParams(new FormData(form)) }'],
  ['the header of jQuery', `{ body: new FormData(form), headers: { 'X-Requested-With': 'XMLHttpRequest' } }`],
  [
    'the headers of htmx',
    `{ body: new URLSearchParams(new FormData(form)), headers: { 'HX-Request': 'true', 'HX-Boosted': 'true',
       'HX-Current-URL': location.href, 'HX-History-Restore-Request': 'true', 'HX-Prompt': 'x', 'HX-Target': 'x',
       'HX-Trigger': 'x', 'HX-Trigger-Name': 'x' } }`,
  ],
];

let server: TestServer;
let app: TestApp;
let site: Site;
let visit: Visit;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text', required: true }] });
  const form = (next: string) =>
    `<form method="post" action="${server.listener.url}/v1/forms/${app.sourceAppId}">
       <input name="email"><input name="name"><input type="hidden" name="_next" value="${next}"></form>`;
  site = await startSite({ '/': { html: form('/thanks') } });
  await server.admin.put(`/auth/apps/${app.sourceAppId}/form`, { origins: [site.origin] }).expect(200);
  visit = await openPage(site.origin, { origins: [server.listener.url, site.origin] });
});
afterAll(async () => {
  await visit.close();
  await closeBrowser();
  await site.close();
});

/** Fills the form and sends it as a script of the site does. */
const sendWith = (options: string, email: string, name: string) =>
  visit.page.evaluate(`(async () => {
    const form = document.querySelector('form');
    form.elements.email.value = ${JSON.stringify(email)};
    form.elements.name.value = ${JSON.stringify(name)};
    const response = await fetch(form.action, { method: 'POST', ...${options} });
    return { status: response.status, body: await response.json() };
  })()`);

it.each(SCRIPTS)('spec 4.5: a script that sends a form with %s reads the answer', async (name, options) => {
  const email = `${name.replaceAll(' ', '-').toLowerCase()}@example.com`;
  const next = `${site.origin}/thanks`;
  expect(await sendWith(options, email, name)).toMatchObject({ status: 200, body: { next } });
  expect(await server.db.collection('users').findOne({ email, sourceAppId: app.sourceAppId })).toMatchObject({
    data: { name },
  });
  const problem = expect.objectContaining({ path: 'data.name' });
  expect(await sendWith(options, email, '')).toMatchObject({ status: 400, body: { errors: [problem] } });
});
