import { UUID } from 'mongodb';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { beginSession, closeBrowser, openPage, pathAs, tableRows, type Visit } from '../support/browser/browser.ts';
import { appDocument } from '../support/database/index-slots.ts';
import type { TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, sharedServer, type TestServer } from '../support/server/server.ts';

/** One field of each kind. */
export const FIELDS = [
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro', 'max'], enumLabels: { pro: 'Professional' } },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'born', label: 'Born', kind: 'date' },
  { key: 'news', label: 'News', kind: 'checkbox' },
  { key: 'visits', label: 'Visits', kind: 'array' },
] as const;

/** The dashboard in a browser, with a new app for each test. */
export interface UsersPage {
  server: TestServer;
  app: TestApp;
  open: Visit;
  page: Page;
  submit(email: string, data: object): Promise<{ id: string; updatedAt: string }>;
  /** The emails in the table, in their order. */
  emails(): Promise<(string | undefined)[]>;
  /** The conditions of the filter, in words. */
  chips(): Promise<string[]>;
  waitForText(text: string): Promise<void>;
  /** Goes to a page in the present session; those of the operator's app are named without it. */
  goTo(path: string): Promise<unknown>;
  /** Begins a session of the app and opens the dashboard. */
  logIn(): Promise<void>;
  logInAsAdmin(): Promise<void>;
}

/**
 * Registers the hooks of a test file that opens the pages of users.
 *
 * @param start starts the server of a file that must not share one
 */
export function withUsersPage(
  fields: readonly object[] = FIELDS,
  start: () => Promise<TestServer> = sharedServer,
): UsersPage {
  const context = {} as UsersPage;
  let session: TestApp;
  beforeAll(async () => {
    context.server = await start();
  });
  afterAll(async () => {
    await closeBrowser();
    await context.server.close();
  });
  beforeEach(async () => {
    const { server } = context;
    context.app = await server.admin.buildApp({ fields: fields.map((field) => ({ ...field })) as never });
    context.open = await openPage('about:blank', { origins: [server.listener.url] });
    context.page = context.open.page;
  });
  afterEach(async () => {
    context.open.expectClean();
    await context.open.close();
  });
  const logInAs = async (app: TestApp): Promise<void> => {
    session = app;
    await beginSession(context.page.context(), context.server.listener.url, app);
    await context.goTo('/');
    await context.page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
  };
  return Object.assign(context, {
    async submit(email: string, data: object) {
      const { server, app } = context;
      return (await server.client.submit(app.sourceAppId, { email, data }).expect(200)).body;
    },
    emails: async () => (await tableRows(context.page, 'Table of people')).map(([email]) => email),
    async chips() {
      const texts = await context.page.getByRole('list', { name: 'Filters' }).getByRole('listitem').allInnerTexts();
      return texts.filter((text) => text !== 'Remove all filters');
    },
    waitForText: (text: string) => context.page.getByText(text, { exact: true }).waitFor(),
    goTo: (path: string) => context.page.goto(`${context.server.listener.url}/dashboard${pathAs(session, path)}`),
    logIn: () => logInAs(context.app),
    logInAsAdmin: () => logInAs({ sourceAppId: 'admin', password: ADMIN_PASSWORD }),
  });
}

let storedRecords = 0;

/**
 * Stores records at once, as submissions of the second version of the schema do.
 *
 * @param data is called with the number of each record
 * @param options.createdAt when they were created, one after the other; default: before any other
 */
export async function storeRecords(
  { server, app }: Pick<UsersPage, 'server' | 'app'>,
  count: number,
  data: (index: number) => object,
  {
    createdAt,
    email = (index) => `stored-${index}@example.com`,
  }: { createdAt?: Date; email?: (index: number) => string } = {},
): Promise<void> {
  const stored = await appDocument(server, app.sourceAppId);
  const newId = createOrderedIds();
  const time = createdAt ?? new Date();
  const records = Array.from({ length: count }, (_, index) => ({
    _id: createdAt ? newId(createdAt) : olderId(),
    appId: stored._id,
    sourceAppId: app.sourceAppId,
    schemaVersion: 2,
    email: email(index),
    data: data(index),
    createdAt: time,
    updatedAt: time,
  }));
  await server.db.collection<(typeof records)[number]>('users').insertMany(records);
}

/** Ids are in the order of creation. */
function olderId(): UUID {
  storedRecords += 1;
  return new UUID(`00000000-0000-7000-8000-${String(storedRecords).padStart(12, '0')}`);
}
