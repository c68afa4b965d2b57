import { beforeAll, describe, expect, it } from 'vitest';
import { entriesOfPage } from '../support/browser/form-page.ts';
import { BROWSER, type Entries, sendForm } from '../support/server/forms.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const CHOICES = ['one', 'two\nlines', 'three\r\nmore\rlines'];
/** As browsers send them. */
const SENT = CHOICES.map((choice) => choice.replace(/\r\n?|\n/g, '\r\n'));
const MANY = [...CHOICES, ...Array.from({ length: 30 }, (_, n) => `choice ${n}`)];

async function appOf(more: object[] = []): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({
    rejectUnknown: true,
    fields: [
      { key: 'list', kind: 'select', enum: CHOICES },
      { key: 'radio', kind: 'select', ui: 'radio', enum: CHOICES },
      { key: 'boxes', kind: 'multiselect', enum: CHOICES },
      { key: 'long', kind: 'select', enum: MANY },
      { key: 'age', kind: 'number' },
      ...(more as []),
    ],
  });
  return sourceAppId;
}

const send = (app: string, entries: Entries) =>
  sendForm(server.client, app, entries, 'urlencoded').set('Accept', BROWSER);
const dataOf = async (sourceAppId: string) => (await server.db.collection('users').findOne({ sourceAppId }))?.data;

describe('a choice with line breaks', () => {
  it('is stored as the schema has it, also after the form was shown again', async () => {
    const app = await appOf();
    const [, second = '', third = ''] = SENT;
    const refused = await send(app, [
      ['email', 'a@x.org'],
      ['data[list]', second],
      ['data[radio]', third],
      ['data[boxes][]', ''],
      ['data[boxes][]', third],
      ['data[boxes][]', second],
      ['data[long]', second],
      ['age', 'x'],
    ]).expect(400);
    await send(app, entriesOfPage(refused.text, { 'data[age]': '7' })).expect(303);
    expect(await dataOf(app)).toEqual({
      list: CHOICES[1],
      radio: CHOICES[2],
      boxes: [CHOICES[1], CHOICES[2]],
      long: CHOICES[1],
      age: 7,
    });
    // None of them became a choice of its own.
    expect(refused.text.match(/<option value="two\n/g)).toHaveLength(2);
  });

  it('counts for a condition', async () => {
    const app = await appOf([
      { key: 'more', kind: 'text', required: true, showIf: { all: [{ field: 'list', op: 'eq', value: CHOICES[1] }] } },
    ]);
    const entries = (more: string): Entries => [
      ['email', 'a@x.org'],
      ['list', SENT[1] ?? ''],
      ['more', more],
    ];
    const { text } = await send(app, entries('')).expect(400);
    expect(text).toContain('data-field="more"');
    expect(text).not.toContain('data-field="more" data-off');
    await send(app, entries('x')).expect(303);
    expect(await dataOf(app)).toEqual({ list: CHOICES[1], more: 'x' });
  });
});

describe('an optional answer of radio buttons', () => {
  it('has an empty choice, which is checked again when the form is shown again', async () => {
    const app = await appOf();
    const empty = /<input type="radio" id="data-radio-3" name="data\[radio\]" value=""( checked)?>/;
    const { text } = await server.client.get(`/f/${app}`).expect(200);
    expect([...(empty.exec(text) ?? [])]).toEqual([expect.any(String), undefined]);
    expect(text).toContain('<label for="data-radio-3">No answer</label>');
    const refused = await send(app, [
      ['email', 'a@x.org'],
      ['radio', ''],
      ['age', 'x'],
    ]).expect(400);
    expect(empty.exec(refused.text)?.[1]).toBe(' checked');
    await send(app, entriesOfPage(refused.text, { 'data[age]': '7' })).expect(303);
    expect(await dataOf(app)).not.toHaveProperty('radio');
  });

  it('is in the language of the form', async () => {
    const app = await appOf();
    await server.admin.put(`/auth/apps/${app}/form`, { languages: ['de'] }).expect(200);
    expect((await server.client.get(`/f/${app}?lang=de`).expect(200)).text).toContain('>Keine Angabe</label>');
    expect((await server.client.get(`/f/${app}`).expect(200)).text).toContain('>No answer</label>');
  });
});
