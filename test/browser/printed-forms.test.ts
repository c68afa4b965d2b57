// @module-tag long

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openPage } from '../support/browser/browser.ts';
import { EMAIL, fillForm, STORED, sendForm } from './connect-page.ts';
import { closeAll, withPrintedCode } from './printed-code.ts';

const code = withPrintedCode();

const SCRIPTS = [
  { with: 'with', javaScriptEnabled: true },
  { with: 'without', javaScriptEnabled: false },
];

describe('the plain HTML form, as printed,', () => {
  it.each(SCRIPTS)('submits from another origin $with JavaScript once it is allowed', async ({ javaScriptEnabled }) => {
    code.show(await code.connect.snippet('Plain HTML'));
    const refused = await sendForm(code.site.origin, { javaScriptEnabled });
    await refused.getByRole('heading', { name: 'The form was not accepted' }).waitFor();
    expect(await code.connect.users()).toEqual([]);

    await code.connect.allowRefused(code.site.origin);
    const accepted = await sendForm(code.site.origin, { javaScriptEnabled });
    await accepted.waitForURL(`${code.server.listener.url}/f/${code.connect.app.sourceAppId}/thanks`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await code.connect.openReceived(EMAIL);
    await closeAll(refused, accepted);
  });

  it.each(SCRIPTS)('submits from a file $with JavaScript once files are allowed', async ({ javaScriptEnabled }) => {
    const file = join(code.folder, 'form.html');
    await writeFile(file, await code.connect.snippet('Plain HTML'));
    const refused = await sendForm(pathToFileURL(file).href, { javaScriptEnabled });
    await refused.getByRole('heading', { name: 'The form was not accepted' }).waitFor();

    await code.connect.allowRefused('files');
    const accepted = await sendForm(pathToFileURL(file).href, { javaScriptEnabled });
    await accepted.waitForURL(`**/f/${code.connect.app.sourceAppId}/thanks`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await code.connect.openReceived(EMAIL);
    await closeAll(refused, accepted);
  });

  it('shows the problems of the entries, and keeps them', async () => {
    await code.allow(code.site.origin);
    code.show(await code.connect.snippet('Plain HTML'));
    const { page } = await openPage(code.site.origin);
    await fillForm(page);
    await page.getByLabel('Code').fill('not a code');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: /^Code: / }).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe(STORED.data.note);
    await page.getByLabel('Code').fill(STORED.data.code);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(`**/f/${code.connect.app.sourceAppId}/thanks`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });

  it('sends people to a page of the site when the line for it is used', async () => {
    await code.allow(code.site.origin);
    const html = await code.connect.snippet('Plain HTML');
    const used = html.replace(
      /<!-- (<input type="hidden" name="_next" value=")[^"]*(">) -->/,
      `$1${code.site.origin}/ok$2`,
    );
    expect(used).not.toBe(html);
    code.show(used);
    const page = await sendForm(code.site.origin);
    await page.waitForURL(`${code.site.origin}/ok`);
    expect(await code.connect.users()).toMatchObject([STORED]);
    await closeAll(page);
  });
});
