// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, openPage, type Visit, visitAs } from '../support/browser/browser.ts';
import { type SitePage, startSite } from '../support/browser/site.ts';
import type { TestApp } from '../support/server/client.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { ADMIN } from './schema-page.ts';

const FORM = `
<form action="https://formspree.io/f/abc" method="POST">
  <label for="full-name">Full name *</label> <input id="full-name" name="full-name" required maxlength="80" autocomplete="name">
  <input type="email" name="_replyto" required>
  <label>Phone <input type="tel" name="data[phone]" placeholder="+44"></label>
  <select name="topic" aria-label="Topic"><option value="">Choose</option><option value="a">Apples</option><option>Pears</option></select>
  <fieldset><legend>Size</legend>
    <label><input type="radio" name="size" value="s" required> Small</label>
    <label><input type="radio" name="size" value="l"> Large</label>
  </fieldset>
  <label><input type="checkbox" name="news" value="newsletter"> Send me <b>news</b></label>
  <label><input type="checkbox" name="days[]" value="mo"> Monday</label>
  <label><input type="checkbox" name="days[]" value="tu"> Tuesday</label>
  <input type="number" name="age" min="18" max="99" value="20">
  <input name="zip" pattern="[0-9]{5}"> <input name="odd" pattern="(?=x)y">
  <input type="hidden" name="source_page" value="home">
  <input type="file" name="cv"> <input type="password" name="secret"> <textarea name="message"></textarea>
  <input type="hidden" name="_next" value="https://www.example.com/thanks">
  <input type="hidden" name="_subject" value="New"> <input name="_gotcha"> <button name="go" value="1">Send</button>
</form><img src="x" onerror="alert(1)"><script>alert(2)</script>`;

const PROPOSED = [
  { key: 'fullName', label: 'Full name', kind: 'text', required: true, maxLength: 80, autocomplete: 'name' },
  { key: 'phone', label: 'Phone', kind: 'text', required: false, placeholder: '+44', ui: 'tel' },
  {
    key: 'topic',
    label: 'Topic',
    kind: 'select',
    required: false,
    enum: ['a', 'Pears'],
    placeholder: 'Choose',
    enumLabels: { a: 'Apples' },
  },
  {
    key: 'size',
    label: 'Size',
    kind: 'select',
    required: true,
    enum: ['s', 'l'],
    ui: 'radio',
    enumLabels: { s: 'Small', l: 'Large' },
  },
  { key: 'news', label: 'Send me news', kind: 'checkbox', required: false },
  {
    key: 'days',
    label: 'Days',
    kind: 'multiselect',
    required: false,
    enum: ['mo', 'tu'],
    enumLabels: { mo: 'Monday', tu: 'Tuesday' },
  },
  { key: 'age', label: 'Age', kind: 'number', required: false, min: 18, max: 99, default: 20 },
  { key: 'zip', label: 'Zip', kind: 'text', required: false, regex: '^(?:[0-9]{5})$' },
  { key: 'odd', label: 'Odd', kind: 'text', required: false },
  { key: 'source_page', label: 'Source page', kind: 'text', required: false, hidden: true, default: 'home' },
  { key: 'cv', label: 'Cv', kind: 'file', required: false, types: ['pdf', 'png', 'jpeg'] },
  { key: 'message', label: 'Message', kind: 'text', required: false, ui: 'textarea' },
];

/** The corrected HTML without what it removes. */
const CORRECTED = `[...document.querySelector('[aria-label="Corrected HTML"]').childNodes]
  .filter(({ nodeName }) => nodeName !== 'DEL').map(({ textContent }) => textContent).join('')`;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
  app = await server.admin.buildApp({ fields: [{ key: 'name', label: 'Name', kind: 'text', required: true }] });
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

async function openImport(path: string, credentials: { sourceAppId: string; password: string }): Promise<Visit> {
  const opened = await visitAs(server, credentials, path);
  await opened.page.getByLabel('HTML of your form').fill(FORM);
  await opened.page.getByRole('heading', { name: 'Change in your HTML' }).waitFor();
  return opened;
}

describe('the import of a form', () => {
  it('shows what to change, the corrected form and the schema, and runs nothing of the text', async () => {
    const { page, expectClean, close } = await openImport('/share/import', app);
    const changes = page.getByRole('region', { name: 'Change in your HTML' });
    await changes.getByText('This is a form for Formspree.').waitFor();
    await changes
      .getByText(
        `<form action="${server.listener.url}/v1/forms/${app.sourceAppId}" method="post" enctype="multipart/form-data">`,
      )
      .waitFor();
    await changes.getByText(`It sends to ${server.listener.url}, which only works on this computer.`).waitFor();
    for (const text of [
      'full-name The name cannot be a key. Rename it to fullName.',
      'secret Passwords should not be collected. Remove the field.',
      '_next People are only sent to allowed websites. Allow https://www.example.com on the page “Share”.',
      'name The schema requires it (Name), and the form does not have it.',
      '_subject Accepted and ignored.',
      '_gotcha Understood: a hidden field that catches bots.',
      'go Remove the name of the button: browsers send it as a field.',
    ]) {
      await changes.getByRole('listitem').filter({ hasText: text }).waitFor();
    }
    const fields = page.getByRole('region', { name: 'Fields', exact: true });
    await fields.getByText('Change value="newsletter" to value="true": other texts are refused.').waitFor();
    await fields.getByText('Without its pattern:').waitFor();

    const corrected = page.getByLabel('Corrected HTML');
    const marked = await corrected.locator('ins').allInnerTexts();
    expect(marked).toEqual([
      ' enctype="multipart/form-data"',
      ` action="${server.listener.url}/v1/forms/${app.sourceAppId}"`,
      ' name="fullName"',
      '<input type="hidden" name="news" value="false">',
      ' value="true"',
      '<input type="hidden" name="days[]" value="">',
      expect.stringContaining('name="name"'),
    ]);
    expect(await corrected.locator('del').allInnerTexts()).toEqual([
      ' action="https://formspree.io/f/abc"',
      ' name="full-name"',
      ' value="newsletter"',
      '<input type="password" name="secret">',
      ' name="go"',
    ]);

    const schema = JSON.parse(await page.getByLabel('Schema as JSON').innerText());
    expect(schema.fields.slice(1)).toEqual(PROPOSED);
    expect(schema.fields[0]).toMatchObject({ key: 'name', required: true });
    await server.admin.putSchema((await server.admin.buildApp()).sourceAppId, schema).expect(200);

    await page.getByLabel('HTML of your form').fill('<p>Hello</p>');
    await page.getByText('No form was found').waitFor();
    expectClean();
    await close();
  });

  it('adds the fields to the draft of an administrator, who saves it', async () => {
    const path = `/apps/${app.sourceAppId}/share/import`;
    const { page, expectClean, close } = await openImport(path, ADMIN);
    await page.getByRole('button', { name: 'Add 12 fields to the schema draft' }).click();
    await page.getByText('12 unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('button', { name: 'Save version 3' }).click();
    await page.getByText('Schema version 3 · live').waitFor();
    const { body } = await server.admin.get(`/auth/apps/${app.sourceAppId}/schema`).expect(200);
    expect(body.fields.slice(1)).toEqual(PROPOSED);
    expectClean();
    await close();
  });

  it('takes the form with an email of a whole page, and gives one without a method the method', async () => {
    const own = await server.admin.buildApp();
    const pages: Record<string, SitePage> = {};
    const site = await startSite(pages);
    await server.admin.put(`/auth/apps/${own.sourceAppId}/form`, { origins: [site.origin] }).expect(200);
    const { page, close } = await visitAs(server, own, '/share/import');
    await page.getByLabel('HTML of your form').fill(`<form id="search" action="/search"><input name="q"></form>
<form name="contact" action="#" netlify><input name="person"><input type="email" name="email">
<button name="way" value="1" formaction="https://old.example/">Go</button><input type="image" name="go" alt="Image"></form>`);
    const forms = page.getByLabel('The text has 2 forms');
    expect(await forms.locator('option:checked').innerText()).toBe('contact (4 controls)');
    const html = await page.evaluate(CORRECTED);
    pages['/contact'] = { html: html as string };
    const visitor = await openPage(`${site.origin}/contact`);
    for (const button of ['Go', 'Image']) {
      await visitor.page.goto(`${site.origin}/contact`);
      await visitor.page.locator('[name=person]').fill(button);
      await visitor.page.locator('[name=email]').fill('ada@example.com');
      await visitor.page.getByRole('button', { name: button }).click();
      await visitor.page.getByText('Thank you. Your entries are stored.').waitFor();
      expect(visitor.page.url()).toBe(`${server.listener.url}/f/${own.sourceAppId}/thanks`);
      const stored = await server.db.collection('users').findOne({ sourceAppId: own.sourceAppId });
      // Nothing of the buttons.
      expect(stored).toMatchObject({ email: 'ada@example.com' });
      expect(stored?.data).toEqual({ person: button });
    }
    await forms.selectOption({ index: 0 });
    await page.getByText('The form has no email').waitFor();
    await visitor.close();
    await close();
    await site.close();
  });
});
