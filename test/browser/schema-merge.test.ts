// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { closeBrowser, visitAs } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { ADMIN, SchemaPage } from './schema-page.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

describe('the merge of a schema that someone else saved meanwhile', () => {
  let schema: SchemaPage;
  beforeEach(async () => {
    schema = await SchemaPage.open(server);
  });
  afterEach(async () => {
    schema.visit.expectClean();
    await schema.visit.close();
  });

  it('shows the conflict wherever one has scrolled, and joins the changes by field', async () => {
    const { page } = schema;
    await schema.press('Remove Age');
    await schema.open('Full name');
    await page.getByLabel('Label', { exact: true }).fill('My name');
    await schema.review();
    const fields = [
      { key: 'name', label: 'Their name', kind: 'text' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'age', label: 'Age', kind: 'number' },
      ...Array.from({ length: 20 }, (_, n) => ({ key: `other${n}`, label: `Other ${n}`, kind: 'date' })),
    ];
    await server.admin.putSchema(schema.app.sourceAppId, { fields: fields as never }).expect(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Save version 3' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Someone else saved version 3' });
    await notice.waitFor();
    expect(await schema.stored()).toMatchObject({
      version: 3,
      fields: [{ key: 'name' }, {}, { key: 'age' }, ...Array(20).fill({})],
    });
    expect(await schema.keys()).toEqual(['name', 'plan']);
    await page.setViewportSize({ width: 320, height: 480 });
    await page.mouse.wheel(0, 2_000);
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(300);
    const { y = -1 } = (await notice.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThan(400);

    await notice.getByRole('button', { name: 'Merge' }).click();
    const merge = page.getByRole('dialog', { name: 'Merge your draft with version 3' });
    const name = merge.getByRole('radiogroup', { name: /My name \(name\)/ });
    await merge.getByText('Changed by both').waitFor();
    await name.getByText('label changed: “Full name” → “Their name”').waitFor();
    expect(await name.getByLabel('Mine').isChecked()).toBe(true);
    await name.getByLabel('Theirs').check();
    expect(await merge.getByRole('radiogroup', { name: 'Age (age)' }).getByLabel('Mine').isChecked()).toBe(true);
    await merge
      .getByRole('radiogroup', { name: /^Other 3 / })
      .getByLabel('Mine')
      .check();
    await merge.getByRole('button', { name: 'Merge into my draft' }).click();
    await merge.waitFor({ state: 'hidden' });
    await notice.waitFor({ state: 'detached' });
    const dialog = await schema.review();
    await dialog.getByText('“Age” (age) removed').waitFor();
    await dialog.getByText('“Other 3” (other3) removed').waitFor();
    await dialog.getByRole('button', { name: 'Save version 4' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const stored = await schema.stored();
    expect(stored).toMatchObject({
      version: 4,
      fields: [{ key: 'name', label: 'Their name' }, { key: 'plan' }, ...Array(19).fill({})],
    });
    expect(stored.fields.map(({ key }: { key: string }) => key)).not.toContain('other3');
  });

  it('can discard the draft', async () => {
    await schema.press('Remove Age');
    await server.admin.putSchema(schema.app.sourceAppId, { fields: [{ key: 'city', kind: 'text' }] }).expect(200);
    await schema.page.getByRole('alert').getByRole('button', { name: 'Merge' }).click();
    await schema.page.getByRole('dialog').getByRole('button', { name: 'Discard my draft' }).click();
    await schema.page.getByText('No changes').waitFor();
    expect(await schema.keys()).toEqual(['city']);
  });
});

it('the conflict and its merge have no axe violations in both modes and fit into 320 pixels', async () => {
  const fields = ['name', 'plan'].map((key) => ({ key, kind: 'text' as const }));
  const { sourceAppId } = await server.admin.buildApp({ fields });
  const { page, close } = await visitAs(server, ADMIN, `/apps/${sourceAppId}`, {
    viewport: { width: 320, height: 640 },
  });
  const expectUsable = async (state: string): Promise<void> => {
    // The title of a Mantine dialog is in a `header`, which axe takes for that of the page.
    const found = (await axeViolationsInBothModes(page)).filter((violation) => !violation.includes(': landmark-'));
    expect({ state, found }).toEqual({ state, found: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBe(320);
  };
  await page.getByRole('button', { name: /^name/ }).click();
  await page.getByRole('button', { name: 'More options' }).click();
  await page.getByLabel('Key').fill('fullName');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByLabel('Keep the data').waitFor();
  const theirs = [{ key: 'name', label: 'Their name', kind: 'text' as const }];
  await server.admin.putSchema(sourceAppId, { fields: theirs }).expect(200);
  await page.getByRole('button', { name: 'Save version 3' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('alert').getByText('Someone else saved version 3').waitFor();
  await expectUsable('the conflict');
  await page.getByRole('alert').getByRole('button', { name: 'Merge' }).click();
  await page.getByText('Changed by both').waitFor();
  await expectUsable('the merge');
  await close();
});
