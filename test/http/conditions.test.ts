import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { conditionVectors } from '../support/samples/condition-vectors.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { type Entries, sendForm, TYPES, urlencoded } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  const options = { pollEveryMs: 100, writesEndMs: 300, checksMs: [] };
  a = await startServer({}, undefined, options);
  b = await startServer({}, a.database, options);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const EMAIL = 'ada@example.com';
type Conditions = NonNullable<FieldDefinitionInput['showIf']>;
const PRO: Conditions = { all: [{ field: 'plan', op: 'eq', value: 'pro' }] };
const PLAN: FieldDefinitionInput = { key: 'plan', kind: 'select', enum: ['free', 'pro'] };
const SEATS: FieldDefinitionInput = { key: 'seats', kind: 'number', required: true, showIf: PRO };
const VAT: FieldDefinitionInput = {
  key: 'vat',
  kind: 'text',
  requiredIf: { all: [{ field: 'seats', op: 'gt', value: 5 }] },
};
const FIELDS = [PLAN, SEATS, VAT];

const build = async (fields: FieldDefinitionInput[] = FIELDS, rejectUnknown = false): Promise<string> =>
  (await a.admin.buildApp({ rejectUnknown, fields })).sourceAppId;

const submit = (app: string, data: object, { client } = a) => client.submit(app, { email: EMAIL, data });

function send(app: string, entries: Entries, { client } = a) {
  const body = urlencoded([['email', EMAIL], ...entries]);
  const sent = client.post(`/v1/forms/${app}`, body).serialize((given) => given);
  return sent.set({ 'Content-Type': TYPES.urlencoded, Accept: 'application/json' });
}

async function dataOf(app: string): Promise<Record<string, unknown> | undefined> {
  return (await recordsOf(a, app))[0]?.data;
}

/** The code of each problem of a refusal, by its path. */
const codes = ({ body }: { body: { errors: { path: string; code: string }[] } }) =>
  Object.fromEntries(body.errors.map(({ path, code }) => [path, code]));

describe('The definition of conditions (spec 2.12)', () => {
  /** Puts a schema of these fields, and resolves with the codes of its problems. */
  async function problemsOf(...fields: object[]): Promise<object> {
    const { sourceAppId: app } = await a.admin.buildApp();
    const answer = await a.admin.put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields });
    return answer.status === 200 ? {} : codes(answer);
  }

  const ALL: FieldDefinitionInput[] = [
    { key: 'text', kind: 'text', maxLength: 5 },
    { key: 'checkbox', kind: 'checkbox' },
    { key: 'agreed', kind: 'checkbox', required: true },
    { key: 'select', kind: 'select', enum: ['free', 'pro'] },
    { key: 'multiselect', kind: 'multiselect', enum: ['red', 'blue'] },
    { key: 'number', kind: 'number', min: 1, max: 9 },
    { key: 'date', kind: 'date' },
    { key: 'array', kind: 'array' },
  ];
  const at = ALL.length;
  const ofOne = (condition: object) => problemsOf(...ALL, { key: 'x', kind: 'text', showIf: { all: [condition] } });

  it.each([
    { field: 'text', op: 'eq', value: 'a' },
    { field: 'text', op: 'ne', value: '' },
    { field: 'text', op: 'in', value: ['a', 'b'] },
    { field: 'text', op: 'contains', value: 'é' },
    { field: 'text', op: 'exists' },
    { field: 'checkbox', op: 'eq', value: false },
    { field: 'checkbox', op: 'ne', value: true },
    { field: 'checkbox', op: 'exists', value: true },
    { field: 'agreed', op: 'eq', value: true },
    { field: 'select', op: 'eq', value: 'pro' },
    { field: 'select', op: 'in', value: ['pro'] },
    { field: 'select', op: 'contains', value: 'RE' },
    { field: 'multiselect', op: 'contains', value: 'red' },
    { field: 'multiselect', op: 'in', value: ['red', 'blue'] },
    { field: 'number', op: 'gt', value: 1 },
    { field: 'number', op: 'gte', value: 9 },
    { field: 'number', op: 'lt', value: 2.5 },
    { field: 'number', op: 'lte', value: 2 },
    { field: 'number', op: 'in', value: [1, 9] },
    { field: 'date', op: 'gt', value: '2026-01-31' },
    { field: 'date', op: 'eq', value: '2026-01-31T08:30:00+01:00' },
    { field: 'array', op: 'exists', value: false },
  ])('may have %j', async (condition) => {
    expect(await ofOne(condition)).toEqual({});
  });

  it.each([
    ['field', 'notEarlierField', { field: 'missing', op: 'exists' }],
    ['field', 'notEarlierField', { field: 'x', op: 'exists' }],
    ['op', 'notConditionOperator', { field: 'text', op: 'gt', value: 'a' }],
    ['op', 'notConditionOperator', { field: 'checkbox', op: 'in', value: [true] }],
    ['op', 'notConditionOperator', { field: 'select', op: 'lte', value: 'pro' }],
    ['op', 'notConditionOperator', { field: 'multiselect', op: 'eq', value: 'red' }],
    ['op', 'notConditionOperator', { field: 'number', op: 'contains', value: 1 }],
    ['op', 'notConditionOperator', { field: 'date', op: 'contains', value: '2026' }],
    ['op', 'notConditionOperator', { field: 'array', op: 'contains', value: 'a' }],
    ['op', 'unfit', { field: 'text', op: 'prefix', value: 'a' }],
    ['op', 'unfit', { field: 'text', op: 'empty', value: true }],
    ['op', 'unfit', { field: 'text' }],
    ['value', 'notConditionValue', { field: 'text', op: 'eq' }],
    ['value', 'notConditionValue', { field: 'text', op: 'eq', value: ['a'] }],
    ['value', 'notConditionValue', { field: 'text', op: 'eq', value: null }],
    ['value', 'notConditionValue', { field: 'text', op: 'eq', value: { a: 1 } }],
    ['value', 'unfit', { field: 'text', op: 'eq', value: 'a'.repeat(1_001) }],
    ['value', 'unfit', { field: 'text', op: 'in', value: [] }],
    ['value', 'notConditionValue', { field: 'text', op: 'in', value: Array(101).fill('a') }],
    ['value', 'notConditionValues', { field: 'text', op: 'in', value: 'a' }],
    ['value', 'notText', { field: 'text', op: 'eq', value: 1 }],
    ['value', 'notText', { field: 'text', op: 'contains', value: true }],
    ['value', 'notText', { field: 'text', op: 'in', value: ['a', 1] }],
    ['value', 'tooLong', { field: 'text', op: 'eq', value: 'abcdef' }],
    ['value', 'tooLong', { field: 'text', op: 'contains', value: 'abcdef' }],
    ['value', 'notBoolean', { field: 'checkbox', op: 'eq', value: 'true' }],
    ['value', 'notBoolean', { field: 'checkbox', op: 'exists', value: 'true' }],
    ['value', 'mustBeTrue', { field: 'agreed', op: 'eq', value: false }],
    ['value', 'notChoice', { field: 'select', op: 'eq', value: 'team' }],
    ['value', 'notChoice', { field: 'select', op: 'in', value: ['pro', 'team'] }],
    ['value', 'notChoice', { field: 'select', op: 'contains', value: 'x' }],
    ['value', 'notChoice', { field: 'multiselect', op: 'contains', value: 're' }],
    ['value', 'notChoice', { field: 'multiselect', op: 'in', value: ['red', 'green'] }],
    ['value', 'tooSmall', { field: 'number', op: 'gt', value: 0 }],
    ['value', 'tooLarge', { field: 'number', op: 'in', value: [9, 10] }],
    ['value', 'notNumber', { field: 'number', op: 'eq', value: '5' }],
    ['value', 'notDate', { field: 'date', op: 'lt', value: '2026-02-30' }],
    ['value', 'notDate', { field: 'date', op: 'lt', value: 2026 }],
  ])('names the wrong %s: %s of %j', async (name, code, condition) => {
    expect(await ofOne(condition)).toEqual({ [`fields.${at}.showIf.all.0.${name}`]: code });
  });

  it('has its exact path in `any`, `requiredIf` and after right conditions', async () => {
    const right = { field: 'number', op: 'exists' };
    const problems = await problemsOf(...ALL, {
      key: 'x',
      kind: 'text',
      showIf: { any: [right, right, { field: 'later', op: 'exists' }] },
      requiredIf: { all: [right, { field: 'number', op: 'eq', value: 99 }] },
    });
    expect(problems).toEqual({
      [`fields.${at}.showIf.any.2.field`]: 'notEarlierField',
      [`fields.${at}.requiredIf.all.1.value`]: 'tooLarge',
    });
  });

  it('names an earlier field: no later one, not itself, none that two fields form in a circle', async () => {
    const exists = (field: string) => ({ all: [{ field, op: 'exists' }] });
    expect(
      await problemsOf(
        { key: 'a', kind: 'text', showIf: exists('b') },
        { key: 'b', kind: 'text', showIf: exists('a') },
        { key: 'c', kind: 'text', requiredIf: exists('c') },
      ),
    ).toEqual({
      'fields.0.showIf.all.0.field': 'notEarlierField',
      'fields.2.requiredIf.all.0.field': 'notEarlierField',
    });
    const app = await build();
    // The field that the others name is removed, or moved behind them.
    expect(codes(await a.admin.putSchema(app, { fields: [SEATS, VAT] }).expect(400))).toEqual({
      'fields.0.showIf.all.0.field': 'notEarlierField',
    });
    expect(codes(await a.admin.putSchema(app, { fields: [SEATS, PLAN] }).expect(400))).toEqual({
      'fields.0.showIf.all.0.field': 'notEarlierField',
    });
  });

  it('is either `all` or `any`, of 1 to 20 conditions', async () => {
    const one = { field: 'number', op: 'exists' };
    const ofGroup = (showIf: unknown) => problemsOf(...ALL, { key: 'x', kind: 'text', showIf });
    const path = `fields.${at}.showIf`;
    expect(await ofGroup({ all: Array(20).fill(one) })).toEqual({});
    expect(await ofGroup({ all: Array(21).fill(one) })).toEqual({ [`${path}.all`]: 'unfit' });
    expect(await ofGroup({ any: [] })).toEqual({ [`${path}.any`]: 'unfit' });
    expect(await ofGroup({ all: [one], any: [one] })).toEqual({ [path]: 'notAllOrAny' });
    expect(await ofGroup({})).toEqual({ [path]: 'notAllOrAny' });
    expect(await ofGroup({ none: [one] })).toEqual({ [`${path}.none`]: 'unknownProperty', [path]: 'notAllOrAny' });
    expect(await ofGroup({ all: [{ ...one, not: true }] })).toEqual({ [`${path}.all.0.not`]: 'unknownProperty' });
  });

  it('neither is of a field of the staff nor names one', async () => {
    const staff = { kind: 'text', writers: 'staff' };
    const exists = { all: [{ field: 'a', op: 'exists' }] };
    expect(
      await problemsOf(
        { key: 'a', ...staff },
        { key: 'b', ...staff, showIf: { all: [{ field: 'c', op: 'exists' }] } },
        { key: 'd', kind: 'text', showIf: exists },
        { key: 'e', ...staff, page: 1 },
      ),
    ).toEqual({
      'fields.1.showIf': 'notOfStaff',
      'fields.1.showIf.all.0.field': 'notEarlierField',
      'fields.2.showIf.all.0.field': 'fieldOfStaff',
      'fields.3.page': 'notOfStaff',
    });
    expect(
      await problemsOf(
        { key: 'c', kind: 'text' },
        { key: 'b', ...staff, requiredIf: { all: [{ field: 'c', op: 'exists' }] } },
      ),
    ).toEqual({ 'fields.1.requiredIf': 'notOfStaff' });
  });

  it('has pages from 1 to 20 that do not fall', async () => {
    const paged = (...pages: unknown[]) => pages.map((page, index) => ({ key: `f${index}`, kind: 'text', page }));
    expect(await problemsOf(...paged(undefined, 1, 3, undefined, 3, 20))).toEqual({});
    expect(await problemsOf(...paged(2, undefined, 1, 2, 1))).toEqual({
      'fields.2.page': 'pageBefore',
      'fields.4.page': 'pageBefore',
    });
    for (const page of [0, 21, 1.5, '2', null])
      expect(await problemsOf(...paged(page))).toEqual({ 'fields.0.page': 'unfit' });
  });

  it('is in the answers as it was sent, and the form has the kind of what it names', async () => {
    const fields: FieldDefinitionInput[] = [PLAN, { ...SEATS, page: 2, keepHidden: true }, VAT];
    const app = await build(fields);
    const ofSeats = { showIf: PRO, page: 2 };
    for (const { client } of [a, b]) {
      const { body } = await client.get('/v1/schema').set('x-app-id', app).expect(200);
      expect(body.fields[1]).toMatchObject(ofSeats);
      expect(body.fields[2]).toMatchObject({ requiredIf: VAT.requiredIf });
      const form = (await client.get(`/v1/forms/${app}`).expect(200)).body;
      expect(form.fields[0]).toMatchObject({ key: 'plan', kind: 'select' });
      expect(form.fields[1]).toMatchObject({ key: 'seats', kind: 'number', required: true, ...ofSeats });
      expect(form.fields[2]).toMatchObject({ key: 'vat', requiredIf: VAT.requiredIf });
      expect(form.fields[2]).not.toHaveProperty('kind');
      expect(form).not.toHaveProperty('pages');
    }
    const plain = await build([{ key: 'name', kind: 'text' }]);
    const names = ['showIf', 'requiredIf', 'page', 'pages', 'keepHidden'];
    for (const path of ['/v1/schema', `/v1/forms/${plain}`]) {
      const { text } = await a.client.get(path).set('x-app-id', plain).expect(200);
      for (const name of names) expect(text).not.toContain(`"${name}"`);
    }
  });

  it('follows the renames of fields', async () => {
    const app = await build();
    await submit(app, { plan: 'pro', seats: 6, vat: 'x' }).expect(200);
    const tariff = { ...PLAN, key: 'tariff' };
    const places = {
      ...SEATS,
      key: 'places',
      showIf: { all: [{ field: 'tariff', op: 'eq', value: 'pro' }] },
    } as FieldDefinitionInput;
    const renames = [
      { from: 'plan', to: 'tariff' },
      { from: 'seats', to: 'places' },
    ];
    // The old key is no field of the schema.
    const wrong = await rename(a.admin, app, {
      rejectUnknown: false,
      fields: [tariff, { ...SEATS, key: 'places' }],
      renames,
    });
    expect(codes(wrong)).toEqual({ 'fields.1.showIf.all.0.field': 'notEarlierField' });
    await rename(a.admin, app, { rejectUnknown: false, fields: [tariff, places], renames }).expect(200);
    // A client that knows the old keys alone.
    for (const server of [a, b]) {
      expect(codes(await submit(app, { plan: 'free', seats: 6 }, server).expect(400))).toEqual({
        'data.places': 'notShown',
      });
      expect(codes(await submit(app, { plan: 'pro' }, server).expect(400))).toEqual({ 'data.places': 'required' });
    }
    await submit(app, { plan: 'free' }, b).expect(200);
    expect(await dataOf(app)).toEqual({ tariff: 'free', vat: 'x' });
    await untilRenamed(a, app);
    expect(await dataOf(app)).toEqual({ tariff: 'free', vat: 'x' });
  });
});

describe('The titles of pages (spec 4.5.1)', () => {
  it('are settings of the form, in the language of the visitor', async () => {
    const app = await build();
    const path = `/auth/apps/${app}/form`;
    const pages = [
      { page: 3, title: 'Third' },
      { page: 2, title: 'Your company', titles: { de: 'Ihre Firma' } },
    ];
    const { body } = await a.admin.put(path, { pages, languages: ['de'] }).expect(200);
    expect(body.pages).toEqual([pages[1], pages[0]]);
    expect((await b.admin.get(path).expect(200)).body.pages).toEqual(body.pages);
    const titles = async (lang: string) => (await b.client.get(`/v1/forms/${app}?lang=${lang}`).expect(200)).body.pages;
    expect(await titles('en')).toEqual([
      { page: 2, title: 'Your company' },
      { page: 3, title: 'Third' },
    ]);
    expect(await titles('de')).toMatchObject([{ title: 'Ihre Firma' }, { title: 'Third' }]);
    // What was read can be stored again; an empty list unsets it.
    await a.admin.put(path, body).expect(200);
    expect((await a.admin.put(path, { pages: [] }).expect(200)).body).not.toHaveProperty('pages');
  });

  it.each([
    [
      'pages.1.page',
      'pageTwice',
      [
        { page: 1, title: 'a' },
        { page: 1, title: 'b' },
      ],
    ],
    ['pages.0.page', 'notWholeBetween', [{ page: 1.5, title: 'a' }]],
    ['pages.0.page', 'notWholeBetween', [{ page: 21, title: 'a' }]],
    ['pages.0.title', 'notText', [{ page: 1, title: '' }]],
    ['pages.0.title', 'tooLong', [{ page: 1, title: 'a'.repeat(201) }]],
    ['pages.0.titles', 'notLanguageNames', [{ page: 1, title: 'a', titles: { de_DE: 'b' } }]],
  ])('are refused at %s: %s', async (path, code, pages) => {
    const app = await build();
    expect(codes(await a.admin.put(`/auth/apps/${app}/form`, { pages }).expect(400))).toEqual({ [path]: code });
  });
});

describe('A submission to a schema with conditions', () => {
  it.each([
    [{ plan: 'free' }, {}],
    [{}, {}],
    [{ plan: 'free', seats: 3 }, { 'data.seats': 'notShown' }],
    [{ seats: 3 }, { 'data.seats': 'notShown' }],
    // Its value does not matter.
    [{ plan: 'free', seats: null }, { 'data.seats': 'notShown' }],
    [{ plan: 'pro' }, { 'data.seats': 'required' }],
    [{ plan: 'pro', seats: 5 }, {}],
    [{ plan: 'pro', seats: 6 }, { 'data.vat': 'required' }],
    [{ plan: 'pro', seats: 6, vat: '' }, { 'data.vat': 'empty' }],
    [{ plan: 'pro', seats: 6, vat: 'x' }, {}],
    [{ plan: 'free', vat: '' }, {}],
    // The seats are not shown, so they do not make the number necessary.
    [{ plan: 'free', seats: 6 }, { 'data.seats': 'notShown' }],
    [
      { plan: 'other', seats: 6 },
      { 'data.plan': 'notChoice', 'data.seats': 'notShown' },
    ],
  ])('as JSON: %j', async (data, problems) => {
    const app = await build();
    for (const server of [a, b]) {
      const sent = [
        submit(app, data, server),
        server.client.post(`/v1/forms/${app}`, { email: EMAIL, data }).set('Accept', 'application/json'),
      ];
      for (const answer of await Promise.all(sent)) {
        expect(answer.status === 200 ? {} : codes(answer)).toEqual(problems);
      }
    }
  });

  it('never counts what is stored', async () => {
    const app = await build();
    await submit(app, { plan: 'pro', seats: 3 }).expect(200);
    expect(codes(await submit(app, { seats: 4 }).expect(400))).toEqual({ 'data.seats': 'notShown' });
    await submit(app, { vat: 'x' }).expect(200);
    expect(await dataOf(app)).toEqual({ plan: 'pro', vat: 'x' });
  });

  it.each([false, true])(
    'as a form: values that are not shown are dropped (rejectUnknown: %s)',
    async (rejectUnknown) => {
      const app = await build(FIELDS, rejectUnknown);
      await send(app, [
        ['plan', 'free'],
        ['seats', '9'],
        ['vat', ''],
      ]).expect(200);
      expect(await dataOf(app)).toEqual({ plan: 'free' });
      // Also a text that is no value of the kind, under any name.
      for (const name of ['seats', 'data[seats]', 'data.seats', 'seats[]']) {
        await send(
          app,
          [
            ['plan', 'free'],
            [name, 'nine'],
          ],
          b,
        ).expect(200);
      }
      expect(await dataOf(app)).toEqual({ plan: 'free' });
      expect(
        codes(
          await send(app, [
            ['plan', 'pro'],
            ['seats', 'nine'],
          ]).expect(400),
        ),
      ).toEqual({ 'data.seats': 'notNumber' });
      expect(
        codes(
          await send(app, [
            ['plan', 'pro'],
            ['seats', ''],
          ]).expect(400),
        ),
      ).toEqual({ 'data.seats': 'required' });
      expect(
        codes(
          await send(app, [
            ['plan', 'pro'],
            ['seats', '6'],
          ]).expect(400),
        ),
      ).toEqual({ 'data.vat': 'required' });
      await send(app, [
        ['plan', 'pro'],
        ['seats', '6'],
        ['vat', 'x'],
      ]).expect(200);
      expect(await dataOf(app)).toEqual({ plan: 'pro', seats: 6, vat: 'x' });
    },
  );

  it('clears the dependants of a choice that is cleared', async () => {
    const app = await build();
    await send(app, [
      ['plan', 'pro'],
      ['seats', '3'],
      ['vat', 'x'],
    ]).expect(200);
    await send(
      app,
      [
        ['plan', ''],
        ['seats', '3'],
        ['vat', 'x'],
      ],
      b,
    ).expect(200);
    // An empty entry is absent, and an absent field keeps its stored value.
    expect(await dataOf(app)).toEqual({ plan: 'pro', vat: 'x' });
  });

  it('reads `true` and `false` of one checkbox as the last', async () => {
    const news: FieldDefinitionInput[] = [
      { key: 'news', kind: 'checkbox' },
      { key: 'topic', kind: 'text', required: true, showIf: { all: [{ field: 'news', op: 'eq', value: true }] } },
    ];
    const app = await build(news);
    await send(app, [
      ['news', 'true'],
      ['news', 'false'],
      ['topic', 'x'],
    ]).expect(200);
    expect(await dataOf(app)).toEqual({ news: false });
    expect(
      codes(
        await send(app, [
          ['news', 'false'],
          ['news', 'true'],
        ]).expect(400),
      ),
    ).toEqual({ 'data.topic': 'required' });
    await send(app, [
      ['news', 'false'],
      ['news', 'true'],
      ['topic', 'x'],
    ]).expect(200);
    expect(await dataOf(app)).toEqual({ news: true, topic: 'x' });
  });

  it('with a required checkbox and a required list that are not shown is complete', async () => {
    const app = await build([
      PLAN,
      { key: 'terms', kind: 'checkbox', required: true, showIf: PRO },
      { key: 'tags', kind: 'multiselect', enum: ['x'], required: true, showIf: PRO },
      { key: 'notes', kind: 'array', required: true, showIf: PRO },
    ]);
    await submit(app, { plan: 'free' }).expect(200);
    expect(codes(await submit(app, { plan: 'pro' }).expect(400))).toEqual({
      'data.terms': 'required',
      'data.tags': 'required',
      'data.notes': 'required',
    });
    expect(codes(await submit(app, { plan: 'pro', terms: false, tags: [], notes: [] }).expect(400))).toEqual({
      'data.terms': 'mustBeTrue',
      'data.tags': 'tooFewChoices',
    });
    await submit(app, { plan: 'pro', terms: true, tags: ['x'], notes: [] }).expect(200);
  });

  it('shows what the table of conditions says', { tags: 'long' }, async () => {
    const isStorable = (fields: FieldDefinitionInput[]) =>
      fields.every(({ showIf }, at) =>
        [...(showIf?.all ?? []), ...(showIf?.any ?? [])].every(({ field }) =>
          fields.slice(0, at).some(({ key }) => key === field),
        ),
      );
    // Each is an app. The unit test has them all.
    const some = conditionVectors.filter(({ fields }, index) => isStorable(fields) && (index % 3 === 0 || index > 110));
    for (const { name, fields, data, form, shown, required = [] } of some) {
      const app = await build(fields);
      if (data) {
        const answer = await submit(app, data, b);
        const hidden = Object.keys(data).filter((key) => !shown.includes(key));
        const missing = required.filter((key) => !Object.hasOwn(data, key));
        const problems = [
          ...missing.map((key) => [`data.${key}`, 'required']),
          ...hidden.map((key) => [`data.${key}`, 'notShown']),
        ];
        expect([name, answer.status === 200 ? {} : codes(answer)]).toEqual([name, Object.fromEntries(problems)]);
      }
      if (form) {
        const texts = Object.entries(form).flatMap(([key, values]) => values.map((text) => [key, text] as const));
        const complete = [...texts, ...required.filter((key) => !form[key]).map((key) => [key, '1'] as const)];
        // Each field is sent, and stored if it is shown.
        const sent = [
          ...complete,
          ...fields.filter(({ key }) => !form[key] && key === 'x').map(({ key }) => [key, 'y'] as const),
        ];
        const answer = await send(app, sent);
        if (answer.status === 400) expect([name, Object.values(codes(answer))]).toEqual([name, ['notNumber']]);
        else expect([name, Object.hasOwn((await dataOf(app)) ?? {}, 'x')]).toEqual([name, shown.includes('x')]);
      }
    }
  });

  it('compares as the conditions of a query do', { tags: 'long' }, async () => {
    type Vector = (typeof conditionVectors)[number];
    const conditionOf = ({ fields: [, second] }: Vector) => second?.showIf?.all?.[0];
    const single = conditionVectors.filter((vector) => {
      const { fields, data } = vector;
      return data && fields.length === 2 && fields[0]?.key === 'a' && conditionOf(vector)?.field === 'a';
    });
    for (const kind of new Set(single.map(({ fields }) => fields[0]?.kind))) {
      const vectors = single.filter(({ fields }) => fields[0]?.kind === kind);
      const app = await build((vectors[0] as Vector).fields.slice(0, 1));
      for (const [index, vector] of vectors.entries()) {
        const email = `v${index}@example.com`;
        await a.client.submit(app, { email, data: vector.data }).expect(200);
        const { op, value = true } = conditionOf(vector) ?? {};
        const where = [`email:eq:${email}`, `data.a:${op}:${[value].flat().join(',')}`];
        const query = where.map((one) => `where=${encodeURIComponent(one)}`).join('&');
        const { body } = await b.admin.get(`/auth/users?sourceAppId=${app}&${query}`).expect(200);
        expect([vector.name, body.users.length === 1]).toEqual([vector.name, vector.shown.includes('x')]);
      }
    }
    expect(single.length).toBeGreaterThan(80);
  });

  it('is refused with a text that takes the conditions too much work', async () => {
    const many = Array.from(
      { length: 20 },
      (_, index) => ({ field: 'text', op: 'contains', value: `a${index}b` }) as const,
    );
    const app = await build([
      { key: 'text', kind: 'text' },
      ...Array.from(
        { length: 10 },
        (_, index): FieldDefinitionInput => ({ key: `f${index}`, kind: 'text', showIf: { any: many } }),
      ),
    ]);
    await submit(app, { text: 'a'.repeat(10_000) }).expect(200);
    expect(codes(await submit(app, { text: 'a'.repeat(90_000) }).expect(400))).toEqual({
      'data.text': 'tooLongForPattern',
    });
  });

  it('answers the visitor in the language of the form', async () => {
    const app = await build();
    await a.admin.put(`/auth/apps/${app}/form`, { locale: 'de' }).expect(200);
    const { text } = await sendForm(a.client, app, [
      ['email', EMAIL],
      ['plan', 'pro'],
    ]).expect(400);
    expect(text).toContain('seats');
    const { body } = await a.client
      .post(`/v1/forms/${app}`, { email: EMAIL, data: { seats: 1 } })
      .set('Accept', 'application/json')
      .expect(400);
    expect(body.errors).toMatchObject([
      { path: 'data.seats', code: 'notShown', message: 'Gehört nicht zu diesen Antworten' },
    ]);
  });

  it('is held with what came, and released by the newest schema without what it does not show', async () => {
    const app = await build([PLAN, { key: 'seats', kind: 'number' }]);
    await send(app, [
      ['plan', 'free'],
      ['seats', '9'],
      ['_gotcha', 'x'],
    ]).expect(200);
    await a.admin.putSchema(app, { fields: FIELDS }).expect(200);
    const { body } = await a.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
    expect(body.held).toMatchObject([{ data: { plan: 'free', seats: 9 } }]);
    await b.admin.post(`/auth/held/${body.held[0].id}/release?sourceAppId=${app}`).expect(200);
    expect(await dataOf(app)).toEqual({ plan: 'free' });
  });
});

describe('What a submission removes', () => {
  it('are the stored values of fields that it does not show, whatever its own values', async () => {
    const app = await build([...FIELDS, { key: 'tags', kind: 'multiselect', enum: ['x', 'y'], showIf: PRO }]);
    const full = { plan: 'pro', seats: 3, vat: 'x', tags: ['x', 'y'] };
    for (const data of [{ plan: 'free' }, {}, { vat: 'y' }]) {
      await submit(app, full).expect(200);
      expect(await dataOf(app)).toEqual(full);
      await submit(app, data, b).expect(200);
      expect(await dataOf(app)).toEqual({ plan: 'pro', vat: 'x', ...data });
      expect((await recordsOf(a, app))[0]?.arraySizes).toEqual({});
    }
  });

  it('are not the values of arrays, and not with `keepHidden`', async () => {
    const app = await build([
      PLAN,
      { key: 'kept', kind: 'text', showIf: PRO, keepHidden: true },
      { key: 'notes', kind: 'array', showIf: PRO },
      { key: 'gone', kind: 'text', showIf: PRO, keepHidden: false },
      { key: 'maybe', kind: 'text', requiredIf: PRO },
    ]);
    await submit(app, { plan: 'pro', kept: 'k', notes: ['n'], gone: 'g', maybe: 'm' }).expect(200);
    await submit(app, { plan: 'free' }, b).expect(200);
    expect(await dataOf(app)).toEqual({
      plan: 'free',
      kept: 'k',
      notes: [{ value: 'n', timestamp: expect.any(String) }],
      maybe: 'm',
    });
  });

  it.each([{}, { plan: 'free' }])('is nothing of a record that it creates: %j', async (data) => {
    const app = await build();
    // Several: the first writes of a server are inserts, and of a busy one upserts.
    const people = Array.from({ length: 12 }, (_, index) => `p${index}@example.com`);
    const answers = await Promise.all(
      people.flatMap((email) => [a, b, a].map(({ client }) => client.submit(app, { email, data }))),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const records = await recordsOf(a, app);
    expect(records.map((record) => record.data)).toEqual(people.map(() => data));
  });

  it('creates the record of an erased person again, also for a server that remembers it', async () => {
    const app = await build();
    for (const server of [a, b]) {
      const { body } = await submit(app, {}, server).expect(200);
      await a.admin.delete(`/auth/users/${body.id}?sourceAppId=${app}`).expect(200);
      const again = await submit(app, {}, server).expect(200);
      expect(again.body.id).not.toBe(body.id);
      expect(await dataOf(app)).toEqual({});
      await a.admin.delete(`/auth/users/${again.body.id}?sourceAppId=${app}`).expect(200);
    }
  });

  it('is told by the history and by events; kept submissions stay as they came', async () => {
    const app = await build();
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    const { body } = await submit(app, { plan: 'pro', seats: 3 }).expect(200);
    await submit(app, { plan: 'free' }, b).expect(200);
    const { entries } = (await a.admin.get(`/auth/users/${body.id}/history?sourceAppId=${app}`).expect(200)).body;
    expect(entries.map(({ changes }: { changes: object }) => changes)).toEqual([
      [
        { path: 'data.plan', after: 'free' },
        { path: 'data.seats', before: 3 },
      ],
      [
        { path: 'data.plan', after: 'pro' },
        { path: 'data.seats', after: 3 },
      ],
    ]);
    const kept = async () => {
      const { submissions } = (await a.admin.get(`/auth/submissions?sourceAppId=${app}`).expect(200)).body;
      return submissions.map(({ data }: { data: object }) => data);
    };
    await expect.poll(kept, { timeout: 10_000 }).toEqual([{ plan: 'free' }, { plan: 'pro', seats: 3 }]);
    // The entry of a submission cannot be undone.
    const path = `/auth/users/${body.id}/revert?sourceAppId=${app}`;
    await a.admin.post(path, { revision: entries[0].revision }).expect(409);
  });

  it('is in the history also of a record that had none, and nothing where nothing was stored', async () => {
    const app = await build([...FIELDS, { key: 'tags', kind: 'multiselect', enum: ['x', 'y'], showIf: PRO }]);
    const { body } = await submit(app, { plan: 'pro', seats: 3, tags: ['y', 'x'] }).expect(200);
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    for (const server of [b, a]) {
      await submit(app, { plan: 'free' }, server).set('Idempotency-Key', 'hides').expect(200);
    }
    await submit(app, {}).expect(200);
    expect(await dataOf(app)).toEqual({ plan: 'free' });
    const { entries } = (await a.admin.get(`/auth/users/${body.id}/history?sourceAppId=${app}`).expect(200)).body;
    expect(entries.map(({ changes }: { changes: object }) => changes)).toEqual([
      [{ path: 'data.seats' }, { path: 'data.tags' }],
      [
        { path: 'data.plan', after: 'free' },
        { path: 'data.seats', before: 3 },
        { path: 'data.tags', before: ['x', 'y'] },
      ],
    ]);
  });

  it('is in no index and found by no search', { tags: 'long' }, async () => {
    const app = await build([
      PLAN,
      { ...SEATS, indexed: true },
      { key: 'city', kind: 'text', indexed: true, showIf: PRO },
    ]);
    await untilReady(a, app, ['seats', 'city']);
    await a.admin.put(`/auth/apps/${app}/search`, { enabled: true }).expect(200);
    const found = async (query: string) =>
      (await a.admin.get(`/auth/users?sourceAppId=${app}&${query}&total=exact`).expect(200)).body.total;
    await submit(app, { plan: 'pro', seats: 3, city: 'Ankara' }).expect(200);
    expect(await Promise.all(['where=data.seats:eq:3', 'where=data.city:eq:Ankara', 'q=ankara'].map(found))).toEqual([
      1, 1, 1,
    ]);
    await submit(app, { plan: 'free' }, b).expect(200);
    expect(await expectSlotsOfRecords(a, app)).toBe(1);
    expect(await Promise.all(['where=data.seats:eq:3', 'where=data.city:eq:Ankara', 'q=ankara'].map(found))).toEqual([
      0, 0, 0,
    ]);
    expect(await found('where=data.city:exists:false')).toBe(1);
  });

  it('makes room in a record at its size limit', async () => {
    const small = await startServer({ RECORD_LIMIT: '256kb', BODY_LIMIT: '400kb' }, a.database);
    try {
      const app = await build([PLAN, { key: 'old', kind: 'text', showIf: PRO }, { key: 'next', kind: 'text' }]);
      await submit(app, { plan: 'pro', old: 'x'.repeat(200_000) }, small).expect(200);
      await submit(app, { plan: 'pro', next: 'x'.repeat(200_000) }, small).expect(413);
      await submit(app, { plan: 'free', next: 'x'.repeat(200_000) }, small).expect(200);
      expect(Object.keys((await dataOf(app)) ?? {})).toEqual(['plan', 'next']);
    } finally {
      await small.close();
    }
  });
});

describe('Operators and programs', () => {
  it('edit and undo without conditions', async () => {
    const app = await build([...FIELDS, { key: 'terms', kind: 'checkbox', required: true, showIf: PRO }]);
    const { body } = await submit(app, { plan: 'free' }).expect(200);
    const path = `/auth/users/${body.id}?sourceAppId=${app}`;
    const { body: edited } = await a.admin.patch(path, { set: { seats: 7, terms: false, vat: '' } }).expect(200);
    expect(edited.data).toEqual({ plan: 'free', seats: 7, terms: false, vat: '' });
    await a.admin.patch(path, { unset: ['seats'] }).expect(200);
    const { entries } = (await a.admin.get(`/auth/users/${body.id}/history?sourceAppId=${app}`).expect(200)).body;
    await a.admin
      .post(`/auth/users/${body.id}/revert?sourceAppId=${app}`, { revision: entries[0].revision })
      .expect(200);
    expect(await dataOf(app)).toMatchObject({ plan: 'free', seats: 7 });
    expect(codes(await a.admin.patch(path, { set: { seats: 'x' } }).expect(400))).toEqual({
      'data.seats': 'notNumber',
    });
  });

  it('change many, and undo that, without conditions', async () => {
    const app = await build([...FIELDS, { key: 'terms', kind: 'checkbox', required: true, showIf: PRO }]);
    for (const email of ['one@x.org', 'two@x.org']) {
      await a.client.submit(app, { email, data: { plan: 'free' } }).expect(200);
    }
    const id = await beginChange(a.admin, app, 2, { set: { seats: 7, terms: false } });
    expect(await untilChange(a.admin, app, id)).toMatchObject({ changed: 2, refused: 0 });
    const data = async () => (await recordsOf(a, app)).map((record) => record.data);
    expect(await data()).toEqual(Array(2).fill({ plan: 'free', seats: 7, terms: false }));
    await a.admin.post(`/auth/changes/${id}/undo?sourceAppId=${app}`).expect(200);
    const undone = await untilChange(a.admin, app, id, ({ state }) => state === 'undone');
    expect(undone.undo).toMatchObject({ changed: 2, refused: 0 });
    expect(await data()).toEqual(Array(2).fill({ plan: 'free' }));
  });

  it('import lines in which no field with a condition is required', async () => {
    const app = await build([...FIELDS, { key: 'name', kind: 'text', required: true }]);
    const operator = a.admin;
    const lines = [
      { email: 'one@x.org', data: { name: 'One', plan: 'free', seats: 4 } },
      { email: 'two@x.org', data: { name: 'Two', plan: 'pro' } },
      { email: 'three@x.org', data: { name: 'Three', plan: 'pro', seats: 6, vat: '' } },
      { email: 'four@x.org', data: { plan: 'pro' } },
    ];
    const content = lines.map((line) => JSON.stringify(line)).join('\n');
    const result = await runImport(operator, app, content, { format: 'ndjson', mode: 'upsert' });
    expect(result).toMatchObject({ created: 3, rejected: 1, errors: [{ line: 4 }] });
    const records = await recordsOf(a, app);
    expect(records.map(({ data }) => data)).toEqual(lines.slice(0, 3).map(({ data }) => data));
  });

  it('learn how many stored records a schema with conditions would refuse', async () => {
    const app = await build([PLAN, { key: 'seats', kind: 'number' }]);
    for (const [index, data] of [{ plan: 'free', seats: 1 }, { plan: 'pro' }, { plan: 'pro', seats: 1 }].entries()) {
      await a.client.submit(app, { email: `p${index}@x.org`, data }).expect(200);
    }
    const { body } = await a.admin
      .post(`/auth/apps/${app}/schema/check`, { rejectUnknown: false, fields: FIELDS })
      .expect(200);
    expect(body).toMatchObject({
      checked: 3,
      failing: 1,
      newlyFailing: 1,
      examples: [{ email: 'p1@x.org', path: 'data.seats' }],
    });
  });

  it('have the rules in the JSON Schema, which all that the service accepts follows', async () => {
    const app = await build();
    const { body } = await a.client.get('/v1/schema?format=json-schema').set('x-app-id', app).expect(200);
    expect(body.required).toEqual([]);
    expect(body.properties.seats.$comment).toBe(`Only if ${JSON.stringify(PRO)}`);
    expect(body.properties.vat).toMatchObject({
      type: 'string',
      $comment: `Required if ${JSON.stringify(VAT.requiredIf)}`,
    });
    expect(body.properties.vat).not.toHaveProperty('minLength');
  });
});
