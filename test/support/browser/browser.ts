import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from '../server/client.ts';
import type { TestServer } from '../server/server.ts';
import { launchChromium } from './chromium.mjs';
import { openPages } from './open-pages.ts';

/**
 * The console message that Chromium logs for a 4xx response. Expected: the page shows the error.
 */
const REFUSED_REQUEST_LOG = /^Failed to load resource: the server responded with a status of 4\d\d/;
/** What Chromium logs when a server has no time for a request. */
const BUSY_LOG = /^Failed to load resource: the server responded with a status of 503/;
/** Generous: other tests run beside this one. It ends a wait only when a test fails. */
const WAIT_MS = 30_000;
const VIEWPORT = { width: 1280, height: 720 };
/** Options of contexts that are closed with their visit. */
const NOT_REUSED = /"(?:javaScriptEnabled|colorScheme)":/;
/** The events that visits and tests listen to. */
const EVENTS = ['console', 'pageerror', 'dialog', 'request', 'requestfinished', 'response', 'download', 'popup'];

/** Who logs in: an app or an account. */
type LogIn = TestApp | { email: string; password: string };

/** How a page is opened. */
type PageOptions = BrowserContextOptions & {
  /** How long locators wait, in ms. */
  waitMs?: number;
  /** Whether a server may answer 503 because the database is at work; the page repeats requests. */
  mayBeBusy?: boolean;
};

/** A page in a browser context without cookies. Records the errors that occur in it. */
export interface Visit {
  page: Page;
  /**
   * Fails if the page requested a URL of another origin, violated its content security policy or
   * logged a console error.
   */
  expectClean(): void;
  /** Closes the page and those that it opened. */
  close(): Promise<void>;
}

/** Launched for the first page of a worker; ends with the worker. */
let browser: Promise<Browser> | undefined;

/**
 * Pages of ended visits, by the key of their options. Another visit loads the dashboard there
 * in half the time of a new page, which needs a new process.
 */
const idle = new Map<string, Page[]>();
/** The pages that run a script of a test in each document: they are not used again. */
const scripted = new WeakSet<Page>();

/** Closes the pages that the test file left open. The files of one worker share a browser. */
export async function closeBrowser(): Promise<void> {
  await Promise.all([...openPages.keys()].map(closePage));
}

async function takePage({ storageState, ...options }: BrowserContextOptions): Promise<Page> {
  const chromium = await sharedBrowser();
  const key = JSON.stringify(options);
  const page = idle.get(key)?.pop() ?? (await newPage(chromium, options));
  openPages.set(page, key);
  if (storageState) await page.context().setStorageState(storageState);
  return page;
}

async function newPage(chromium: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await chromium.newContext(options);
  const page = await context.newPage();
  // While a page has a listener, Chromium asks Playwright for the files. What a first listener sets
  // may arrive after a key that is pressed next.
  page.on('filechooser', () => {});
  const addInitScript = page.addInitScript.bind(page);
  page.addInitScript = (...script) => {
    scripted.add(page);
    return addInitScript(...script);
  };
  return page;
}

/** Ends a visit: closes the pages that it opened, and leaves nothing of it in its first page. */
export async function closePage(page: Page): Promise<void> {
  const key = openPages.get(page);
  if (key === undefined) return;
  openPages.delete(page);
  const context = page.context();
  if (page.isClosed() || NOT_REUSED.test(key) || scripted.has(page)) return context.close();
  for (const event of EVENTS) page.removeAllListeners(event);
  // A page with unsaved changes asks whether to leave it.
  page.on('dialog', (dialog) => void dialog.accept());
  await Promise.all(context.pages().map((other) => (other === page ? undefined : other.close())));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  try {
    if (page.url().startsWith('http')) await leave(page);
  } catch {
    return context.close(); // its server has ended
  }
  await context.clearCookies();
  await page.emulateMedia({ colorScheme: 'light' });
  if (page.viewportSize()?.width !== VIEWPORT.width || page.viewportSize()?.height !== VIEWPORT.height) {
    await page.setViewportSize(VIEWPORT);
  }
  page.removeAllListeners('dialog');
  idle.set(key, [...(idle.get(key) ?? []), page]);
}

/**
 * Shows a page without scripts of the same site: with a page of another one the process would end.
 * An intercepted one would empty the caches, and the next visit would load all scripts again.
 */
async function leave(page: Page): Promise<void> {
  await page.evaluate('sessionStorage.clear(), localStorage.clear()');
  await page.goto(new URL('/health', page.url()).href);
}

/** Goes to a page of the dashboard by its router, without loading the scripts again. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/dashboard${path}`)})`);
}

/** The browser of this worker; another one if it has crashed. */
async function sharedBrowser(): Promise<Browser> {
  browser ??= launchChromium();
  const current = await browser;
  if (current.isConnected()) return current;
  openPages.clear();
  idle.clear();
  browser = launchChromium();
  return browser;
}

/**
 * The path of a page in a session. Tests name the pages of an operator's app without the app:
 * `/users` is `/apps/<id>/users`.
 */
export function pathAs(as: Pick<TestApp, 'sourceAppId'> | LogIn, path: string): string {
  if ('email' in as || as.sourceAppId === 'admin') return path;
  return path === '/' || path.startsWith('/apps/') ? path : `/apps/${as.sourceAppId}${path}`;
}

/**
 * Opens a dashboard page without a session. All pages of one worker share one browser.
 *
 * @param origin the origin under which the browser opens the server
 */
export async function visit(
  { listener }: TestServer,
  path = '/',
  options: PageOptions = {},
  origin = listener.url,
): Promise<Visit> {
  return openPage(`${origin}/dashboard${path}`, { origins: [origin], ...options });
}

/**
 * Like {@link visit}, with a session of the app or account: saves the log-in page, which
 * test/browser/log-in tests.
 */
export async function visitAs(
  { listener }: TestServer,
  as: LogIn,
  path = '/',
  options: PageOptions = {},
): Promise<Visit> {
  const origin = listener.url;
  const url = `${origin}/dashboard${pathAs(as, path)}`;
  const opened = await openPage(url, { origins: [origin], session: { origin, app: as }, ...options });
  await mainNavigation(opened.page).waitFor();
  return opened;
}

/**
 * Opens any page, without cookies, permissions and storage of earlier ones; with `about:blank` the
 * caller opens one.
 *
 * @param options.origins the only origins from which the page may request something; default: all
 * @param options.session the service, and whose session the browser has
 */
export async function openPage(
  url: string,
  {
    origins,
    session,
    waitMs = WAIT_MS,
    mayBeBusy = false,
    viewport,
    ...options
  }: PageOptions & { origins?: readonly string[]; session?: { origin: string; app: LogIn } } = {},
): Promise<Visit> {
  const page = await takePage({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', ...options });
  page.context().setDefaultTimeout(waitMs);
  if (session) await beginSession(page.context(), session.origin, session.app);
  if (viewport) await page.setViewportSize(viewport);
  const problems: string[] = [];
  page.on('console', (message) => {
    const isExpected = REFUSED_REQUEST_LOG.test(message.text()) || (mayBeBusy && BUSY_LOG.test(message.text()));
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const isAllowed = origins?.some((origin) => request.url().startsWith(`${origin}/`)) ?? true;
    if (!isAllowed) problems.push(`requested ${request.url()}`);
  });
  if (url !== 'about:blank') await page.goto(url);
  return {
    page,
    expectClean: () => expect(problems.join('\n')).toBe(''),
    close: () => closePage(page),
  };
}

/** Gives the pages of a browser context a session of an app or account, without the log-in page. */
export async function beginSession(context: BrowserContext, origin: string, as: LogIn): Promise<void> {
  const answer = await context.request.post(`${origin}/auth/login`, { data: as, failOnStatusCode: true });
  await answer.dispose();
}

/** Submits the log-in form of apps and waits for the main navigation. */
export async function logIn(page: Page, app: TestApp): Promise<void> {
  await page.getByRole('tab', { name: 'By app' }).click();
  await page.getByLabel('App ID').fill(app.sourceAppId);
  await page.getByRole('textbox', { name: 'Password' }).fill(app.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await mainNavigation(page).waitFor();
}

/** Follows a link of the sidebar, or of the pages of its section. */
export async function follow(page: Page, name: string, section = 'Main'): Promise<void> {
  await page.getByRole('navigation', { name: section, exact: true }).getByRole('link', { name, exact: true }).click();
}

/** The part of the dashboard that is shown with a session only. */
function mainNavigation(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Main', exact: true });
}

/** Returns the cell texts of a table row by row, without the header row. */
export async function tableRows(page: Page, name: string): Promise<string[][]> {
  const rows = page.getByRole('region', { name }).locator('tbody tr');
  return Promise.all((await rows.all()).map((row) => row.locator('td').allInnerTexts()));
}
