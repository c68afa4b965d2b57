// @module-tag long

import { createHash, randomBytes } from 'node:crypto';
import type { Page, Request, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { openPage } from '../support/browser/browser.ts';
import { type Site, type SitePage, withSite } from '../support/browser/site.ts';
import type { TestServer } from '../support/server/server.ts';

let server: TestServer;
let site: Site;
const pages: Record<string, SitePage> = {};
withSite(pages, (...started) => {
  [server, site] = started;
});

const FIELDS = [
  { key: 'name', label: 'Name', kind: 'text' },
  { key: 'cv', label: 'CV', labels: { de: 'Lebenslauf' }, kind: 'file', types: ['pdf'], maxFiles: 3, required: true },
];

async function formOf(fields: object[] = FIELDS, settings: object = {}): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields as never });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [site.origin], ...settings }).expect(200);
  return sourceAppId;
}

const pdf = (name: string, bytes = 1_000) => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes)]),
});
const sha256 = ({ buffer }: { buffer: Buffer }): string => createHash('sha256').update(buffer).digest('hex');
const filesOf = async (sourceAppId: string) => {
  const record = await server.db.collection('users').findOne({ sourceAppId });
  return record?.data.cv?.map(({ name, sha256: hash }: Record<string, string>) => [name, hash]);
};

const PLACES = [
  ['the hosted form', (app: string) => openPage(`${server.listener.url}/f/${app}`)],
  [
    'the embed',
    (app: string) => {
      const origin = server.listener.url;
      const policy = `default-src 'none'; script-src ${origin} 'unsafe-inline'; connect-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`;
      const script = `<script src="${origin}/embed/v1.js"></script>`;
      pages['/page'] = {
        html: `<main><h1>A site</h1><div data-user-collection="${app}" lang="en"></div></main>${script}`,
        headers: { 'Content-Security-Policy': policy },
      };
      return openPage(`${site.origin}/page`, { bypassCSP: false });
    },
  ],
] as const;

const chooser = (page: Page, label = 'CV') => page.getByLabel(label);
const rows = (page: Page) => page.locator('.file');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

/** Chooses files when the script of the form is there, and waits for the first rows. */
async function choose(page: Page, files: ReturnType<typeof pdf>[], label?: string): Promise<void> {
  await page.getByText('Drop files here').first().waitFor();
  await chooser(page, label).setInputFiles(files);
}
const arrived = (page: Page, name: string) =>
  expect.poll(() => row(page, name).locator('input[type=hidden]').getAttribute('value')).toMatch(/^[\w-]{43}$/);

const isUpload = (request: Request): boolean => /\/files\?/.test(request.url()) && request.method() === 'POST';
const rangeOf = (request: Request): string | undefined => request.headers()['content-range'];

describe.each(PLACES)('files in %s (spec 4.14.8)', (place, open) => {
  it('are sent when they are chosen, and can be removed by keyboard', async () => {
    const app = await formOf();
    const { page, expectClean, close } = await open(app);
    const sent: Request[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request);
    });
    const files = [pdf('a.pdf'), pdf('b.pdf', 1_500_000), pdf('c.pdf')];
    await choose(page, files);
    for (const { name } of files) await arrived(page, name);
    expect(sent.every(isUpload)).toBe(true);
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringContaining('a.pdf'),
      expect.stringContaining('1.5 MB'),
      expect.stringContaining('c.pdf'),
    ]);
    expect(await page.locator('.file progress').first().isVisible()).toBe(false);
    // The field takes no more.
    await chooser(page).setInputFiles([pdf('d.pdf')]);
    await page.getByText('Must have at most 3 files').waitFor();
    await page.getByRole('button', { name: 'Remove: a.pdf' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await page.getByRole('status').filter({ hasText: 'a.pdf was removed.' }).count()).toBe(1);
    expect(
      await chooser(page).evaluate(
        (input) =>
          input === (input as unknown as { getRootNode(): { activeElement: unknown } }).getRootNode().activeElement,
      ),
    ).toBe(true);
    await page.getByLabel('Email').fill('ada@example.com');
    sent.length = 0;
    await send(page);
    await page.getByText('Thank you').waitFor();
    // The files are not sent again.
    expect(sent).toHaveLength(1);
    expect((sent[0]?.postDataBuffer() ?? Buffer.alloc(0)).length).toBeLessThan(5_000);
    expect(await filesOf(app)).toEqual(files.slice(1).map((file) => [file.name, sha256(file)]));
    expectClean();
    await close();
  });

  it('go on after a cut connection, without what has arrived', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    const file = pdf('large.pdf', 3_400_000);
    const ranges: (string | undefined)[] = [];
    let isCut = false;
    await page.route('**/files?*', (route: Route) => {
      if (!isUpload(route.request())) return route.continue();
      ranges.push(rangeOf(route.request()));
      isCut ||= ranges.length === 3;
      return isCut ? route.abort('connectionreset') : route.continue();
    });
    await choose(page, [file]);
    const retry = page.getByRole('button', { name: 'Try again: large.pdf' });
    await retry.waitFor();
    await page.getByText('The connection was lost. Try again to send the rest.').first().waitFor();
    expect(ranges.slice(0, 3)).toEqual([
      'bytes 0-999999/3400009',
      'bytes 1000000-1999999/3400009',
      'bytes 2000000-2999999/3400009',
    ]);
    // A form with a file that is missing is not sent.
    await page.getByLabel('Email').fill('ada@example.com');
    await send(page);
    await page.locator('.user-collection-problem', { hasText: 'large.pdf: The connection was lost.' }).waitFor();
    await page.unroute('**/files?*');
    ranges.length = 0;
    page.on('request', (request) => {
      if (isUpload(request)) ranges.push(rangeOf(request));
    });
    await retry.click();
    await arrived(page, 'large.pdf');
    expect(ranges).toEqual(['bytes 2000000-2999999/3400009', 'bytes 3000000-3400008/3400009']);
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect(await filesOf(app)).toEqual([['large.pdf', sha256(file)]]);
    await close();
  });

  it('go on where the service says, after an answer was lost', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    const file = pdf('large.pdf', 3_400_000);
    let count = 0;
    await page.route('**/files?*', async (route: Route) => {
      if (!isUpload(route.request())) return route.continue();
      count += 1;
      if (count !== 2 && count !== 4) return route.continue();
      // The service has the part, and the page learns nothing of it.
      await route.fetch();
      return route.abort('connectionreset');
    });
    await choose(page, [file]);
    await arrived(page, 'large.pdf');
    await page.getByLabel('Email').fill('ada@example.com');
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect(await filesOf(app)).toEqual([['large.pdf', sha256(file)]]);
    await close();
  });

  it('are waited for when the form is sent', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/files?*', async (route: Route) => {
      await gate;
      await route.continue();
    });
    await choose(page, [pdf('a.pdf')]);
    await page.getByLabel('Email').fill('ada@example.com');
    let hasSent = false;
    page.on('request', (request) => {
      hasSent ||= request.method() === 'POST' && !isUpload(request);
    });
    await send(page);
    await page.getByText('The form is sent when its files have arrived.').waitFor();
    expect(await page.locator('.file progress').isVisible()).toBe(true);
    expect(hasSent).toBe(false);
    go();
    await page.getByText('Thank you').waitFor();
    expect((await filesOf(app))?.[0]?.[0]).toBe('a.pdf');
    await close();
  });

  it('of a wrong type or size are refused where they are', async () => {
    const app = await formOf([FIELDS[0] as object, { ...FIELDS[1], maxBytes: 5_000 }]);
    const { page, close } = await open(app);
    await choose(page, [
      { ...pdf('page.pdf'), buffer: Buffer.from('<html>') },
      pdf('large.pdf', 6_000),
      pdf('good.pdf'),
    ]);
    await row(page, 'page.pdf').getByText('Must be a file of one of these types: pdf').waitFor();
    await row(page, 'large.pdf').getByText('The file is larger than 0.005 MB').waitFor();
    expect(await page.getByRole('button', { name: /^Try again/ }).count()).toBe(0);
    await arrived(page, 'good.pdf');
    await page.getByLabel('Email').fill('ada@example.com');
    await send(page);
    await page.locator('.user-collection-problem', { hasText: 'page.pdf' }).waitFor();
    await page.getByRole('button', { name: 'Remove: page.pdf' }).click();
    await page.getByRole('button', { name: 'Remove: large.pdf' }).click();
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect((await filesOf(app))?.map(([name]: string[]) => name)).toEqual(['good.pdf']);
    await close();
  });

  it('are required, and can be dropped', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    await page.getByText('Drop files here').waitFor();
    await page.getByLabel('Email').fill('ada@example.com');
    await send(page);
    await page.locator('.user-collection-problem').waitFor();
    expect(await chooser(page).getAttribute('aria-invalid')).toBe('true');
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      for (const name of ['a.pdf', 'b.pdf']) data.items.add(new File(['%PDF-1.7 content'], name));
      return data;
    })()`);
    const area = page.locator('.field.drop');
    await area.dispatchEvent('dragover', { dataTransfer: data });
    expect(await area.getAttribute('class')).toContain('drop-over');
    await area.dispatchEvent('drop', { dataTransfer: data });
    await arrived(page, 'a.pdf');
    await arrived(page, 'b.pdf');
    expect(await area.getAttribute('class')).not.toContain('drop-over');
    await close();
  });

  it('are accessible, also on a phone and in the dark', async () => {
    const app = await formOf();
    const { page, close } = await open(app);
    await page.setViewportSize({ width: 375, height: 700 });
    await choose(page, [pdf(`${'a long name '.repeat(8)}.pdf`), { ...pdf('page.pdf'), buffer: Buffer.from('<html>') }]);
    await row(page, 'page.pdf').getByText('Must be a file').waitFor();
    await arrived(page, 'a long name');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expect(await axeViolationsInBothModes(page)).toEqual([]);
    await close();
  });

  it('belong to pages and conditions of the form', async () => {
    const app = await formOf([
      { ...FIELDS[1], maxFiles: 1 },
      { key: 'why', label: 'Why', kind: 'text', showIf: { all: [{ field: 'cv', op: 'exists' }] } },
      { key: 'last', label: 'Last', kind: 'text', page: 2 },
    ]);
    const { page, close } = await open(app);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByText('Drop files here').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.user-collection-problem', { hasText: 'Is required' }).waitFor();
    expect(await page.getByLabel('Why').isVisible()).toBe(false);
    await choose(page, [pdf('a.pdf')]);
    await arrived(page, 'a.pdf');
    // A field with one file takes the next one in its place.
    await choose(page, [pdf('b.pdf')]);
    await arrived(page, 'b.pdf');
    expect(await rows(page).count()).toBe(1);
    await page.getByLabel('Why').fill('Because');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Last').fill('x');
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect((await filesOf(app))?.map(([name]: string[]) => name)).toEqual(['b.pdf']);
    await close();
  });

  it('are sent with the form when the module does not load', async () => {
    const app = await formOf();
    const { page, close } = await openPage('about:blank');
    await page.route('**/v1-files*', (route) => route.abort());
    const opened = await open(app);
    const url = opened.page.url();
    await opened.close();
    await page.goto(url);
    await chooser(page).setInputFiles([pdf('a.pdf')]);
    await page.getByLabel('Email').fill('ada@example.com');
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect((await filesOf(app))?.[0]?.[0]).toBe('a.pdf');
    expect(place).toBeDefined();
    await close();
  });
});

it('a form that a page keeps after a success sends its files again', async () => {
  const app = await formOf();
  const { page, close } = await openPage(`${server.listener.url}/f/${app}`);
  await page.evaluate(`document.addEventListener('user-collection:submitted', (event) => {
    event.preventDefault();
    document.title = 'Stored ' + new FormData(event.target).get('data[name]');
  })`);
  const file = pdf('a.pdf');
  await choose(page, [file]);
  await page.getByLabel('Email').fill('ada@example.com');
  for (const name of ['Ada', 'Grace']) {
    await page.getByLabel('Name').fill(name);
    await send(page);
    await expect.poll(() => page.title()).toBe(`Stored ${name}`);
  }
  const record = await server.db.collection('users').findOne({ sourceAppId: app });
  expect(record?.data.name).toBe('Grace');
  expect(await filesOf(app)).toEqual([['a.pdf', sha256(file)]]);
  await close();
});

it('speaks the language of the visitor', async () => {
  const app = await formOf(FIELDS, { languages: ['de'] });
  const { page, close } = await openPage(`${server.listener.url}/f/${app}?lang=de`);
  await page.getByText('Dateien hierher ziehen oder auswählen.').waitFor();
  await page.getByLabel('Lebenslauf').setInputFiles([{ ...pdf('page.pdf'), buffer: Buffer.from('<html>') }]);
  await page.getByText('Muss eine Datei einer dieser Arten sein: pdf').first().waitFor();
  await page.getByRole('button', { name: 'Entfernen: page.pdf' }).waitFor();
  await close();
});

it('sends the files of a form of a site with it', async () => {
  const app = await formOf();
  const action = `${server.listener.url}/v1/forms/${app}`;
  pages['/own'] = {
    html: `<form action="${action}" method="post" enctype="multipart/form-data" data-user-collection="${app}">
      <label>Email <input type="email" name="email"></label><label>CV <input type="file" name="cv" multiple></label>
      <button>Send</button></form><script src="${server.listener.url}/embed/v1.js"></script>`,
  };
  const { page, close } = await openPage(`${site.origin}/own`);
  const files = [pdf('a.pdf', 1_500_000), pdf('b.pdf')];
  await chooser(page).setInputFiles(files);
  await page.getByLabel('Email').fill('ada@example.com');
  await send(page);
  await page.getByText('Thank you').waitFor();
  expect(await filesOf(app)).toEqual(files.map((file) => [file.name, sha256(file)]));
  await close();
});

describe('without JavaScript', () => {
  it('a form sends its files, and the page after a mistake keeps them', async () => {
    const app = await formOf([{ key: 'code', label: 'Code', kind: 'text', regex: '^A+$' }, FIELDS[1] as object]);
    const { page, close } = await openPage(`${server.listener.url}/f/${app}`, { javaScriptEnabled: false });
    const files = [pdf('a.pdf', 300_000), pdf('b.pdf')];
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Code').fill('B');
    await chooser(page).setInputFiles(files);
    await send(page);
    await page.getByText('There is a problem with your entries').waitFor();
    await page.getByText('These files have arrived. Untick a file to leave it out.').waitFor();
    expect(await page.getByRole('checkbox', { name: 'a.pdf' }).isChecked()).toBe(true);
    expect(await chooser(page).last().getAttribute('required')).toBeNull();
    await page.getByRole('checkbox', { name: 'b.pdf' }).uncheck();
    await page.getByLabel('Code').fill('A');
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect(await filesOf(app)).toEqual([['a.pdf', sha256(files[0] as { buffer: Buffer })]]);
    await close();
  });

  it('the script takes over the files of that page', async () => {
    const app = await formOf([{ key: 'code', label: 'Code', kind: 'text', regex: '^A+$' }, FIELDS[1] as object]);
    const { page, close } = await openPage('about:blank');
    await page.route('**/embed/*.js', (route) => route.abort());
    await page.goto(`${server.listener.url}/f/${app}`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Code').fill('B');
    await chooser(page).setInputFiles([pdf('a.pdf'), pdf('b.pdf')]);
    await page.unroute('**/embed/*.js');
    await send(page);
    await page.getByText('There is a problem with your entries').waitFor();
    await page.getByRole('button', { name: 'Remove: a.pdf' }).click();
    await page.getByLabel('Code').fill('A');
    await send(page);
    await page.getByText('Thank you').waitFor();
    expect((await filesOf(app))?.map(([name]: string[]) => name)).toEqual(['b.pdf']);
    await close();
  });
});

it('a form without files and without a challenge loads no code for them', async () => {
  const scripts = async (fields: object[], settings: object) => {
    const app = await formOf(fields, settings);
    const { page, close } = await openPage(`${server.listener.url}/f/${app}`);
    await page.getByLabel('Email').fill('ada@example.com');
    const names = () => page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
    await page.waitForLoadState('networkidle');
    const loaded = ((await names()) as string[]).flatMap((name) => /v1-(files|challenge|steps)/.exec(name)?.[1] ?? []);
    await close();
    return loaded;
  };
  expect(await scripts([], {})).toEqual([]);
  expect(await scripts(FIELDS, {})).toEqual(['files']);
});
