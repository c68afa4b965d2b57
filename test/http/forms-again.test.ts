import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { entriesOfPage } from '../support/browser/form-page.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { BOUNDARY, type Entries, partOf, sendBody, sendForm, TYPES } from '../support/server/forms.ts';
import type { TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const SITE = 'https://site.example';
const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'notes', kind: 'text', ui: 'textarea' },
  { key: 'home', kind: 'text', ui: 'url' },
  { key: 'work', kind: 'text', ui: 'email' },
  { key: 'phone', kind: 'text', ui: 'tel' },
  { key: 'age', kind: 'number' },
  { key: 'news', kind: 'checkbox', default: true },
  { key: 'terms', kind: 'checkbox', consent: { version: '1' } },
  { key: 'plan', kind: 'select', enum: ['free', 'pro', 'é & =+%"<'] },
  { key: 'ticket', kind: 'select', ui: 'radio', enum: ['day', 'full'] },
  { key: 'start', kind: 'date' },
  { key: 'interest', kind: 'array' },
  { key: 'secret', kind: 'text', hidden: true, default: 'x' },
  { key: 'visits', kind: 'array', hidden: true },
  { key: 'campaign', kind: 'text', source: 'utm_campaign' },
  { key: 'email', kind: 'text' },
];

let proxy: TcpProxy;
let server: TestServer;
let app: string;
beforeAll(async () => {
  ({ proxy, slow: server } = await startSlow({ RATE_LIMIT_SUBMIT: '0' }));
  app = await appOf(FIELDS);
});
afterEach(() => proxy.restore());
afterAll(() => server.close());

async function appOf(fields: FieldDefinitionInput[], rejectUnknown = false): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ rejectUnknown, fields });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [SITE] }).expect(200);
  return sourceAppId;
}

let personCount = 0;
const newEmail = (): string => {
  personCount += 1;
  return `person${personCount}@x.org`;
};

async function recordOf(email: string, sourceAppId = app) {
  return server.db.collection('users').findOne({ sourceAppId, email });
}

/** What is stored of a person, without the times of items. */
async function dataOf(email: string, sourceAppId = app): Promise<Record<string, unknown> | undefined> {
  const data = (await recordOf(email, sourceAppId))?.data;
  return data && JSON.parse(JSON.stringify(data, (key, value) => (key === 'timestamp' ? undefined : value)));
}

/** Sends entries with a mistake in the email, and sends the page that answers with a right one. */
async function sentAgain(entries: Entries, sourceAppId = app, changed: Record<string, string> = {}) {
  const email = newEmail();
  const { text } = await sendForm(server.client, sourceAppId, [['email', 'nobody'], ...entries]).expect(400);
  await sendForm(server.client, sourceAppId, entriesOfPage(text, { email, ...changed })).expect(303);
  return { email, page: text };
}

async function sentOnce(entries: Entries, sourceAppId = app): Promise<string> {
  const email = newEmail();
  await sendForm(server.client, sourceAppId, [['email', email], ...entries]).expect(303);
  return email;
}

describe('spec 4.5, a form that is sent again after a refusal', () => {
  it('stores each item of a list that was sent as name[]', async () => {
    const { email, page } = await sentAgain([
      ['interest[]', 'a'],
      ['interest[]', 'b'],
    ]);
    expect(page).toContain('value="a"');
    expect(page).toContain('value="b"');
    expect(await dataOf(email)).toEqual({ interest: [{ value: 'a' }, { value: 'b' }] });
  });

  it.each<[string, Entries]>([
    [
      'one list under all of its names, in their order',
      [
        'interest',
        'data[interest]',
        'interest[]',
        'data.interest',
        'data.interest[]',
        'data[interest][]',
        'interest',
      ].map((name, index) => [name, `${index}`]),
    ],
    [
      'empty items',
      [
        ['interest[]', ''],
        ['interest[]', 'a'],
        ['interest[]', ''],
      ],
    ],
    [
      'items of several lines',
      [
        ['interest', 'one\r\ntwo'],
        ['interest', ' three '],
      ],
    ],
    [
      'the last text of a hidden field, which is empty',
      [
        ['secret', 'other'],
        ['secret', ''],
      ],
    ],
    [
      'a hidden list',
      [
        ['visits[]', 'one'],
        ['visits[]', 'two'],
      ],
    ],
    [
      'the last of several texts, under several names',
      [
        ['name', 'first'],
        ['data[name]', 'second'],
        ['name', 'third'],
        ['name[]', 'last'],
      ],
    ],
    [
      'a last text that is empty',
      [
        ['name', 'first'],
        ['name', ''],
      ],
    ],
    [
      'texts of several lines, with white space',
      [
        ['notes', '\r\n\r\n two \r\n'],
        ['name', ' a\r\nb '],
        ['phone', '1\r\n2'],
        ['home', ' x\r\ny'],
        ['work', ' a@b '],
      ],
    ],
    [
      'texts that a browser finds wrong',
      [
        ['home', 'example.com'],
        ['work', 'nobody'],
        ['age', ' 5 '],
      ],
    ],
    ['no checkbox', [['name', 'x']]],
    ['a checkbox without a hidden false', [['news', 'on']]],
    ['an unticked checkbox', [['news', 'false']]],
    [
      'a ticked checkbox with its hidden false',
      [
        ['news', 'false'],
        ['news', 'true'],
      ],
    ],
    ['a consent', [['terms', 'yes']]],
    [
      'choices',
      [
        ['plan', 'é & =+%"<'],
        ['ticket', 'full'],
      ],
    ],
    [
      'an empty choice',
      [
        ['plan', ''],
        ['ticket', ''],
      ],
    ],
    [
      'numbers and dates',
      [
        ['age', '1e3'],
        ['start', '2026-01-31T08:30:00+01:00'],
      ],
    ],
    [
      'a local time with its zone',
      [
        ['start', '2026-01-31T08:30'],
        ['_tz', 'Asia/Tokyo'],
      ],
    ],
    [
      'hidden texts',
      [
        ['secret', 'other'],
        ['campaign', 'spring'],
      ],
    ],
    ['a field that is called email', [['data[email]', 'not an address']]],
    [
      'unknown names',
      [
        ['city', 'Oslo'],
        ['city', 'Rome'],
        ['Größe', ''],
        ['constructor', 'x'],
      ],
    ],
    [
      'unknown lists',
      [
        ['pets[]', 'cat'],
        ['pets[]', 'dog\r\n"x"'],
        ['pets', 'cow'],
        ['data[toys][]', 'ball'],
        ['data.more', 'y'],
      ],
    ],
    [
      'names of other services',
      [
        ['_subject', 'x'],
        ['access_key', 'x'],
        ['form-name', 'x'],
        ['_charset_', 'utf-8'],
      ],
    ],
  ])('stores the same as a form without a mistake: %s', async (_name, entries) => {
    const { email } = await sentAgain(entries);
    const direct = await recordOf(await sentOnce(entries));
    const again = await recordOf(email);
    expect(await dataOf(email)).toEqual(await dataOf(direct?.email));
    expect(Object.keys(again?.data)).toEqual(Object.keys(direct?.data));
    expect(again?.consents?.length).toBe(direct?.consents?.length);
  });

  it('stores the same, whatever was sent under whatever names', { tags: 'long', timeout: 120_000 }, async () => {
    const anyText = fc.oneof(
      fc.constantFrom('', 'a', ' a ', 'x\r\ny', '"><b>&amp;'),
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replace(/[\0\r\n]/g, '')),
    );
    const texts: Record<string, readonly string[]> = {
      age: ['', ' 5', '-1.5e3'],
      news: ['', 'on', 'false'],
      terms: ['', 'yes', '0'],
      plan: ['', 'free', 'é & =+%"<'],
      ticket: ['', 'day'],
      start: ['', '2026-01-31', '2026-01-31T08:30:00Z'],
    };
    const keys = fc.constantFrom(...FIELDS.map(({ key }) => key), 'city', 'pets');
    const entry = fc
      .tuple(keys, fc.constantFrom('', 'data[', 'data.'), fc.constantFrom('', '[]'))
      .chain(([key, prefix, suffix]) => {
        const inBrackets = prefix === 'data[' || (key === 'email' && prefix === '');
        const name = `${inBrackets ? `data[${key}]` : prefix + key}${suffix}`;
        const own = texts[key];
        return fc.tuple(fc.constant(name), own ? fc.constantFrom(...own) : anyText);
      });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        const direct = await sentOnce(entries);
        const again = await sentAgain(entries);
        expect(await dataOf(again.email)).toEqual(await dataOf(direct));
      }),
      { numRuns: 50 },
    );
  });

  it('withdraws no consent and unticks no checkbox that the form did not have', async () => {
    const email = newEmail();
    await sendForm(server.client, app, [
      ['email', email],
      ['terms', 'on'],
      ['news', 'on'],
    ]).expect(303);
    const { text } = await sendForm(server.client, app, [
      ['email', email],
      ['age', 'old'],
    ]).expect(400);
    await sendForm(server.client, app, entriesOfPage(text, { 'data[age]': '36' })).expect(303);
    expect(await recordOf(email)).toMatchObject({ data: { age: 36, terms: true, news: true } });
    expect((await recordOf(email))?.consents).toHaveLength(1);
  });

  it('shows a choice that the schema does not have, and a hidden field that was refused', async () => {
    const own = await appOf([
      { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'ticket', kind: 'select', ui: 'radio', enum: ['day', 'full'] },
      { key: 'code', label: 'Code', kind: 'text', regex: '^[A-Z]{2}$', hidden: true },
    ]);
    const entries: Entries = [
      ['email', newEmail()],
      ['plan', 'gold'],
      ['ticket', 'night'],
      ['code', 'ab'],
    ];
    const { text } = await sendForm(server.client, own, entries).expect(400);
    expect(text).toContain('<a href="#data-code">Code: does not match');
    expect(entriesOfPage(text)).toEqual(
      expect.arrayContaining([
        ['data[plan]', 'gold'],
        ['data[ticket]', 'night'],
        ['data[code]', 'ab'],
      ]),
    );
  });

  it('shows advice alone after more than 5,000 choices, also of the entries', async () => {
    const own = await appOf([{ key: 'topics', kind: 'multiselect', enum: ['news'] }]);
    const choose = (unknown: number) => {
      const topics = ['news', ...Array.from({ length: unknown }, (_, index) => index.toString(36))].join('; ');
      return sendForm(
        server.client,
        own,
        [
          ['email', newEmail()],
          ['topics', topics],
        ],
        'multipart',
      ).expect(400);
    };
    expect((await choose(4_999)).text).toContain('value="3uu"');
    expect((await choose(5_000)).text).not.toContain('<form');
  });

  it('shows an entry that the app refuses, and does not send it again', async () => {
    const strict = await appOf([{ key: 'name', kind: 'text' }], true);
    const names = ['city', 'my city', 'pets[]', `x${'y'.repeat(60)}`];
    const { email, page } = await sentAgain(
      [...names.map((name): [string, string] => [name, `Oslo ${name}`]), ['name', 'Ada']],
      strict,
    );
    for (const name of names) expect(page).toContain(`Oslo ${name}`);
    expect(await dataOf(email, strict)).toEqual({ name: 'Ada' });
  });

  it.each([
    ['_tz', 'Mars/Olympus', '_tz: must be an IANA time zone'],
    ['_key', 'two words', '_key: must be 1 to 255'],
    ['_charset_', 'windows-1252', '_charset_: must be utf-8'],
    ['_error', 'https://elsewhere.example/', '_error: must be a URL'],
  ])('does not send %s again that was refused: nobody could correct it', async (name, value, problem) => {
    const entries: Entries = [
      ['email', newEmail()],
      [name, value],
    ];
    const { text } = await sendForm(server.client, app, entries).expect(400);
    expect(text).toContain(problem);
    await sendForm(server.client, app, entriesOfPage(text)).expect(303);
  });

  it('has the same key and content after 503, whatever the order of its fields, and counts once', {
    tags: 'long',
  }, async () => {
    const email = newEmail();
    const entries: Entries = [
      ['pets[]', 'cat'],
      ['interest[]', 'b'],
      ['age', '36'],
      ['city', 'Oslo'],
      ['name', 'Ada'],
      ['news', 'on'],
      ['email', email],
    ];
    proxy.withholdAnswers('silent', 1);
    const { text } = await sendForm(server.client, app, entries).expect(503);
    proxy.restore();
    const again = async () => (await sendForm(server.client, app, entriesOfPage(text))).status;
    await expect.poll(again).toBe(303);
    expect(await dataOf(email)).toMatchObject({ interest: [{ value: 'b' }], name: 'Ada', city: 'Oslo' });
  });
});

describe('spec 4.5, a form with a file', () => {
  const file = (name: string) =>
    partOf(`name="${name}"; filename="cv.pdf"`, '%PDF\xff', ['Content-Type: application/pdf']);
  const send = (parts: string) =>
    sendBody(server.client, app, TYPES.multipart, Buffer.from(`${parts}--${BOUNDARY}--\r\n`, 'latin1'));

  it('is refused with its other entries, which are stored without the file', async () => {
    const email = newEmail();
    const parts =
      partOf('name="email"', email) +
      file('cv') +
      partOf('name="interest[]"', 'a') +
      partOf('name="interest[]"', 'b') +
      file('photo');
    const { text } = await send(parts).expect(400);
    expect(text).toContain('Files are not accepted: the form may send texts only.');
    expect(text).toContain('cv');
    expect(text).toContain('photo');
    expect(await recordOf(email)).toBeNull();
    await sendForm(server.client, app, entriesOfPage(text)).expect(303);
    expect(await dataOf(email)).toEqual({ interest: [{ value: 'a' }, { value: 'b' }] });
  });

  it('tells the name of its control as text', async () => {
    const { text } = await send(partOf('name="email"', newEmail()) + file('<img src=x>')).expect(400);
    expect(text).not.toContain('<img');
  });
});
