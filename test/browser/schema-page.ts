import type { Locator } from 'playwright-core';
import { follow } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD, type TestServer } from '../support/server/server.ts';
import { AppPage } from './app-page.ts';

export const ADMIN = { sourceAppId: 'admin', password: ADMIN_PASSWORD };

/** Page object: the schema page of a new app with three fields, opened by an administrator. */
export class SchemaPage extends AppPage {
  static async open(server: TestServer): Promise<SchemaPage> {
    const app = await server.admin.buildApp({
      fields: [
        { key: 'name', label: 'Full name', kind: 'text' },
        { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
        { key: 'age', label: 'Age', kind: 'number' },
      ],
    });
    const opened = new SchemaPage(server, app, await SchemaPage.openAs(server, `/apps/${app.sourceAppId}/form`, ADMIN));
    await opened.field('Full name').waitFor();
    return opened;
  }

  /** The newest schema that the service stores. */
  async stored() {
    return (await this.server.admin.get(`/auth/apps/${this.app.sourceAppId}/schema`).expect(200)).body;
  }

  get fields(): Locator {
    return this.page.getByRole('region', { name: 'Fields' });
  }

  keys(): Promise<string[]> {
    return this.fields.locator('code').allInnerTexts();
  }

  /** The properties of the selected field. */
  get properties(): Locator {
    return this.page.getByRole('complementary', { name: 'Properties of the field' });
  }

  /** Selects a field, and shows all of its properties. */
  async open(label: string): Promise<void> {
    await this.field(label).click();
    await this.showAll();
  }

  private async showAll(): Promise<void> {
    await this.properties.getByRole('button', { name: 'More options' }).waitFor();
    const closed = this.properties.getByRole('button', { name: /^(Conditions|More options)$/, expanded: false });
    while ((await closed.count()) > 0) await closed.first().click();
  }

  /** Shows the form to try out instead of the one to edit, or the other way round. */
  show(mode: 'Try it' | 'Edit'): Promise<void> {
    return this.page.getByRole('radiogroup', { name: 'What you do with the form' }).getByText(mode).click();
  }

  /** Adds a field from the palette, and waits until its label has the focus. */
  async add(name: string): Promise<void> {
    await this.press('Add field');
    await this.page.getByRole('menuitem', { name, exact: true }).click();
    const label = this.properties.getByLabel('Label', { exact: true });
    await label.and(this.page.locator(':focus')).waitFor();
    await this.showAll();
  }

  /** The button over a field, which selects it. */
  field(label: string): Locator {
    return this.fields.getByRole('button', { name: new RegExp(`^${label} `) });
  }

  /** Opens a page of the section: `Fields`, or one that is in its menu. */
  async go(name: 'Fields' | 'Texts' | 'Design' | 'JSON' | 'Versions'): Promise<void> {
    if (name !== 'JSON' && name !== 'Versions') return follow(this.page, name, 'Form');
    await this.page.getByRole('button', { name: 'More of Form' }).click();
    await this.page.getByRole('menuitem', { name }).click();
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  async review(): Promise<Locator> {
    await this.press('Review and save');
    return this.page.getByRole('dialog', { name: /Save version/ });
  }

  async save(): Promise<void> {
    const dialog = await this.review();
    await dialog.getByRole('button', { name: /Save version/ }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
}
