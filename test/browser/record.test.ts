import { describe, expect, it } from 'vitest';
import { tableRows } from '../support/browser/browser.ts';
import { withUsersPage } from './users-page.ts';

const HOSTILE = [
  '<img src=x onerror="alert(1)">',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '=HYPERLINK("http://example.com","click")',
  '{{constructor.constructor("alert(1)")()}}',
];

const users = withUsersPage([
  { key: 'name', label: 'Full name', kind: 'text' },
  { key: 'visits', label: 'Visits', kind: 'array' },
]);

const EXTRA = {
  numbers: Array.from({ length: 25 }, (_, index) => index + 1),
  deep: { in: { it: { is: 'json' } } },
};

const openRecord = async (email: string) => {
  await users.page.getByRole('link', { name: email }).click();
  await users.page.getByRole('heading', { level: 1, name: email }).waitFor();
};

describe('a record', () => {
  it('shows lists as a timeline, newest first, and data that the schema does not define', {
    tags: 'long',
  }, async () => {
    await users.submit('ada@example.com', { name: 'Ada', visits: [{ page: '/one' }, 'bare'], extra: EXTRA });
    await users.submit('ada@example.com', { visits: [{ page: '/two' }] });
    await users.logIn();
    await openRecord('ada@example.com');
    const items = users.page.getByRole('region', { name: 'Visits' }).getByRole('listitem');
    expect(await items.allInnerTexts()).toEqual([
      expect.stringContaining('/two'),
      expect.stringContaining('bare'),
      expect.stringContaining('/one'),
    ]);
    const others = users.page.getByRole('region', { name: 'Other data' });
    const shown = async () => (await others.locator('dl').first().innerText()).replace(/\s+/g, ' ');
    // What is nested deeper is JSON, so that nobody can make a page of any size.
    expect(await shown()).toMatch(/^extra numbers 1 2 .* 20 Show 5 more of 25 deep in it { "is": "json" } Remove$/);
    await others.getByRole('button', { name: 'Show 5 more of 25' }).click();
    expect(await shown()).toContain('24 25 deep');
  });

  it('is shown under its own schema version', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.server.admin
      .putSchema(users.app.sourceAppId, { fields: [{ key: 'name', label: 'Nickname', kind: 'text' }] })
      .expect(200);
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByText('Schema version 2 (newest: 3)').waitFor();
    await users.page.getByRole('term').getByText('Full name').waitFor();
    expect(await users.page.getByText('Nickname').count()).toBe(0);
  });

  it('shows its times, its version, and what is known of confirmation and consents', { tags: 'long' }, async () => {
    const { admin, db } = users.server;
    const { sourceAppId } = users.app;
    const { id } = await users.submit('ada@example.com', { name: 'Ada' });
    await users.logIn();
    const facts = async (): Promise<string[]> => {
      await users.goTo(`/apps/${sourceAppId}/users/${id}`);
      const about = users.page.getByRole('region', { name: 'About this record' });
      await about.waitFor();
      await users.page
        .getByText('Email not confirmed')
        .or(users.page.getByText('Not asked for'))
        .or(users.page.getByText('Email confirmed'))
        .waitFor();
      return (await about.locator('dl > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    };
    const time = expect.stringMatching(/^(?:Created|Updated) \d{1,2} \w+ \d{4}, \d{2}:\d{2}$/);
    const first = [time, time, 'Schema version 2', 'Confirmation Not asked for', 'Consents None recorded'];
    expect(await facts()).toEqual(first);
    const consent = { key: 'terms', label: 'Terms', kind: 'checkbox', consent: { version: '1' } } as const;
    await admin.putSchema(sourceAppId, { fields: [consent] }).expect(200);
    await users.submit('ada@example.com', { terms: true });
    await admin.putSchema(sourceAppId, { fields: [consent, { key: 'more', kind: 'text' }] }).expect(200);
    await db.collection('users').updateOne({ sourceAppId }, { $set: { confirmedAt: new Date() } });
    expect(await facts()).toEqual([
      time,
      time,
      'Schema version 3 (newest: 4)',
      expect.stringMatching(/^Confirmation Email confirmed \d/),
      'Consents 1 change',
    ]);
  });

  it('folds a long text', { tags: 'long' }, async () => {
    const long = `begin ${'word '.repeat(2_000)}end`;
    await users.submit('ada@example.com', { name: long, visits: [long], extra: { deep: long } });
    await users.logIn();
    await openRecord('ada@example.com');
    const buttons = users.page.getByRole('button', { name: /^Show all [\d,]+ characters$/ });
    await expect.poll(() => buttons.count()).toBe(3);
    expect(await users.page.getByText('word end').count()).toBe(0);
    expect(await users.page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_500);
    await buttons.first().click();
    await users.page.getByText(/word end/).waitFor();
    await users.page.getByRole('button', { name: 'Show less', expanded: true }).click();
    await expect.poll(() => buttons.count()).toBe(3);
  });

  it('is erased only after the email was typed', { tags: 'long' }, async () => {
    await users.submit('ada@example.com', { name: 'Ada' });
    await users.submit('alan@example.com', { name: 'Alan' });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('button', { name: 'Erase person' }).click();
    const dialog = users.page.getByRole('dialog', { name: 'Erase person' });
    const erase = dialog.getByRole('button', { name: 'Erase permanently' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Email' }).fill('alan@example.com');
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
    await erase.click();
    await users.page.getByText('All data of ada@example.com was deleted').waitFor();
    await users.page.getByText('1–1 of 1', { exact: true }).waitFor();
    expect((await tableRows(users.page, 'Table of people')).map(([email]) => email)).toEqual(['alan@example.com']);
    expect(await users.server.db.collection('users').countDocuments({ sourceAppId: users.app.sourceAppId })).toBe(1);
  });

  it('shows when consents were given and withdrawn, newest first, and nothing without consents', {
    tags: 'long',
  }, async () => {
    const label = 'Terms <b>of</b> use';
    const consent = (version: string) =>
      users.server.admin.putSchema(users.app.sourceAppId, {
        fields: [{ key: 'terms', label, kind: 'checkbox', consent: { version } }],
      });
    const send = (terms: boolean, page?: string) =>
      users.server.services.submissions.submit(
        users.app.sourceAppId,
        { email: 'ada@example.com', data: { terms } },
        { page },
      );
    await consent('3').expect(200);
    await send(true, 'https://example.com/<i>sign-up?token=1');
    await send(false);
    await users.submit('alan@example.com', { terms: false });
    await users.logIn();
    await openRecord('ada@example.com');
    await users.page.getByRole('region', { name: 'Consents' }).waitFor();
    const rows = await tableRows(users.page, 'Consents');
    expect(rows.map(([change]) => change)).toEqual([
      expect.stringContaining(`Withdrew “${label}” (version 3)`),
      expect.stringContaining(`Agreed to “${label}” (version 3)`),
    ]);
    expect(rows.map(([change = '']) => change.split('\nOn ')[1])).toEqual([
      undefined,
      'https://example.com/%3Ci%3Esign-up',
    ]);
    expect(rows[0]?.[1]).toMatch(/\d{4}/);
    await users.page.goBack();
    await openRecord('alan@example.com');
    expect(await users.page.getByRole('region', { name: 'Consents' }).count()).toBe(0);
  });

  it('is not found when it does not exist or belongs to another app', { tags: 'long' }, async () => {
    const other = await users.server.admin.buildApp();
    const { body } = await users.server.client.submit(other.sourceAppId, { email: 'b@example.com' }).expect(200);
    await users.logIn();
    for (const id of [body.id, 'no-id']) {
      await users.goTo(`/users/${id}`);
      await users.page.getByText('No person has this ID').waitFor();
    }
  });

  it('shows a text that only looks like a date as it is, also in the table', { tags: 'long' }, async () => {
    const texts = ['2026-99-99', '2026-02-30', '2026-01-31T25:00:00Z', `2026-01-31${' long'.repeat(100)}`];
    await users.submit('ada@example.com', { name: texts[0], visits: texts, extra: '2026-01-31' });
    await users.logIn();
    await users.page.getByRole('cell', { name: '2026-99-99' }).waitFor();
    await openRecord('ada@example.com');
    const items = users.page.getByRole('region', { name: 'Visits' }).getByRole('listitem');
    const shown = (await items.allInnerTexts()).join('\n');
    for (const text of texts) expect(shown).toContain(text);
    await users.page.getByRole('definition').getByText('2026-99-99', { exact: true }).waitFor();
    await users.page.getByRole('region', { name: 'Other data' }).getByText('31 Jan 2026').waitFor();
  });

  it('shows hostile texts unchanged and runs nothing in them', async () => {
    for (const [index, text] of HOSTILE.entries()) {
      await users.submit(`user${index}@example.com`, {
        name: text,
        visits: [text, { [`key${index}`]: text }],
        other: { text },
      });
    }
    await users.server.admin
      .putSchema(users.app.sourceAppId, {
        fields: [
          { key: 'name', label: HOSTILE[0] ?? '', kind: 'text' },
          { key: 'visits', label: HOSTILE[2] ?? '', kind: 'array' },
        ],
      })
      .expect(200);
    await users.logIn();
    await users.page.getByText('1–5 of 5', { exact: true }).waitFor();
    const rows = await tableRows(users.page, 'Table of people');
    expect(rows.map(([, name]) => name).reverse()).toEqual(HOSTILE);
    expect((await users.page.getByRole('columnheader').allInnerTexts())[1]).toBe(HOSTILE[0]);
    for (const index of HOSTILE.keys()) {
      await openRecord(`user${index}@example.com`);
      await users.page
        .getByRole('definition')
        .getByText(HOSTILE[index] ?? '', { exact: true })
        .first()
        .waitFor();
      expect(await users.page.locator('main :is(img, script, iframe, [onerror], a[href^="javascript"])').count()).toBe(
        0,
      );
      await users.page.goBack();
    }
    await users.page.getByRole('link', { name: 'Share', exact: true }).click();
    await users.page.getByRole('tab', { name: 'HTML' }).click();
    await users.page.getByText('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;').waitFor();
  });
});
