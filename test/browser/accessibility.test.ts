import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, logIn, visit } from '../support/browser.ts';
import type { TestApp } from '../support/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';

const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
const PHONE = { width: 360, height: 740 };

let server: TestServer;
let app: TestApp;
let axe: string;
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  server = await startServer();
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', label: 'Full name', kind: 'text', required: true, regex: '^[A-Z]' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'ok', label: 'Agrees', kind: 'checkbox' },
      { key: 'visits', label: 'Visits', kind: 'array' },
    ],
  });
  await server.admin.buildApp(); // app-2, whose password the tests may change
  for (let index = 0; index < 30; index += 1) {
    const data = { name: `Name ${index}`, plan: 'pro', ok: index % 2 === 0, visits: [{ page: '/' }], other: index };
    await server.client.submit(app.sourceAppId, { email: `user${index}@example.com`, data }).expect(200);
  }
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

interface View {
  name: string;
  of: 'nobody' | 'operator' | 'admin';
  path: string;
  /** What to do on the page first; it ends when the page is ready. */
  open: (page: Page) => Promise<unknown>;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog').waitFor();

const VIEWS: View[] = [
  { name: 'log-in', of: 'nobody', path: '/', open: (page) => page.getByLabel('App id').waitFor() },
  { name: 'users', of: 'operator', path: '/users', open: (page) => page.getByText('1–30 of 30').waitFor() },
  {
    name: 'no match',
    of: 'operator',
    path: '/users?search=none',
    open: (page) => page.getByText('No user matches').waitFor(),
  },
  {
    name: 'record',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'erasing',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('link', { name: 'user7@example.com' }).click();
      await page.getByRole('button', { name: 'Erase this person' }).click();
      await dialog(page);
    },
  },
  {
    name: 'choosing columns',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Updated' }).waitFor();
    },
  },
  {
    name: 'exporting',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.getByText('1–30 of 30').waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: /^CSV/ }).waitFor();
    },
  },
  {
    name: 'filtering',
    of: 'operator',
    path: '/users?field=plan&value=pro&sort=email&order=asc',
    open: (page) => page.getByLabel('Plan is').waitFor(),
  },
  { name: 'connect', of: 'operator', path: '/connect', open: (page) => page.getByText('x-app-id').first().waitFor() },
  { name: 'not found', of: 'operator', path: '/none', open: heading('Page not found') },
  { name: 'apps', of: 'admin', path: '/apps', open: (page) => page.getByRole('row', { name: /user 30/ }).waitFor() },
  {
    name: 'creating an app',
    of: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create an app' }).first().click();
      await dialog(page);
    },
  },
  {
    name: 'a new password',
    of: 'admin',
    path: '/apps',
    open: async (page) => {
      await page.getByRole('button', { name: 'Actions for app-2' }).click();
      await page.getByRole('menuitem', { name: 'New password' }).click();
      await page.getByRole('button', { name: 'Make a new password' }).click();
      await page.getByText('It is not shown again').waitFor();
    },
  },
  {
    name: 'a record of some app',
    of: 'admin',
    path: '/users',
    open: async (page) => {
      await page.getByRole('button', { name: 'user29@example.com' }).click();
      await page.getByRole('heading', { name: 'Other data' }).waitFor();
    },
  },
  {
    name: 'a session that ended',
    of: 'operator',
    path: '/users',
    open: async (page) => {
      await page.context().clearCookies();
      await page.getByRole('columnheader', { name: 'Plan' }).getByRole('button').click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  { name: 'all users', of: 'admin', path: '/users', open: (page) => page.getByText('user29@example.com').waitFor() },
  {
    name: 'schema editor',
    of: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: /^Full name/ }).click();
      await page.getByLabel('Pattern').fill('(');
      await page.getByText('1 field to mend').waitFor();
      await page.getByRole('button', { name: 'Check' }).click();
    },
  },
  {
    name: 'reviewing changes',
    of: 'admin',
    path: '/apps/APP',
    open: async (page) => {
      await page.getByRole('button', { name: 'Remove Plan' }).click();
      await page.getByRole('checkbox', { name: /^Refuse data/ }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByText('would not pass').waitFor();
    },
  },
  { name: 'JSON', of: 'admin', path: '/apps/APP/json', open: (page) => page.getByLabel('Schema as JSON').fill('{') },
  {
    name: 'versions',
    of: 'admin',
    path: '/apps/APP/versions',
    open: async (page) => {
      await page.getByRole('button', { name: /Version 2/ }).click();
      await page.getByText('What it changed').waitFor();
    },
  },
];

async function show({ of, path, open }: View, options: Parameters<typeof visit>[2]) {
  const visited = await visit(server, path.replace('APP', app.sourceAppId), options);
  if (of !== 'nobody') await logIn(visited.page, of === 'admin' ? ADMIN : app);
  await open(visited.page);
  return visited;
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it.each(VIEWS)('$name has no serious fault that axe can find', async (view) => {
    // Axe is brought in from outside; the policy of the page would rightly refuse it.
    const { page, close } = await show(view, { colorScheme, bypassCSP: true });
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(colorScheme);
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)).toEqual(
      [],
    );
    await close();
  });
});

describe('on a phone', () => {
  it.each(VIEWS)('$name is no wider than the screen', async (view) => {
    const { page, close, expectClean } = await show(view, { viewport: PHONE });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    expectClean();
    await close();
  });
});

describe('with the keyboard alone', () => {
  it('one logs in, finds a person and opens the record', async () => {
    const { page, close, expectClean } = await visit(server, '/');
    await page.getByLabel('App id').waitFor();
    await page.keyboard.type(app.sourceAppId);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.password);
    await page.keyboard.press('Enter');
    await page.getByText('1–30 of 30').waitFor();
    await tabTo(page, 'Search by email');
    await page.keyboard.type('user12');
    await page.getByText('1–1 of 1', { exact: true }).waitFor();
    await tabTo(page, 'user12@example.com');
    await page.keyboard.press('Enter');
    await heading('user12@example.com')(page);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'Erase this person');
    await page.keyboard.press('Enter');
    await dialog(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Erase this person');
    expectClean();
    await close();
  });
});

const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") || document.activeElement.innerText.trim()',
  ) as Promise<string>;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not get to ${name}`);
}
