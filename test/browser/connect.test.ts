import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, type Visit, visit } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const SPECIAL_CHARACTERS = `it's "so" <b>&</b> </script>`;

let server: TestServer;
let app: TestApp;
let open: Visit;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
beforeEach(async () => {
  app = await server.admin.buildApp({
    rejectUnknown: true,
    fields: [
      { key: 'name', label: SPECIAL_CHARACTERS, kind: 'text', required: true, minLength: 20, maxLength: 30 },
      { key: 'code', label: 'Code', kind: 'text', required: true, regex: '^[A-Z]{2}-[0-9]{4}$' },
      { key: 'plan', label: 'Plan', kind: 'select', required: true, enum: [SPECIAL_CHARACTERS, 'pro'] },
      { key: 'age', label: 'Age', kind: 'number', required: true, min: 18, max: 99 },
      { key: 'terms', label: 'Terms', kind: 'checkbox', required: true },
      { key: 'born', label: 'Born', kind: 'date', required: true },
      { key: 'visits', label: 'Visits', kind: 'array', required: true },
    ],
  });
  open = await visit(server, '/connect');
  await logIn(open.page, app);
});
afterEach(async () => {
  open.expectClean();
  await open.close();
});

const snippet = async (tab: string) => {
  await open.page.getByRole('tab', { name: tab }).click();
  return open.page.getByRole('tabpanel').locator('pre').innerText();
};
const users = async () => server.db.collection('users').find({ sourceAppId: app.sourceAppId }).toArray();

describe('the code to connect a form', () => {
  it('submits when the command is pasted into a terminal', async () => {
    const command = await snippet('Terminal');
    const { stdout } = await run('sh', ['-c', `${command} --silent --show-error`]);
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(['createdAt', 'id', 'updatedAt']);
    expect(await users()).toMatchObject([
      { email: 'ada@example.com', data: { plan: SPECIAL_CHARACTERS, age: 18, terms: true } },
    ]);
  });

  it('submits when the script is run', async () => {
    const script = `(async () => { ${await snippet('JavaScript')} })()`;
    const { stdout } = await run(process.execPath, ['-e', script]);
    expect(stdout).toContain('Stored as');
    expect(await users()).toHaveLength(1);
  });

  const openForm = async () => {
    const html = await snippet('HTML');
    const form = await visit(server);
    await form.page.route('**/form.html', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await form.page.goto(`${server.listener.url}/form.html`);
    await fillForm(form);
    return form;
  };
  const fillForm = async ({ page }: Visit) => {
    await page.getByLabel('Email').fill('form@example.com');
    await page.getByRole('textbox', { name: SPECIAL_CHARACTERS }).fill('a name of twenty letters');
    await page.getByLabel('Code').fill('AB-1234');
    await page.getByLabel('Plan').selectOption(SPECIAL_CHARACTERS);
    await page.getByLabel('Age').fill('20');
    await page.getByLabel('Terms').check();
    await page.getByLabel('Born').fill('1990-02-28');
    await page.getByLabel('Visits').fill('first');
  };

  it('submits from the HTML page, which shows validation errors', async () => {
    const form = await openForm();
    expect(await form.page.locator('form b').count()).toBe(0);
    await form.page.getByLabel('Code').fill('not a code');
    await form.page.getByRole('button', { name: 'Send' }).click();
    await form.page.getByText('Invalid submission. code does not match').waitFor();
    await form.page.getByLabel('Code').fill('AB-1234');
    await form.page.getByRole('button', { name: 'Send' }).click();
    await form.page.getByText('Thank you.').waitFor();
    expect(await users()).toMatchObject([
      { email: 'form@example.com', data: { age: 20, born: '1990-02-28', visits: [{ value: 'first' }] } },
    ]);
    await form.close();
  });

  it('uses the form options of the fields in the HTML page (spec 2.6)', async () => {
    const { sourceAppId } = app;
    await server.admin.putSchema(sourceAppId, {
      rejectUnknown: true,
      fields: [
        {
          key: 'note',
          label: 'Note',
          kind: 'text',
          ui: 'textarea',
          placeholder: 'Hello',
          default: '\n</textarea><b>"',
        },
        { key: 'phone', label: 'Phone', kind: 'text', ui: 'tel', autocomplete: 'tel' },
        { key: 'from', label: 'From', kind: 'text', required: true, hidden: true, default: 'connect' },
        { key: 'ok', label: 'OK', kind: 'checkbox', default: true },
        {
          ...{ key: 'size', label: 'Size', kind: 'select', enum: ['s', 'l'], ui: 'radio', placeholder: 'Choose' },
          ...{ enumLabels: { l: '<Large>' }, default: 'l' },
        },
      ],
    });
    await open.page.reload();
    const html = await snippet('HTML');
    const form = await visit(server);
    await form.page.route('**/form.html', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await form.page.goto(`${server.listener.url}/form.html`);
    await form.page.getByLabel('Email').fill('options@example.com');
    expect(await form.page.getByLabel('Phone').getAttribute('type')).toBe('tel');
    expect(await form.page.getByLabel('Phone').getAttribute('autocomplete')).toBe('tel');
    expect(await form.page.getByPlaceholder('Hello').inputValue()).toBe('\n</textarea><b>"');
    expect(await form.page.getByLabel('Size').locator('option').allInnerTexts()).toEqual(['Choose', 's', '<Large>']);
    expect(await form.page.getByText('From').isVisible()).toBe(false);
    await form.page.getByRole('button', { name: 'Send' }).click();
    await form.page.getByText('Thank you.').waitFor();
    expect(await users()).toMatchObject([
      { data: { note: '\n</textarea><b>"', from: 'connect', ok: true, size: 'l' } },
    ]);
    await form.close();
  });

  it('submits the HTML form once on a double click', async () => {
    const form = await openForm();
    const button = form.page.getByRole('button', { name: 'Send' });
    let requests = 0;
    let respond: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await form.page.route('**/v1/users', async (route) => {
      requests += 1;
      await held;
      await route.continue();
    });
    await button.dblclick();
    expect(await button.isDisabled()).toBe(true);
    respond();
    await form.page.getByText('Thank you.').waitFor();
    expect(await button.isEnabled()).toBe(true);
    expect(requests).toBe(1);
    expect((await users())[0]?.data.visits).toHaveLength(1);
    await form.close();
  });

  it('retries the HTML form with the same Idempotency-Key after a lost response', async () => {
    const form = await openForm();
    const button = form.page.getByRole('button', { name: 'Send' });
    const keys: (string | undefined)[] = [];
    await form.page.route('**/v1/users', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await button.click();
    await form.page.getByText('Please try again.').waitFor();
    await button.click();
    await form.page.getByText('Thank you.').waitFor();
    expect(keys[0]).toMatch(/^[0-9a-f-]{8,}$/);
    expect(keys[1]).toBe(keys[0]);
    expect((await users())[0]?.data.visits).toHaveLength(1);

    await fillForm(form);
    await button.click();
    await expect.poll(() => button.isEnabled()).toBe(true);
    expect((await users())[0]?.data.visits).toHaveLength(2);
    expect(keys[2]).not.toBe(keys[0]);
    await form.close();
  });

  it('is copied by a button', async () => {
    await open.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = await snippet('Terminal');
    await open.page.getByRole('button', { name: 'Copy' }).click();
    await open.page.getByText('Copied').waitFor();
    expect(await open.page.evaluate('navigator.clipboard.readText()')).toBe(text);
  });
});

describe('a new installation', () => {
  it('gets from the first login to the first user without documentation', async () => {
    const admin = await visit(server);
    const { page } = admin;
    await logIn(page, { sourceAppId: 'admin', password: 'the-admin-password-of-the-tests' });
    await page.getByRole('button', { name: 'Create app' }).first().click();
    await page.getByLabel('App ID').fill('first-app');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const password = await page.getByRole('dialog').locator('code').innerText();
    await page.getByRole('checkbox', { name: "I've saved this password" }).check();
    await page.getByRole('link', { name: 'Define fields' }).click();

    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('menuitem', { name: 'Date' }).click();
    await page.getByLabel('Label').fill('Birthday');
    await page.getByRole('checkbox', { name: 'Required' }).check();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.getByText('Schema version 2 · live').waitFor();

    await page.getByRole('link', { name: 'Connect a form' }).click();
    await page.getByText('"birthday"').waitFor();
    const command = await page.getByRole('tabpanel').locator('pre').innerText();
    await run('sh', ['-c', `${command} --silent`]);

    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn(page, { sourceAppId: 'first-app', password });
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    await page.getByRole('columnheader', { name: 'Birthday' }).waitFor();
    admin.expectClean();
    await admin.close();
  });
});
