import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEMPLATES } from '../../web/src/first-form/templates.ts';
import { beginSession, closeBrowser } from '../support/browser/browser.ts';
import { withStaffPage } from '../support/browser/staff-page.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const PASSWORD = 'a password of twelve';

let server: TestServer;
let page: Page;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});
const { button, heading, expectAccessible } = withStaffPage(
  () => [server.listener.url],
  (opened) => {
    page = opened;
  },
);

const goTo = (path: string) => page.goto(`${server.listener.url}/dashboard${path}`);
const appId = () => page.getByRole('textbox', { name: 'App ID' });

describe('the first start', () => {
  it('leads by keyboard from the printed link to the first submission that appears', async () => {
    const token = await server.services.accounts.service.firstLink();
    await goTo(`/invitation#${token}`);
    await page.getByRole('textbox', { name: 'Email' }).waitFor();
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('Create your first form');

    await page.getByRole('radio', { name: 'Contact' }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Support request' }).isChecked()).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await page.getByRole('radio', { name: 'Contact' }).isChecked()).toBe(true);
    expect(await appId().inputValue()).toBe('contact');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading('Your form is ready');
    expect(page.url()).toContain('/dashboard/new-form?app=contact');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByText('Waiting for the first submission').waitFor();
    // The sidebar is that of the app.
    await page.getByRole('button', { name: 'App: contact' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Share' }).waitFor();
    await page.getByRole('heading', { name: 'Password of the app' }).waitFor();
    await expectAccessible();

    const opening = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the form' }).focus();
    await page.keyboard.press('Enter');
    const form = await opening;
    await form.getByRole('heading', { name: 'Contact us' }).waitFor();
    await form.getByLabel('Email').fill('grace@example.com');
    await form.getByLabel('Name').fill('Grace Hopper');
    await form.getByLabel('Message').fill('First line\nSecond line');
    // The team sets it.
    expect(await form.getByLabel('Status').count()).toBe(0);
    await form.getByRole('button', { name: 'Send message' }).click();
    await form.getByText('Thank you. We will reply by email.').waitFor();
    await form.close();

    await page.getByText('Received: grace@example.com').waitFor();
    await page.getByText('Grace Hopper').waitFor();
    await page.getByText('Second line').waitFor();
    await page.getByRole('tab', { name: 'Embed' }).click();
    await page.getByText('data-user-collection="contact"').waitFor();
    await page.reload();
    await page.getByText('Received: grace@example.com').waitFor();
    expect(await page.getByRole('heading', { name: 'Password of the app' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show the record' }).click();
    await heading('grace@example.com');
    await page.getByRole('definition').getByText('New', { exact: true }).waitFor();
    const { body } = await server.admin.get('/auth/apps/contact/schema').expect(200);
    expect(body.fields.at(-1)).toMatchObject({
      key: 'status',
      enum: ['new', 'in progress', 'done'],
      default: 'new',
      writers: 'staff',
    });
  });
});

describe('a new app from a template', () => {
  const asAdmin = () =>
    beginSession(page.context(), server.listener.url, { sourceAppId: 'admin', password: ADMIN_PASSWORD });

  it('is reached from the page of apps, and proposes an ID that is free', { tags: 'long' }, async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'event' }).expect(200);
    await server.admin.post('/auth/apps', { sourceAppId: 'event-2' }).expect(200);
    await asAdmin();
    await goTo('/apps');
    await page.getByRole('link', { name: 'New app from a template' }).click();
    await heading('New app from a template');
    for (const width of [700, 1280, 1500]) {
      await page.setViewportSize({ width, height: 720 });
      for (const group of await page.getByRole('group').getByRole('region').all()) {
        const radios = group.locator('input[aria-describedby$="-purpose"]');
        const tops = await radios.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
        const alone = tops.filter((top, _, every) => every.filter((other) => other === top).length === 1);
        expect(alone.length, `alone in a row at ${width}`).toBe(tops.length === 1 ? 1 : 0);
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByText('Event', { exact: true }).click();
    await expect.poll(() => appId().inputValue()).toBe('event-3');
    await appId().fill('event');
    await page.getByText('Feedback', { exact: true }).click();
    expect(await appId().inputValue()).toBe('event');
    await button('Create form').click();
    await page.getByText('An app with this ID already exists').waitFor();
    await appId().fill('my-feedback');
    await button('Create form').click();
    await heading('Your form is ready');
    const { body } = await server.admin.get('/auth/apps/my-feedback/schema').expect(200);
    expect(body.fields.map(({ key }: { key: string }) => key)).toEqual(['rating', 'comment', 'status']);
    const history = await server.admin.get('/auth/apps/my-feedback/history').expect(200);
    expect(history.body).toMatchObject({ submissions: true });
  });

  it('is completed after a failure, without a second app', { tags: 'long' }, async () => {
    await asAdmin();
    await goTo('/new-form');
    await page.getByText('Waiting list', { exact: true }).click();
    await page.route('**/auth/apps/*/schema', (route) =>
      route.fulfill({ status: 404, contentType: 'application/json', body: '{"message":"It failed"}' }),
    );
    await button('Create form').click();
    await page.getByText('its fields were not stored: It failed').waitFor();
    expect(await appId().isDisabled()).toBe(true);
    await expectAccessible();
    await page.unrouteAll();
    await button('Try again').click();
    await heading('Your form is ready');
    const { body } = await server.admin.get('/auth/apps/waiting-list/schema').expect(200);
    expect(body.version).toBe(2);
  });
});

describe('each template', () => {
  it.each(TEMPLATES)(
    '$id is accepted by the service, and its form can be opened',
    { tags: 'long' },
    async ({ id, schema, settings }) => {
      const sourceAppId = `all-${id}`;
      await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await server.admin.put(`/auth/apps/${sourceAppId}/schema`, schema).expect(200);
      await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
      await page.goto(`${server.listener.url}/f/${sourceAppId}`);
      const first = settings.pages ? 'Next' : (settings.submitLabel ?? 'Send');
      await page.getByRole('button', { name: first }).waitFor();
      await expectAccessible();
    },
  );
});
