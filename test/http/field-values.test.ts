import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/fields/definition.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Values are given as JSON text, so that what JSON can say and JavaScript cannot (1e400) is sent too. */
interface Row {
  title: string;
  field: FieldDefinitionInput;
  taken: string[];
  refused: string[];
}

const rows: Row[] = [
  {
    title: 'spec 2.3, text',
    field: { key: 'field', kind: 'text', minLength: 2, maxLength: 3 },
    taken: ['"ab"', '"abc"', '"😀😀"', '"😀😀😀"', '"  "'],
    refused: ['"a"', '"abcd"', '"😀"', '7', 'null', '["ab"]', '{"length":2}'],
  },
  {
    title: 'spec 2.3, text regex: found anywhere, in Unicode',
    field: { key: 'field', kind: 'text', regex: '\\p{L}{2}' },
    taken: ['"12äö34"', '"ab"'],
    refused: ['"a1b"', '""'],
  },
  {
    title: 'spec 2.3, text regex: anchored',
    field: { key: 'field', kind: 'text', regex: '^[a-z]+$' },
    taken: ['"abc"'],
    refused: ['"abc1"', '" abc"', '"abc\\n"'],
  },
  {
    title: 'spec 2.3, checkbox',
    field: { key: 'field', kind: 'checkbox' },
    taken: ['true', 'false'],
    refused: ['"true"', '1', '0', 'null'],
  },
  {
    title: 'spec 2.3, `required`: checkbox',
    field: { key: 'field', kind: 'checkbox', required: true },
    taken: ['true'],
    refused: ['false', '"on"'],
  },
  {
    title: 'spec 2.3, `required`: text is non-empty',
    field: { key: 'field', kind: 'text', required: true },
    taken: ['"a"', '" "'],
    refused: ['""', 'null'],
  },
  {
    title: 'spec 2.3, `required`: array may be empty',
    field: { key: 'field', kind: 'array', required: true },
    taken: ['[]', '[1]'],
    refused: ['null', '{}', '"[]"'],
  },
  {
    title: 'spec 2.3, select',
    field: { key: 'field', kind: 'select', enum: ['free', 'pro'] },
    taken: ['"free"', '"pro"'],
    refused: ['"Free"', '""', '["free"]', '0', '"toString"'],
  },
  {
    title: 'spec 2.3, number: finite',
    field: { key: 'field', kind: 'number' },
    taken: ['0', '-1.5', '1e308', '-0'],
    refused: ['1e400', '-1e400', '"1"', 'true', 'null', '[1]'],
  },
  {
    title: 'spec 2.3, number: bounds, both inclusive',
    field: { key: 'field', kind: 'number', min: 0, max: 10 },
    taken: ['0', '10', '9.99'],
    refused: ['-0.01', '10.01'],
  },
  {
    title: 'spec 2.3, date',
    field: { key: 'field', kind: 'date' },
    taken: [
      '"2024-02-29"',
      '"2026-01-31T08:30:00Z"',
      '"2026-01-31T23:59:59.123+05:30"',
      '"2026-01-31T00:00:00-00:00"',
      '"2000-02-29"',
    ],
    refused: [
      '"2023-02-29"',
      '"1900-02-29"',
      '"2026-04-31"',
      '"2026-13-01"',
      '"2026-00-10"',
      '"2026-01-31T24:00:00Z"',
      '"2026-01-31T08:30:00"',
      '"2026-01-31T08:60:00Z"',
      '"2026-01-31T08:30:00+24:00"',
      '"2026-1-31"',
      '"31.01.2026"',
      '"2026-01-31\\n"',
      '1767225600',
      'null',
    ],
  },
];

describe.each(rows)('$title', ({ field, taken, refused }) => {
  it('takes what conforms, and refuses the rest with 400 and nothing stored', async () => {
    const { sourceAppId } = await server.admin.buildApp({
      fields: [field],
    });
    const submit = (email: string, value: string) =>
      server.client
        .submit(sourceAppId, `{"email":"${email}","data":{"field":${value}}}`)
        .set('Content-Type', 'application/json');

    for (const value of refused) {
      const { status, body } = await submit('refused@x.org', value);
      expect.soft({ value, status }).toEqual({ value, status: 400 });
      // A number that no computer number can hold is refused where the body is read, before there are places to name.
      if (body.errors) expect.soft(body.errors).toMatchObject([{ path: 'data.field' }]);
    }
    for (const [index, value] of taken.entries()) {
      const { status } = await submit(`taken${index}@x.org`, value);
      expect.soft({ value, status }).toEqual({ value, status: 200 });
    }
    const emails = await server.db.collection('users').distinct('email', { sourceAppId });
    expect(emails.sort()).toEqual(taken.map((_, index) => `taken${index}@x.org`).sort());
  });
});

describe('spec 2.3, `required`', () => {
  const kinds: FieldDefinitionInput[] = [
    { key: 'text', kind: 'text' },
    { key: 'checkbox', kind: 'checkbox' },
    { key: 'select', kind: 'select', enum: ['a'] },
    { key: 'number', kind: 'number' },
    { key: 'date', kind: 'date' },
    { key: 'array', kind: 'array' },
  ];

  it('present: 400 names each required field that is absent', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: kinds.map((kind) => ({ ...kind, required: true })) });
    const { body } = await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(400);
    expect(body.errors).toEqual(kinds.map(({ key }) => ({ path: `data.${key}`, message: 'is required' })));
  });

  it('not required: each may be absent', async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: kinds });
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: {} }).expect(200);
  });

  it('holds for an update as for a first submission', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text', required: true }] });
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: {} }).expect(400);
  });
});

it.each([
  [2_000, 'does not match the required pattern'],
  [90_000, 'is too long to be checked against the pattern'],
])('spec 2.3, text regex: no pattern and no text can hold the process (%i characters)', async (length, message) => {
  const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'field', kind: 'text', regex: '^(a+)+$' }] });
  const data = { field: `${'a'.repeat(length)}!` };
  const [refused, health] = await Promise.all([
    server.client.submit(sourceAppId, { email: 'a@x.org', data }),
    server.client.get('/health'),
  ]);
  // A backtracking engine would never answer, neither this nor anything else.
  expect([refused.status, health.status]).toEqual([400, 200]);
  expect(refused.body.errors).toEqual([{ path: 'data.field', message }]);
});
