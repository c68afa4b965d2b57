import type { Page } from 'playwright-core';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { openPage } from '../support/browser/browser.ts';
import type { TestServer } from '../support/server/server.ts';
import { AppPage } from './app-page.ts';

const SPECIAL_CHARACTERS = `it's "so" <b>&</b> </script>`;

/** Page object: the Connect page of a new app with every kind of field, opened by its operator. */
export class ConnectPage extends AppPage {
  static async open(server: TestServer, more: FieldDefinitionInput[] = []): Promise<ConnectPage> {
    const app = await server.admin.buildApp({
      rejectUnknown: true,
      fields: [
        { key: 'name', label: SPECIAL_CHARACTERS, kind: 'text', required: true, minLength: 20, maxLength: 30 },
        { key: 'code', label: 'Code', kind: 'text', required: true, regex: '^[A-Z]{2}-[0-9]{4}$' },
        { key: 'plan', label: 'Plan', kind: 'select', required: true, enum: [SPECIAL_CHARACTERS, 'pro'] },
        { key: 'age', label: 'Age', kind: 'number', required: true, min: 18, max: 99 },
        { key: 'terms', label: 'Terms', kind: 'checkbox', required: true },
        { key: 'news', label: 'News', kind: 'checkbox' },
        { key: 'born', label: 'Born', kind: 'date', required: true },
        { key: 'visits', label: 'Visits', kind: 'array', required: true },
        { key: 'size', label: 'Size', kind: 'select', enum: ['s', 'l'], ui: 'radio', enumLabels: { s: 'Small' } },
        { key: 'note', label: 'Note', kind: 'text', ui: 'textarea', help: SPECIAL_CHARACTERS },
        { key: 'campaign', label: 'Campaign', kind: 'text', hidden: true, default: 'spring' },
        ...more,
      ],
    });
    const opened = new ConnectPage(server, app, await ConnectPage.openAs(server, '/share', app));
    await opened.page.getByText('Waiting for a submission').waitFor();
    return opened;
  }

  /** The text of a snippet. */
  async snippet(tab: string): Promise<string> {
    await this.page.getByRole('tab', { name: tab, exact: true }).click();
    return this.page.getByRole('tabpanel', { name: tab }).locator('pre').innerText();
  }

  /** Allows an origin with the button beside its last refusal. */
  async allowRefused(origin: string): Promise<void> {
    await this.page.getByRole('button', { name: `Allow ${origin}` }).click();
    await this.page.getByRole('button', { name: `Allow ${origin}` }).waitFor({ state: 'detached' });
  }

  /** Waits until the page announces a submission, and opens its record. */
  async openReceived(email: string): Promise<void> {
    await this.page.getByText(`Received: ${email}`).waitFor();
    await this.page.getByRole('status').getByRole('link', { name: 'Show the record' }).click();
    await this.page.getByRole('heading', { level: 1, name: email }).waitFor();
  }

  users() {
    return this.server.db.collection('users').find({ sourceAppId: this.app.sourceAppId }).toArray();
  }
}

export const EMAIL = 'form@example.com';

/** What the forms of the snippets store after {@link fillForm}. */
export const STORED = {
  email: EMAIL,
  data: {
    name: 'a name of twenty letters',
    code: 'AB-1234',
    plan: SPECIAL_CHARACTERS,
    age: 20,
    terms: true,
    news: false,
    born: '1990-02-28',
    visits: [{ value: 'first' }],
    size: 's',
    note: 'two\nlines',
    campaign: 'spring',
  },
};

/** Fills a form of the app in a page of another site. */
export async function fillForm(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByRole('textbox', { name: SPECIAL_CHARACTERS }).first().fill(STORED.data.name);
  await page.getByLabel('Code').fill(STORED.data.code);
  await page.getByLabel('Plan').selectOption(SPECIAL_CHARACTERS);
  await page.getByLabel('Age').fill('20');
  await page.getByLabel('Terms').check();
  await page.getByLabel('Born').fill(STORED.data.born);
  await page.getByLabel('Visits').fill('first');
  await page.getByLabel('Small').check();
  await page.getByLabel('Note').fill(STORED.data.note);
}

/** Opens a URL in its own browser context, fills the form in it and sends it. */
export async function sendForm(url: string, { javaScriptEnabled = true } = {}): Promise<Page> {
  const { page } = await openPage(url, { javaScriptEnabled });
  await fillForm(page);
  await page.getByRole('button', { name: 'Send' }).click();
  return page;
}
