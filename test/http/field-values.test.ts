import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

/** Values are JSON text, because JSON can express numbers that JavaScript cannot (1e400). */
interface Row {
  title: string;
  field: FieldDefinitionInput;
  accepted: string[];
  refused: string[];
}

const rows: Row[] = [
  {
    title: 'spec 2.3, text',
    field: { key: 'field', kind: 'text', minLength: 2, maxLength: 3 },
    accepted: ['"ab"', '"abc"', '"😀😀"', '"😀😀😀"', '"  "'],
    refused: ['"a"', '"abcd"', '"😀"', '7', 'null', '["ab"]', '{"length":2}'],
  },
  {
    title: 'spec 2.3, text regex: matches anywhere, with Unicode',
    field: { key: 'field', kind: 'text', regex: '\\p{L}{2}' },
    accepted: ['"12äö34"', '"ab"'],
    refused: ['"a1b"', '""'],
  },
  {
    title: 'spec 2.3, text regex: anchored',
    field: { key: 'field', kind: 'text', regex: '^[a-z]+$' },
    accepted: ['"abc"'],
    refused: ['"abc1"', '" abc"', '"abc\\n"'],
  },
  {
    title: 'spec 2.3, checkbox',
    field: { key: 'field', kind: 'checkbox' },
    accepted: ['true', 'false'],
    refused: ['"true"', '1', '0', 'null'],
  },
  {
    title: 'spec 2.3, `required`: checkbox',
    field: { key: 'field', kind: 'checkbox', required: true },
    accepted: ['true'],
    refused: ['false', '"on"'],
  },
  {
    title: 'spec 2.3, `required`: non-empty text',
    field: { key: 'field', kind: 'text', required: true },
    accepted: ['"a"', '" "'],
    refused: ['""', 'null'],
  },
  {
    title: 'spec 2.3, `required`: array, also empty',
    field: { key: 'field', kind: 'array', required: true },
    accepted: ['[]', '[1]'],
    refused: ['null', '{}', '"[]"'],
  },
  {
    title: 'spec 2.3, select',
    field: { key: 'field', kind: 'select', enum: ['free', 'pro'] },
    accepted: ['"free"', '"pro"'],
    refused: ['"Free"', '""', '["free"]', '0', '"toString"'],
  },
  {
    title: 'spec 2.3, number: finite',
    field: { key: 'field', kind: 'number' },
    accepted: ['0', '-1.5', '1e308', '-0'],
    refused: ['1e400', '-1e400', '"1"', 'true', 'null', '[1]'],
  },
  {
    title: 'spec 2.3, number: inclusive bounds',
    field: { key: 'field', kind: 'number', min: 0, max: 10 },
    accepted: ['0', '10', '9.99'],
    refused: ['-0.01', '10.01'],
  },
  {
    title: 'spec 2.3, date',
    field: { key: 'field', kind: 'date' },
    accepted: [
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

describe.each(rows)('$title', ({ field, accepted, refused }) => {
  it('accepts valid values; responds to others with 400 and stores nothing', async () => {
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
      // A number beyond the double range is refused by the body parser, which reports no paths.
      if (body.errors) expect.soft(body.errors).toMatchObject([{ path: 'data.field' }]);
    }
    for (const [index, value] of accepted.entries()) {
      const { status } = await submit(`taken${index}@x.org`, value);
      expect.soft({ value, status }).toEqual({ value, status: 200 });
    }
    const emails = await server.db.collection('users').distinct('email', { sourceAppId });
    expect(emails.sort()).toEqual(accepted.map((_, index) => `taken${index}@x.org`).sort());
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

  it('responds with 400 and the path of each absent required field', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: kinds.map((kind) => ({ ...kind, required: true })) });
    const { body } = await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(400);
    expect(body.errors).toEqual(
      kinds.map(({ key }) => ({ path: `data.${key}`, message: 'is required', code: 'required' })),
    );
  });

  it('false: accepts a submission without the fields', async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: kinds });
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: {} }).expect(200);
  });

  it('applies to updates too', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text', required: true }] });
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: {} }).expect(400);
  });
});

it.each([
  [2_000, 'does not match the required pattern', 'pattern'],
  [90_000, 'is too long to be checked against the pattern', 'tooLongForPattern'],
])(
  'spec 2.3, text regex: refuses a text of %i characters that causes exponential backtracking elsewhere',
  async (length, message, code) => {
    const { sourceAppId } = await server.admin.buildApp({
      fields: [{ key: 'field', kind: 'text', regex: '^((a+)+)+$' }],
    });
    const data = { field: `${'a'.repeat(length)}!` };
    const [refused, health] = await Promise.all([
      server.client.submit(sourceAppId, { email: 'a@x.org', data }),
      server.client.get('/health'),
    ]);
    // A backtracking engine would block the process.
    expect([refused.status, health.status]).toEqual([400, 200]);
    expect(refused.body.errors).toEqual([{ path: 'data.field', message, code }]);
  },
);
