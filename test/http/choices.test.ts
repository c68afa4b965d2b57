import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { BROWSER, type Entries, type FormKind, sendForm } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const TOPICS = {
  key: 'topics',
  label: 'Topics',
  kind: 'multiselect',
  enum: ['news', 'events', '=jobs'],
  enumLabels: { news: 'The news' },
} as const;
const topics = (options: object = {}) => [{ ...TOPICS, enum: [...TOPICS.enum], ...options }] as FieldDefinitionInput[];

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: topics() });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
});

let personCount = 0;
const newEmail = (): string => {
  personCount += 1;
  return `chooser${personCount}@x.org`;
};
const stored = (email: string, { sourceAppId } = app) => server.db.collection('users').findOne({ sourceAppId, email });
const submit = (email: string, list: unknown, { sourceAppId } = app) =>
  server.client.submit(sourceAppId, { email, data: { topics: list } });

describe('several choices', () => {
  it('are kept in the order of `enum`, and a submission replaces them with their number', async () => {
    const email = newEmail();
    await submit(email, ['=jobs', 'news', 'events']).expect(200);
    expect(await stored(email)).toMatchObject({ data: { topics: TOPICS.enum }, arraySizes: { topics: 3 } });
    await submit(email, ['events']).expect(200);
    expect(await stored(email)).toMatchObject({ data: { topics: ['events'] }, arraySizes: { topics: 1 } });
    await submit(email, []).expect(200);
    expect(await stored(email)).toMatchObject({ data: { topics: [] }, arraySizes: { topics: 0 } });
    const { body } = await submit(email, ['news', 'news']).expect(400);
    expect(body.errors).toEqual([{ path: 'data.topics', message: 'must not have a value twice', code: 'choiceTwice' }]);
  });

  it('are kept in the same order when an operator changes them', async () => {
    const email = newEmail();
    const { body } = await submit(email, ['events']).expect(200);
    const edited = await operator.patch(`/auth/users/${body.id}`, { set: { topics: ['=jobs', 'news'] } }).expect(200);
    expect(edited.body.data).toEqual({ topics: ['news', '=jobs'] });
    expect(await stored(email)).toMatchObject({ arraySizes: { topics: 2 } });
    await operator.patch(`/auth/users/${body.id}`, { set: { topics: ['sport'] } }).expect(400);
  });

  it('replace one choice or the items of a list that the field held before, which still can be found', {
    tags: 'long',
  }, async () => {
    const own = await server.admin.buildApp({ fields: [{ key: 'topics', kind: 'select', enum: ['news', 'events'] }] });
    await submit('one@x.org', 'news', own).expect(200);
    await server.admin.putSchema(own.sourceAppId, { fields: [{ key: 'topics', kind: 'array' }] }).expect(200);
    await submit('items@x.org', ['a', 'b'], own).expect(200);
    await server.admin.putSchema(own.sourceAppId, { fields: topics() }).expect(200);
    const query = `sourceAppId=${own.sourceAppId}`;
    const find = async (where: string) => {
      const { body } = await server.admin.get(`/auth/users?${query}&where=data.topics:${where}`).expect(200);
      return body.users.map(({ email }: { email: string }) => email);
    };
    expect(await find('contains:news')).toEqual(['one@x.org']);
    const chart = await server.admin.get(`/auth/users/breakdown?${query}&field=data.topics`).expect(200);
    expect(chart.body).toMatchObject({ records: 2, values: [{ value: 'news', count: 1 }], other: 2 });
    for (const email of ['one@x.org', 'items@x.org']) await submit(email, ['events', 'news'], own).expect(200);
    expect(await stored('items@x.org', own)).toMatchObject({
      data: { topics: ['news', 'events'] },
      arraySizes: { topics: 2 },
    });
    expect(await find('in:events,sport')).toEqual(['items@x.org', 'one@x.org']);
    // Back to one choice: a submission replaces the list.
    const choice = { key: 'topics', kind: 'select', enum: ['news'] } as const;
    await server.admin.putSchema(own.sourceAppId, { fields: [{ ...choice, enum: [...choice.enum] }] }).expect(200);
    await submit('one@x.org', 'news', own).expect(200);
    expect((await stored('one@x.org', own))?.data).toEqual({ topics: 'news' });
  });
});

describe.each<FormKind>(['urlencoded', 'multipart'])('several choices in a form (%s)', (kind) => {
  const send = async (entries: Entries, ofApp = app) => {
    const email = newEmail();
    await sendForm(server.client, ofApp.sourceAppId, [['email', email], ...entries], kind).expect(303);
    return (await stored(email, ofApp))?.data;
  };

  it.each(['topics', 'topics[]', 'data[topics]', 'data[topics][]', 'data.topics[]'])('are sent as %s', async (name) => {
    const boxes: Entries = [
      [name, ''],
      [name, '=jobs'],
      [name, 'news'],
    ];
    expect(await send(boxes)).toEqual({ topics: ['news', '=jobs'] });
    expect(await send(boxes.slice(2))).toEqual({ topics: ['news'] });
  });

  it('are none when only an empty text is sent, and stay as they are when nothing is', async () => {
    const email = newEmail();
    await submit(email, ['news']).expect(200);
    await sendForm(server.client, app.sourceAppId, [['email', email]], kind).expect(303);
    expect((await stored(email))?.data).toEqual({ topics: ['news'] });
    const none: Entries = [
      ['email', email],
      ['topics[]', ''],
    ];
    await sendForm(server.client, app.sourceAppId, none, kind).expect(303);
    expect((await stored(email))?.data).toEqual({ topics: [] });
  });

  it('are shown again as they were sent, with the reason at the group, by a page without JavaScript', async () => {
    const few = await server.admin.buildApp({ fields: topics({ required: true, minItems: 2 }) });
    const { text } = await sendForm(
      server.client,
      few.sourceAppId,
      [
        ['email', newEmail()],
        ['topics[]', ''],
        ['topics[]', 'events'],
        ['topics[]', '<sport>'],
      ],
      kind,
    ).expect(400);
    expect(text).toContain('<a href="#data-topics">Topics: must have only allowed values</a>');
    const boxes = [...text.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) => box);
    expect(boxes).toHaveLength(4);
    expect(boxes.filter((box) => box.includes(' checked'))).toEqual([
      expect.stringContaining('value="events"'),
      expect.stringContaining('value="&#60;sport&#62;"'),
    ]);
    expect(text).toContain('Choose at least 2.');
    await server.admin.put(`/auth/apps/${few.sourceAppId}/form`, { languages: ['en', 'de'] }).expect(200);
    const german: Entries = [
      ['_lang', 'de'],
      ['email', newEmail()],
      ['topics[]', 'events'],
    ];
    const inGerman = (await sendForm(server.client, few.sourceAppId, german, kind).expect(400)).text;
    expect(inGerman).toContain('Mindestens 2 auswählen.');
    expect(inGerman).toContain('Topics: Bitte mindestens 2 Möglichkeiten wählen');
    const missing = await sendForm(
      server.client,
      few.sourceAppId,
      [
        ['email', newEmail()],
        ['topics[]', ''],
      ],
      kind,
    );
    expect(missing.text).toContain('<a href="#data-topics">Topics: is required</a>');
  });
});

describe('the page of a form with many choices', () => {
  it('checks those of its address, whatever their number, and the default ones without any', async () => {
    const values = Array.from({ length: 60 }, (_, index) => `v${index}&"`);
    const field = topics({ enum: values, enumLabels: undefined, prefill: true, default: ['v3&"', 'v1&"'] });
    const { sourceAppId } = await server.admin.buildApp({ fields: field });
    const checked = async (query: string) => {
      const { text } = await server.client.get(`/f/${sourceAppId}${query}`).set('Accept', BROWSER).expect(200);
      expect(text.match(/<input type="hidden" name="data\[topics\]\[\]" value="">/g)).toHaveLength(1);
      return [...text.matchAll(/value="v(\d+)&#38;&#34;" checked/g)].map(([, number]) => Number(number));
    };
    expect(await checked('')).toEqual([1, 3]);
    const named = (list: readonly number[]) => list.map((number) => `topics=${encodeURIComponent(`v${number}&"`)}`);
    expect(await checked(`?${named([40, 7, 7]).join('&')}&topics=none`)).toEqual([7, 40]);
    expect(await checked(`?topics=${encodeURIComponent('v2&"; v59&"')}`)).toEqual([2, 59]);
  });
});

describe('records with several choices', () => {
  let own: TestApp;
  let reader: Client;
  beforeAll(async () => {
    own = await server.admin.buildApp({ fields: topics() });
    reader = await new Client(server.client.url).logIn(own.sourceAppId, own.password);
    const lists = [['news'], ['news', 'events'], ['=jobs', 'events'], [], undefined];
    for (const [index, list] of lists.entries()) {
      const data = list === undefined ? {} : { topics: list };
      await server.client.submit(own.sourceAppId, { email: `p${index}@x.org`, data }).expect(200);
    }
  });

  it.each([
    ['contains:news', [1, 0]],
    ['contains:NEWS', []],
    ['contains:ne', []],
    ['in:=jobs,news', [2, 1, 0]],
    ['exists:true', [3, 2, 1, 0]],
    ['exists:false', [4]],
    ['empty:true', [4, 3]],
    ['empty:false', [2, 1, 0]],
  ])('are found by %s', async (where, numbers) => {
    const path = `/auth/users?where=${encodeURIComponent(`data.topics:${where}`)}`;
    const { body } = await reader.get(path).expect(200);
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual(numbers.map((n) => `p${n}@x.org`));
  });

  it.each(['eq:news', 'ne:news', 'prefix:n', 'gt:a'])('have no comparison %s', async (where) => {
    const { body } = await reader.get(`/auth/users?where=data.topics:${where}`).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'where.0',
        message: 'compares in a way that fields of the kind multiselect do not have',
        code: 'operatorOfOtherKind',
        params: { kind: 'multiselect' },
      },
    ]);
  });

  it('are counted for each choice', async () => {
    const { body } = await reader.get('/auth/users/breakdown?field=data.topics').expect(200);
    expect(body).toEqual({
      field: 'data.topics',
      records: 5,
      empty: 2,
      other: 0,
      complete: true,
      values: [
        { value: 'events', count: 2 },
        { value: 'news', count: 2 },
        { value: '=jobs', count: 1 },
      ],
    });
  });

  it('are counted too when they are more than MongoDB groups by', async () => {
    const values = Array.from({ length: 25 }, (_, index) => `choice ${String(index).padStart(2, '0')}`);
    const many = await server.admin.buildApp({ fields: topics({ enum: values, enumLabels: undefined }) });
    await submit('all@x.org', values, many).expect(200);
    await submit('long@x.org', values.slice(0, 1), many).expect(200);
    const path = `/auth/users/breakdown?field=data.topics&sourceAppId=${many.sourceAppId}`;
    const { body } = await server.admin.get(path).expect(200);
    expect(body).toMatchObject({ records: 2, empty: 0, other: 5, complete: true });
    expect(body.values.slice(0, 2)).toEqual([
      { value: 'choice 00', count: 2 },
      { value: 'choice 01', count: 1 },
    ]);
  });

  it('are joined in a file, which an import reads back as they were', async () => {
    const { text } = await reader.get('/auth/users/export?columns=email,data.topics').expect(200);
    expect(text.split('\r\n')).toEqual([
      'email,data.topics',
      'p4@x.org,',
      'p3@x.org,',
      'p2@x.org,"events; =jobs"',
      'p1@x.org,"news; events"',
      'p0@x.org,news',
      '',
    ]);
    const copy = await server.admin.buildApp({ fields: topics() });
    const file = `${text}p5@x.org,'=jobs\r\np6@x.org,"=jobs; news; news"\r\np7@x.org,news; sport\r\n`;
    const result = await runImport(server.admin, copy.sourceAppId, file);
    expect(result).toMatchObject({ created: 7, rejected: 1 });
    expect(result.errors).toEqual([{ line: 9, message: 'data.topics must have only allowed values' }]);
    const read = async (n: number) => (await stored(`p${n}@x.org`, copy))?.data;
    expect(await read(2)).toEqual({ topics: ['events', '=jobs'] });
    expect(await read(3)).toEqual({});
    expect(await read(5)).toEqual({ topics: ['=jobs'] });
    expect(await read(6)).toEqual({ topics: ['news', '=jobs'] });
    const again = await server.admin.get(`/auth/users/export?columns=data.topics&sourceAppId=${copy.sourceAppId}`);
    expect(again.text).toContain("\r\n'=jobs\r\n");
  });

  it('replace those of a record that an import updates', async () => {
    const lines = JSON.stringify({ email: 'p0@x.org', data: { topics: ['=jobs', 'events'] } });
    const result = await runImport(server.admin, own.sourceAppId, `${lines}\n`, { format: 'ndjson' });
    expect(result).toMatchObject({ updated: 1 });
    expect(await stored('p0@x.org', own)).toMatchObject({
      data: { topics: ['events', '=jobs'] },
      arraySizes: { topics: 2 },
    });
  });
});
