import { describe, expect, it } from 'vitest';
import { goWithin } from '../support/browser/browser.ts';
import type { TestServer } from '../support/server/server.ts';
import { withPage, withServer } from './app-page.ts';
import { SchemaPage } from './schema-page.ts';

let server: TestServer;
let schema: SchemaPage;
withServer((started) => {
  server = started;
});
withPage(async () => {
  schema = await SchemaPage.open(server);
  return schema;
});

const formPath = () => `/auth/apps/${schema.app.sourceAppId}/form`;
const settings = async () => (await server.admin.get(formPath()).expect(200)).body;
const textbox = (name: string) => schema.page.getByRole('textbox', { name, exact: true });

describe('the form that is edited', () => {
  it('has its texts edited where they stand, and saves them with the fields', { tags: 'long' }, async () => {
    const { page } = schema;
    await textbox('Title').click();
    await page.keyboard.type('Join us');
    // The focus stays while the form is drawn again, and Enter ends the text.
    await page.keyboard.press('Enter');
    await textbox('Description').click();
    await page.keyboard.type('Once a *month*');
    await textbox('Button').fill('Sign up');
    await page.locator('[data-part] em').getByText('month').waitFor();
    await page.getByText('3 unsaved changes', { exact: true }).waitFor();
    await schema.press('Save settings');
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({
      title: 'Join us',
      description: 'Once a *month*',
      submitLabel: 'Sign up',
    });

    await textbox('Title').fill('Join us today');
    await schema.field('Age').click();
    await schema.page.getByLabel('Label', { exact: true }).fill('Your age');
    const dialog = await schema.review();
    await dialog.getByText('Saved too: Title').waitFor();
    await dialog.getByRole('button', { name: /Save version/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(async () => (await settings()).title).toBe('Join us today');
    expect((await schema.stored()).fields[2].label).toBe('Your age');
    await page.goto(`${server.listener.url}/f/${schema.app.sourceAppId}`);
    await page.getByRole('heading', { level: 1, name: 'Join us today' }).waitFor();
    await page.getByLabel('Your age').waitFor();
    await page.getByRole('button', { name: 'Sign up' }).waitFor();
  });

  it('shows its texts and fields in the chosen language, and edits the texts in it', { tags: 'long' }, async () => {
    const { page, app } = schema;
    await server.admin.put(formPath(), { title: 'Letter', languages: ['en', 'de'] }).expect(200);
    await page.reload();
    await page.getByLabel('Language in the preview').selectOption('German');
    await textbox('Title').fill('Rundbrief');
    await page.locator('[data-part]').getByText('E-Mail').waitFor();
    await schema.press('Save settings');
    await page.getByText('Saved. The settings apply now.').waitFor();
    expect(await settings()).toMatchObject({ title: 'Letter', texts: { de: { title: 'Rundbrief' } } });
    await goWithin(page, `/apps/${app.sourceAppId}/form/texts`);
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Letter');
  });

  it('has pages with titles, over which fields move by key and by mouse', { tags: 'long' }, async () => {
    const { page } = schema;
    // No part of the form is below the bar that stays in view.
    await page.setViewportSize({ width: 1280, height: 1600 });
    await schema.press('Begin a new page with Plan');
    await textbox('Title of page 2').fill('Your plan');
    await schema.field('Full name').focus();
    // Over the beginning of page 2, then over Plan.
    await page.keyboard.press('Alt+ArrowDown');
    expect(await schema.keys()).toEqual(['name', 'plan', 'age']);
    await page.keyboard.press('Alt+ArrowDown');
    expect(await schema.keys()).toEqual(['plan', 'name', 'age']);
    const heads = schema.fields.getByRole('listitem').filter({ hasText: 'Page 1' });
    const row = schema.fields.locator('[data-field]').nth(1);
    await row.hover();
    await row.locator('[aria-hidden=true]').first().hover();
    await page.mouse.down();
    // The form is drawn again under the mouse, which a drag to one place does not expect.
    await expect
      .poll(async () => {
        const { x = 0, y = 0 } = (await heads.first().boundingBox()) ?? {};
        await page.mouse.move(x + 20, y + 20);
        await page.mouse.move(x + 25, y + 25);
        return schema.keys();
      })
      .toEqual(['name', 'plan', 'age']);
    await page.mouse.up();
    await schema.save();
    const { fields } = await schema.stored();
    expect(fields.map(({ key, page: of }: { key: string; page?: number }) => [key, of])).toEqual([
      ['name', undefined],
      ['plan', 2],
      ['age', undefined],
    ]);
    await expect.poll(async () => (await settings()).pages).toEqual([{ page: 2, title: 'Your plan' }]);

    await schema.press('Join with page 1');
    await schema.save();
    expect((await schema.stored()).fields[1].page).toBeUndefined();
    await expect.poll(async () => (await settings()).pages).toBeUndefined();
  });

  it('asks for the choices of a new field, and says what is wrong once it was left', { tags: 'long' }, async () => {
    const { page } = schema;
    await schema.add('One choice');
    const choices = page.getByRole('combobox', { name: 'Choices' });
    expect(await choices.getAttribute('aria-invalid')).not.toBe('true');
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await choices.focus();
    await choices.blur();
    await expect.poll(() => choices.getAttribute('aria-invalid')).toBe('true');
    await choices.fill('small');
    await choices.press('Enter');
    await page.locator('[data-part]').getByText('small').waitFor();
    await schema.save();
    expect((await schema.stored()).fields[3]).toMatchObject({ kind: 'select', enum: ['small'], ui: 'radio' });
  });

  it('offers no way back to what was discarded once something else was changed', { tags: 'long' }, async () => {
    const undo = schema.page.getByRole('button', { name: 'Undo', exact: true });
    await textbox('Title').fill('Discarded');
    await schema.press('Discard');
    await undo.waitFor();
    await textbox('Title').fill('Saved');
    await schema.press('Save settings');
    await schema.page.getByText('Saved. The settings apply now.').waitFor();
    expect(await undo.count()).toBe(0);
  });

  it('takes the largest size of a file in megabytes', { tags: 'long' }, async () => {
    await schema.add('Files');
    await schema.page.getByLabel('Largest size of a file, in MB').fill('2.5');
    await schema.save();
    expect((await schema.stored()).fields[3]).toMatchObject({ kind: 'file', maxBytes: 2_500_000 });
  });

  it('shows fields that visitors do not see with the reason', { tags: 'long' }, async () => {
    await schema.open('Age');
    await schema.page.getByRole('checkbox', { name: 'Hidden' }).check();
    await schema.fields.getByText('Age · Number').waitFor();
    await schema.fields.getByText('Hidden', { exact: true }).waitFor();
    await schema.open('Plan');
    await schema.page.getByRole('checkbox', { name: 'Only your team can set this' }).check();
    await schema.fields.getByText('Plan · One choice').waitFor();
  });

  it('calls no change breaking while the app has no records', { tags: 'long' }, async () => {
    await schema.press('Remove Age');
    const dialog = await schema.review();
    await dialog.getByText('This app has no stored records yet').waitFor();
    expect(await dialog.getByText('Breaking').count()).toBe(0);
    await schema.press('Keep editing');
    await server.client.submit(schema.app.sourceAppId, { email: 'ada@example.com', data: { age: 1 } }).expect(200);
    await (await schema.review()).getByText('Breaking').waitFor();
  });
});
