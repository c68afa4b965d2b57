import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { axeViolations } from '../../support/browser/axe.ts';
import { closeBrowser, logIn, pathAs, type Visit, visit } from '../../support/browser/browser.ts';
import { appDocument } from '../../support/database/index-slots.ts';
import type { TestApp } from '../../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../../support/server/server.ts';
import { FIELDS, fillLargeApp, INDEXED, INDEXED_FIELDS, LARGE } from './records.ts';

const SETUP_MS = 120_000;
const VIEWPORT = { width: 1440, height: 900 };
const BUILD_MS = 180_000;
/** Generous, because an index of all records may be built on a busy machine meanwhile. */
const WAIT_MS = 60_000;
/** Builds and moves take at least as long as `writesEndMs`, so that the dashboard shows them. */
const TIMES = { writesEndMs: 1_500, retentionEveryMs: 500, pollEveryMs: 500 };
/** The order of creation, newest first. */
export const NEWEST = { _id: -1 } as const;
export const POLL = { timeout: WAIT_MS };

/** A filter of MongoDB, with which tests count what the dashboard should show. */
export type Filter = Record<string, unknown>;
export type Role = 'operator' | 'admin';

/** An app with many records and one with a few, and pages of the dashboard about them. */
export interface LargeApp {
  server: TestServer;
  /** A second server, whose pages of a query read one range of records only. */
  slow: TestServer;
  /**
   * Resolves when the dashboard has shown the progress of all indexes to its end. They are built
   * from the set-up on, beside the tests that need none.
   */
  indexed: Promise<void>;
  app: TestApp;
  /** An app whose records no test about the large app may change. */
  other: TestApp;
  /** Opens a page of the dashboard, logged in. It is closed after the test. */
  open(path: string, options?: { role?: Role; on?: TestServer; width?: number }): Promise<Page>;
  /** The number of records of the large app. */
  count(filter?: Filter): Promise<number>;
  /** The emails of records of the large app. */
  emails(filter: Filter, sort: Record<string, 1 | -1>, from: number, count: number): Promise<string[]>;
  stored(email: string): Promise<UserDocument | undefined>;
  /** The records of the other app. */
  others(): Promise<UserDocument[]>;
  /** Those that it had at first. */
  othersAtFirst: UserDocument[];
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

/** Registers the hooks of the test file: one set-up for all tests. */
export function withLargeApp(): LargeApp {
  const context = {} as LargeApp;
  const sessions = new Map<string, Cookies>();
  const opened: Visit[] = [];

  beforeAll(async () => {
    const server = await startServer({}, undefined, { ...TIMES, queryBudgetMs: 20_000 });
    context.server = server;
    context.slow = await startServer({}, server.database, { ...TIMES, queryBudgetMs: 0 });
    context.app = await server.admin.buildApp({ fields: FIELDS });
    context.other = await server.admin.buildApp({ fields: FIELDS });
    const { sourceAppId } = context.app;
    const { _id } = await appDocument(server, sourceAppId);
    await fillLargeApp(server.db.collection<UserDocument>('users'), _id, sourceAppId);
    for (const name of ['Ada', 'Alan', 'Grace', 'Edsger', 'Barbara']) {
      const email = `${name.toLowerCase()}@other.example`;
      const data = { name, plan: 'pro', age: 36, city: 'Paris', visits: [{ page: '/' }] };
      await server.client.submit(context.other.sourceAppId, { email, data }).expect(200);
    }
    context.othersAtFirst = await others();
    await server.admin.putSchema(sourceAppId, { fields: INDEXED_FIELDS }).expect(200);
    context.indexed = untilIndexed();
    // A failure is that of the test which waits for it.
    context.indexed.catch(() => undefined);
  }, SETUP_MS);
  afterAll(async () => {
    await closeBrowser();
    await context.slow.close();
    await context.server.close();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) {
      one.expectClean();
      await one.close();
    }
  });

  /** Watches the progress that the dashboard shows until all indexes are built. */
  async function untilIndexed(): Promise<void> {
    const { server, app } = context;
    const { page, close } = await visit(server, pathAs(app, '/users'), { waitMs: WAIT_MS, mayBeBusy: true });
    await logIn(page, app);
    const progress = page.getByRole('list', { name: 'Background work' });
    for (const label of ['Full name', 'Plan', 'Age']) {
      await progress.getByText(`Building the index of ${label}: `).waitFor();
    }
    await progress
      .getByText(`of ${shown(LARGE)} people`)
      .first()
      .waitFor();
    await progress.waitFor({ state: 'detached', timeout: BUILD_MS });
    const { slots = [] } = await appDocument(server, app.sourceAppId);
    expect(slots.map(({ key, state }) => `${key} ${state}`).sort()).toEqual(
      INDEXED.map((key) => `${key} ready`).sort(),
    );
    await close();
  }

  const users = () => context.server.db.collection<UserDocument>('users');
  const others = () => users().find({ sourceAppId: context.other.sourceAppId }).sort({ _id: 1 }).toArray();
  const own = (filter: Filter): Filter => ({ sourceAppId: context.app.sourceAppId, ...filter });

  return Object.assign(context, {
    async open(path: string, { role = 'operator', on = context.server, width = VIEWPORT.width } = {}) {
      const account = role === 'admin' ? { sourceAppId: 'admin', password: ADMIN_PASSWORD } : context.app;
      const cookies = sessions.get(role);
      const options = { viewport: { ...VIEWPORT, width }, waitMs: WAIT_MS, mayBeBusy: true };
      const one = await visit(
        on,
        pathAs(account, path),
        cookies ? { ...options, storageState: { cookies, origins: [] } } : options,
      );
      opened.push(one);
      if (!cookies) {
        await logIn(one.page, account);
        sessions.set(role, await one.page.context().cookies());
      }
      return one.page;
    },
    count: (filter: Filter = {}) => users().countDocuments(own(filter)),
    async emails(filter: Filter, sort: Record<string, 1 | -1>, from: number, count: number) {
      const found = users().find(own(filter), { projection: { email: 1 } });
      const records = await found.sort(sort).skip(from).limit(count).allowDiskUse().toArray();
      return records.map(({ email }) => email);
    },
    others,
    stored: async (email: string) => (await users().findOne(own({ email }))) ?? undefined,
  }) as LargeApp;
}

/** The emails in the table of users, in their order. */
export const shownEmails = (page: Page): Promise<string[]> =>
  page.getByRole('region', { name: 'Table of people' }).locator('tbody td:first-child').allInnerTexts();

export const waitForText = (page: Page | Locator, text: string | RegExp): Promise<void> =>
  page.getByText(text, { exact: true }).waitFor();

/** Downloads a file by a press, and resolves with its lines. */
export async function downloadedLines(page: Page, press: () => Promise<void>, end = '\r\n'): Promise<string[]> {
  const [download] = await Promise.all([page.waitForEvent('download', POLL), press()]);
  return (await readFile(await download.path(), 'utf8')).trimEnd().split(end);
}

/** A number as the dashboard shows it. */
export const shown = (number: number): string => number.toLocaleString('en-GB');

/** Asserts that a state of a page has no axe violations, and fits. */
export async function expectUsable(page: Page, state: string): Promise<void> {
  expect({ state, found: await axeViolations(page) }).toEqual({ state, found: [] });
  await expectFits(page);
}

/** Asserts that a page has no horizontal scroll bar. */
export async function expectFits(page: Page): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
}
