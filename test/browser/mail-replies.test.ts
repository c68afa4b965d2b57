// @module-tag long

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPage, visitAs } from '../support/browser/browser.ts';
import type { TestApp } from '../support/server/client.ts';
import type { TestServer } from '../support/server/server.ts';
import { withMailServer } from './mail-server.ts';

const POLL = { timeout: 15_000, interval: 20 };

let server: TestServer;
let app: TestApp;
withMailServer((started) => {
  server = started;
});
beforeEach(async () => {
  app = await server.admin.buildApp();
  const fields = [
    { key: 'name', label: 'Name', kind: 'text', required: false },
    {
      key: 'topic',
      label: 'Topic',
      kind: 'select',
      required: false,
      enum: ['red'],
      enumLabelsByLanguage: { de: { red: 'Rot' } },
    },
  ] as const;
  await server.admin.putSchema(app.sourceAppId, { fields: fields.map((field) => ({ ...field })) as never }).expect(200);
});

const settingsPath = () => `/auth/apps/${app.sourceAppId}/form`;
const stored = async () => (await server.admin.get(settingsPath()).expect(200)).body;
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Saved. The settings apply now.').waitFor();
};

describe('the settings of a reply', () => {
  it('are shown as the email is, saved with the fields of their placeholders, and unset', async () => {
    const { page, expectClean, close } = await visitAs(server, app, '/settings');
    expect(await page.getByLabel('Subject of the reply').count()).toBe(0);
    await page.getByLabel('Reply to the person by email').selectOption('created');
    await page.getByLabel('Subject of the reply').fill('Thank you');
    await page.getByLabel('Text of the reply').fill('Hello {email}\nName: {name}\nTopic: {topic}');
    const preview = page.getByRole('region', { name: 'Preview of the reply' });
    expect(await preview.innerText()).toContain('Hello ada@example.com\nTopic: red');
    expect(await preview.innerText()).not.toContain('Name:');
    await page.getByLabel('Ask people to confirm their email address').check();
    expect(await preview.innerText()).toContain('Name:');
    await save(page);
    const reply = { when: 'created', subject: 'Thank you', text: 'Hello {email}\nName: {name}\nTopic: {topic}' };
    expect((await stored()).reply).toEqual({ ...reply, include: ['name', 'topic'] });
    await page.reload();
    expect(await page.getByLabel('Text of the reply').inputValue()).toBe(reply.text);
    await page.getByLabel('Reply to the person by email').selectOption('');
    await save(page);
    expect(await stored()).not.toHaveProperty('reply');
    expectClean();
    await close();
  });

  it('have texts in the languages of visitors', async () => {
    const reply = { when: 'each', subject: 'Thank you', text: 'Topic: {topic}', include: ['topic'] };
    await server.admin.put(settingsPath(), { languages: ['de'], reply }).expect(200);
    const { page, close } = await visitAs(server, app, '/settings');
    await page.getByText('German', { exact: true }).click();
    const german = page.getByRole('group', { name: 'Reply in German' });
    await german.getByLabel('Text of the reply').fill('Thema: {topic}');
    const preview = page.getByRole('region', { name: 'Preview of the reply' });
    await expect.poll(() => preview.innerText(), POLL).toContain('Thank you\n\nThema: Rot');
    await expect.poll(() => preview.innerText(), POLL).toContain('in ein Formular');
    await save(page);
    expect((await stored()).reply.texts).toEqual({ de: { subject: 'Thank you', text: 'Thema: {topic}' } });
    await close();
  });

  it('show what is wrong with them', async () => {
    const { page, close } = await visitAs(server, app, '/settings');
    await page.getByLabel('Reply to the person by email').selectOption('each');
    await page.getByLabel('Subject of the reply').fill('For {email}');
    await page.getByLabel('Text of the reply').fill('Hello {other}');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Must have no placeholder').waitFor();
    await page.getByText('Has the placeholder {other}, which is not in include').waitFor();
    await close();
  });

  it.each([
    { width: 375, locale: 'en' },
    { width: 1280, locale: 'de' },
  ])('fit into $width px ($locale)', async ({ width, locale }) => {
    const reply = { when: 'each', subject: 'Thank you', text: 'Topic: {topic}\n\nBye', include: ['topic'] };
    await server.admin.put(settingsPath(), { languages: ['de'], reply }).expect(200);
    const origin = server.listener.url;
    const url = `${origin}/dashboard/apps/${app.sourceAppId}/settings`;
    const { page, close } = await openPage(url, { session: { origin, app }, viewport: { width, height: 800 }, locale });
    await page.getByText('Topic: red').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await close();
  });
});
