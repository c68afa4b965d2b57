import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const getPublic = (sourceAppId: string) => server.client.get('/v1/schema').set('x-app-id', sourceAppId);
const common = { help: 'In <b>bold</b>\n“quotes”', hidden: false, prefill: true };

const FIELDS: FieldDefinitionInput[] = [
  {
    key: 'note',
    label: 'Note',
    kind: 'text',
    required: false,
    ...common,
    placeholder: 'Say hello',
    ui: 'textarea',
    default: 'Hi',
    autocomplete: 'section-a street-address',
    source: 'utm_campaign',
  },
  {
    key: 'price',
    label: 'Price',
    kind: 'select',
    required: false,
    enum: ['$5', 'v1.0', '', 'a', '__x'],
    ...common,
    ui: 'radio',
    enumLabels: { a: 'A', $5: 'Five dollars', 'v1.0': 'One', '': 'None' },
    default: '$5',
  },
  { key: 'age', label: 'Age', kind: 'number', required: false, min: 1, ...common, placeholder: '18', default: 1.5 },
  { key: 'born', label: 'Born', kind: 'date', required: false, ...common, autocomplete: 'bday', default: '2026-01-31' },
  {
    key: 'terms',
    label: 'Terms',
    kind: 'checkbox',
    required: true,
    ...common,
    default: true,
    consent: { version: '2026-01', url: 'https://example.com/terms?a=1&b=2' },
  },
  { key: 'tags', label: 'Tags', kind: 'array', required: false, ...common, placeholder: 'Tag' },
];

describe('the form options of a field (spec 2.6)', () => {
  it('are stored, answered and kept with their version', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin.putSchema(sourceAppId, { fields: FIELDS }).expect(200);
    expect(body).toEqual({ version: 2, rejectUnknown: false, fields: FIELDS });
    expect((await getPublic(sourceAppId).expect(200)).body).toEqual(body);
    await server.admin.putSchema(sourceAppId, { fields: [] }).expect(200);
    const earlier = await server.admin.get(`/auth/apps/${sourceAppId}/schema?version=2`).expect(200);
    expect(earlier.body).toEqual(body);
  });

  it('change the ETag of the schema', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'a', kind: 'text' }] });
    const before = (await getPublic(sourceAppId).expect(200)).headers.etag;
    await server.admin.putSchema(sourceAppId, { fields: [{ key: 'a', kind: 'text', help: 'Why' }] }).expect(200);
    expect((await getPublic(sourceAppId).expect(200)).headers.etag).not.toBe(before);
  });

  it('leave the bytes and the ETag of a schema as they are that has none', async () => {
    const json =
      '{"version":2,"rejectUnknown":true,"fields":[' +
      '{"key":"name","label":"Name","kind":"text","required":true,"minLength":1,"maxLength":9,"regex":"a"},' +
      '{"key":"ok","label":"OK","kind":"checkbox","required":false},' +
      '{"key":"plan","label":"Plan","kind":"select","required":false,"enum":["free","pro"]},' +
      '{"key":"age","label":"Age","kind":"number","required":false,"min":0,"max":150.5},' +
      '{"key":"born","label":"Born","kind":"date","required":false},' +
      '{"key":"list","label":"List","kind":"array","required":false}]}';
    const { rejectUnknown, fields } = JSON.parse(json);
    const { sourceAppId } = await server.admin.buildApp();
    expect((await server.admin.putSchema(sourceAppId, { rejectUnknown, fields }).expect(200)).text).toBe(json);
    const answer = await getPublic(sourceAppId).expect(200);
    expect(answer.text).toBe(json);
    expect(answer.headers.etag).toBe(`"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`);
  });

  it('do not change which data is accepted', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: FIELDS });
    const submit = (data: object) => server.client.submit(sourceAppId, { email: 'ada@example.com', data });
    await submit({ terms: true, price: '' }).expect(200);
    const { body } = await submit({ note: 1, age: '2', price: 'Five dollars', born: '2026-01-31T08:30' }).expect(400);
    expect(body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)).toEqual([
      'data.terms is required',
      'data.note must be a string',
      'data.age must be a number',
      'data.price must be one of the allowed values',
      expect.stringMatching(/^data\.born must be a date like/),
    ]);
  });

  it.each<[path: string, field: object]>([
    ['fields.0.help', { kind: 'text', help: 'x'.repeat(501) }],
    ['fields.0.help', { kind: 'array', help: null }],
    ['fields.0.placeholder', { kind: 'text', placeholder: 'x'.repeat(201) }],
    ['fields.0.placeholder', { kind: 'checkbox', placeholder: 'x' }],
    ['fields.0.placeholder', { kind: 'date', placeholder: 'x' }],
    ['fields.0.ui', { kind: 'text', ui: 'radio' }],
    ['fields.0.ui', { kind: 'select', enum: ['a'], ui: 'textarea' }],
    ['fields.0.ui', { kind: 'number', ui: 'tel' }],
    ['fields.0.ui', { kind: 'number', ui: 'stars', min: 1 }],
    ['fields.0.ui', { kind: 'number', ui: 'scale', min: 0, max: 11 }],
    ['fields.0.ends', { kind: 'number', min: 1, max: 5, ends: { min: 'Bad' } }],
    ['fields.0.ends.min', { kind: 'number', ui: 'stars', min: 1, max: 5, ends: { min: 'x'.repeat(101) } }],
    ['fields.0.default', { kind: 'text', ui: 'time', default: '8:30' }],
    ['fields.0.enumLabels', { kind: 'text', enumLabels: {} }],
    ['fields.0.enumLabels', { kind: 'select', enum: ['a'], enumLabels: { b: 'B' } }],
    ['fields.0.enumLabels', { kind: 'select', enum: ['_bsontype'], enumLabels: { _bsontype: 'B' } }],
    ['fields.0.enumLabels', { kind: 'select', enum: ['$ref', '$id'], enumLabels: { $ref: 'a', $id: 'b' } }],
    ['fields.0.enumLabels.a', { kind: 'select', enum: ['a'], enumLabels: { a: 1 } }],
    ['fields.0.default', { kind: 'array', default: [] }],
    ['fields.0.default', { kind: 'number', default: '1' }],
    ['fields.0.default', { kind: 'number', max: 1, default: 2 }],
    ['fields.0.default', { kind: 'text', regex: '^a', default: 'b' }],
    ['fields.0.default', { kind: 'select', enum: ['a'], default: 'b' }],
    ['fields.0.default', { kind: 'date', default: '2026-02-30' }],
    ['fields.0.default', { kind: 'checkbox', required: true, default: false }],
    ['fields.0.hidden', { kind: 'text', hidden: 'true' }],
    ['fields.0.prefill', { kind: 'text', prefill: 1 }],
    ['fields.0.source', { kind: 'text', source: 'cookie' }],
    ['fields.0.source', { kind: 'number', source: 'page' }],
    ['fields.0.autocomplete', { kind: 'text', autocomplete: 'on"' }],
    ['fields.0.autocomplete', { kind: 'checkbox', autocomplete: 'off' }],
    ['fields.0.consent', { kind: 'text', consent: { version: '1' } }],
    ['fields.0.consent.version', { kind: 'checkbox', consent: {} }],
    ['fields.0.consent.url', { kind: 'checkbox', consent: { version: '1', url: 'http://example.com' } }],
    ['fields.0.consent.url', { kind: 'checkbox', consent: { version: '1', url: 'javascript:alert(1)' } }],
    ['fields.0.consent.text', { kind: 'checkbox', consent: { version: '1', text: 'x' } }],
  ])('are refused at %s: %j', async (path, field) => {
    const sent = { rejectUnknown: false, fields: [{ key: 'a', ...field }] };
    const { body } = await server.admin.put('/auth/apps/admin/schema', sent).expect(400);
    expect(body).toEqual({
      message: 'Invalid schema',
      code: 'invalidSchema',
      errors: [expect.objectContaining({ path, message: expect.any(String), code: expect.any(String) })],
    });
    expect((await getPublic('admin').expect(200)).body.version).toBe(1);
  });
});
