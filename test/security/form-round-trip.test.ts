import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { type Entries, sendForm } from '../support/server/forms.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const CHOICES = ['free', 'pro', 'é & =+%', ' two  words '];
const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'age', kind: 'number' },
  { key: 'news', kind: 'checkbox' },
  { key: 'plan', kind: 'select', enum: CHOICES },
  { key: 'start', kind: 'date' },
  { key: 'tags', kind: 'array' },
];

let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await sharedServer();
  app = (await server.admin.buildApp({ fields: FIELDS })).sourceAppId;
});

/** A text of a form control: not empty, and with the line ends that JSON would have. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((value) => value.replace(/\r\n?/g, '\n'))
  .filter((value) => value !== '');

const data = fc.record(
  {
    name: text,
    age: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((value) => value || 0),
    news: fc.boolean(),
    plan: fc.constantFrom(...CHOICES),
    start: fc
      .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((day) => day.toISOString()),
    tags: fc.array(text, { minLength: 1, maxLength: 4 }),
    other: text,
  },
  { requiredKeys: [] },
);

const nameOf = (key: string): fc.Arbitrary<string> => fc.constantFrom(key, `data[${key}]`, `data.${key}`);

/** The entries of a form with these data, under any of the names of each field. */
function entriesOf(values: object, draw: (key: string) => string): Entries {
  return Object.entries(values).flatMap(
    ([key, value]): Entries =>
      Array.isArray(value)
        ? value.map((item) => [draw(key) + (item.length % 2 === 0 ? '[]' : ''), item])
        : [[draw(key), String(value)]],
  );
}

it('JSON and the equivalent forms store the same data', { tags: 'long' }, async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(data, fc.gen(), async (values, gen) => {
      count += 1;
      const entries = entriesOf(values, (key) => gen(nameOf, key));
      const email = (kind: string): string => `${kind}${count}@x.org`;
      const json = await server.client.post(`/v1/forms/${app}`, { email: email('json'), data: values });
      expect(json.body.errors ?? []).toEqual([]);
      for (const kind of ['urlencoded', 'multipart'] as const) {
        await sendForm(server.client, app, [['email', email(kind)], ...entries], kind).expect(303);
      }
      const dataOf = async (kind: string) => {
        const record = await server.db.collection('users').findOne({ email: email(kind), sourceAppId: app });
        const { tags, ...others } = record?.data ?? {};
        return { ...others, tags: tags?.map(({ value }: { value: unknown }) => value) };
      };
      const expected = await dataOf('json');
      expect(await dataOf('urlencoded')).toEqual(expected);
      expect(await dataOf('multipart')).toEqual(expected);
    }),
    { numRuns: 80 },
  );
});
