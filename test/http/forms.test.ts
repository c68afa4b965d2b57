import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import type { TestApp } from '../support/server/client.ts';
import {
  BOUNDARY,
  BROWSER,
  type Entries,
  type FormKind,
  partOf,
  sendBody,
  sendForm,
  TYPES,
  urlencoded,
} from '../support/server/forms.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'age', kind: 'number' },
  { key: 'news', kind: 'checkbox' },
  { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
  { key: 'start', kind: 'date' },
  { key: 'tags', kind: 'array' },
  { key: 'email', kind: 'text' },
];
const KINDS: FormKind[] = ['urlencoded', 'multipart'];

let server: TestServer;
let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: FIELDS });
  strict = await server.admin.buildApp({ rejectUnknown: true, fields: FIELDS });
});

let personCount = 0;
const newEmail = (): string => {
  personCount += 1;
  return `person${personCount}@x.org`;
};

const send = (entries: Entries, kind: FormKind = 'urlencoded', { sourceAppId } = app) =>
  sendForm(server.client, sourceAppId, entries, kind);
const stored = (email: string, { sourceAppId } = app) => server.db.collection('users').findOne({ email, sourceAppId });

/** Submits a form with an email of its own; resolves with the data that was stored. */
async function dataOf(entries: Entries, kind: FormKind = 'urlencoded') {
  const email = newEmail();
  await send([['email', email], ...entries], kind).expect(303);
  return (await stored(email))?.data;
}

/** The problems of a refused form, which stored nothing. */
async function problemsOf(entries: Entries, kind: FormKind = 'urlencoded', ofApp = app) {
  const email = newEmail();
  const { body } = await send([['email', email], ...entries], kind, ofApp)
    .set('Accept', 'application/json')
    .expect(400);
  expect(await stored(email, ofApp)).toBeNull();
  return withoutCodes(body.errors) ?? [];
}

/** Programs of other languages read the codes (test/http/languages.test.ts). */
function withoutCodes(errors?: { path: string; message: string; code: string }[]) {
  for (const { code } of errors ?? []) expect(code).toMatch(/^[a-zA-Z0-9]+$/);
  return errors?.map(({ path, message }) => ({ path, message }));
}

const values = (items: unknown): unknown => (items as { value: unknown }[]).map(({ value }) => value);

describe.each(KINDS)('spec 4.5, names of a form (%s)', (kind) => {
  it('a field is sent as name, data[name] or data.name', async () => {
    expect(await dataOf([['name', 'Ada']], kind)).toEqual({ name: 'Ada' });
    expect(await dataOf([['data[name]', 'Ada']], kind)).toEqual({ name: 'Ada' });
    expect(await dataOf([['data.name', 'Ada']], kind)).toEqual({ name: 'Ada' });
  });

  it('email is the email; data[email] is a field of that key', async () => {
    const email = newEmail();
    await send(
      [
        ['email', ` ${email.toUpperCase()} `],
        ['data[email]', 'work@x.org'],
      ],
      kind,
    ).expect(303);
    expect(await stored(email)).toMatchObject({ email, data: { email: 'work@x.org' } });
  });

  it('tags[] and repeats become items of an array field', async () => {
    const one = await dataOf([['tags', 'a']], kind);
    expect(values(one?.tags)).toEqual(['a']);
    const names = ['tags', 'tags[]', 'data[tags]', 'data[tags][]', 'data.tags', 'data.tags[]'];
    const all = await dataOf(
      names.map((name) => [name, name]),
      kind,
    );
    expect(values(all?.tags)).toEqual(names);
    const filled = await dataOf(
      [
        ['tags[]', ''],
        ['tags[]', 'b'],
      ],
      kind,
    );
    expect(values(filled?.tags)).toEqual(['b']);
  });

  it('for every other kind the last value wins, as for a hidden false before a checkbox', async () => {
    expect(
      await dataOf(
        [
          ['news', 'false'],
          ['news', 'on'],
        ],
        kind,
      ),
    ).toEqual({ news: true });
    expect(await dataOf([['news', 'false']], kind)).toEqual({ news: false });
    expect(
      await dataOf(
        [
          ['name', 'Ada'],
          ['data[name]', 'Grace'],
        ],
        kind,
      ),
    ).toEqual({ name: 'Grace' });
  });
});

describe('spec 4.5, values of a form', () => {
  it.each([
    ['age', '36', 36],
    ['age', '-1.5', -1.5],
    ['news', 'on', true],
    ['news', 'true', true],
    ['news', '1', true],
    ['news', 'yes', true],
    ['news', 'off', false],
    ['news', 'false', false],
    ['news', '0', false],
    ['news', 'no', false],
    ['plan', 'pro', 'pro'],
    ['start', '2026-01-31', '2026-01-31'],
    ['name', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['other', 'one\r\ntwo', 'one\ntwo'],
    ['others[]', 'one\r\ntwo', ['one\ntwo']],
    ['name', ' Zoë 山田 😀 ', ' Zoë 山田 😀 '],
  ])('%s=%j is stored as %j', async (key, text, value) => {
    for (const kind of KINDS) expect(await dataOf([[key, text]], kind)).toEqual({ [key.replace('[]', '')]: value });
  });

  it.each(['age', 'news', 'plan', 'start', 'name', 'tags', 'other'])('an empty %s counts as absent', async (key) => {
    expect(await dataOf([[key, '']])).toEqual({});
  });

  it.each([
    ['age', '1,5', 'must be a number'],
    ['age', '0x10', 'must be a number'],
    ['age', '\uff13\uff16', 'must be a number'],
    ['age', 'Infinity', 'must be a number'],
    ['news', 'maybe', 'must be true or false'],
    ['plan', 'gold', 'must be one of the allowed values'],
  ])('%s=%j is refused', async (key, text, message) => {
    for (const kind of KINDS) expect(await problemsOf([[key, text]], kind)).toEqual([{ path: `data.${key}`, message }]);
  });

  it('a local time needs the time zone of the form or of the app', async () => {
    const [problem] = await problemsOf([['start', '2026-01-31T08:30']]);
    expect(problem).toMatchObject({ path: 'data.start', message: expect.stringContaining('_tz') });
    expect(
      await dataOf([
        ['start', '2026-01-31T08:30'],
        ['_tz', 'Europe/Berlin'],
      ]),
    ).toEqual({
      start: '2026-01-31T08:30:00+01:00',
    });
    const zoned = await server.admin.buildApp({ fields: FIELDS });
    await server.admin.put(`/auth/apps/${zoned.sourceAppId}/form`, { timeZone: 'America/New_York' }).expect(200);
    const email = newEmail();
    await send(
      [
        ['email', email],
        ['start', '2026-01-31T08:30'],
        // From a browser of a system whose zone it does not know.
        ['_tz', 'Etc/Unknown'],
      ],
      'urlencoded',
      zoned,
    ).expect(303);
    expect((await stored(email, zoned))?.data).toEqual({ start: '2026-01-31T08:30:00-05:00' });
    expect(await problemsOf([['_tz', 'Mars/Olympus']])).toMatchObject([{ path: '_tz' }]);
  });

  it('all problems are named together: of texts, of values and of the email', async () => {
    const { body } = await send([
      ['email', 'nobody'],
      ['age', 'old'],
      ['plan', 'gold'],
    ])
      .set('Accept', 'application/json')
      .expect(400);
    expect(body.message).toBe('Invalid submission');
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['data.age', 'data.plan', 'email']);
  });

  it('a required field without a text is missing once', async () => {
    const needy = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number', required: true }] });
    expect(await problemsOf([['age', 'x']], 'urlencoded', needy)).toEqual([
      { path: 'data.age', message: 'must be a number' },
    ]);
    expect(await problemsOf([['age', '']], 'urlencoded', needy)).toEqual([
      { path: 'data.age', message: 'is required' },
    ]);
  });
});

describe('spec 4.5, control names', () => {
  const IGNORED = ['_subject', '_replyto', '_cc', '_template', '_captcha', 'access_key', 'form-name', '_anything'];

  it.each(IGNORED)('%s is accepted and ignored, also where unknown names are refused', async (name) => {
    const email = newEmail();
    await send(
      [
        ['email', email],
        [name, 'x'],
      ],
      'urlencoded',
      strict,
    ).expect(303);
    expect((await stored(email, strict))?.data).toEqual({});
  });

  it('_replyto is the email of a form that has none', async () => {
    for (const kind of KINDS) {
      const email = newEmail();
      await send(
        [
          ['_replyto', ''],
          ['_replyto', email],
          ['name', 'Ada'],
        ],
        kind,
        strict,
      ).expect(303);
      expect(await stored(email, strict)).toMatchObject({ data: { name: 'Ada' } });
      const own = newEmail();
      await send(
        [
          ['email', own],
          ['_replyto', newEmail()],
        ],
        kind,
      ).expect(303);
      expect(await stored(own)).not.toBeNull();
      // The address in `_replyto` may be that of the owner: a person without one must not become
      // it.
      await send(
        [
          ['email', ''],
          ['_replyto', email],
        ],
        kind,
      ).expect(400);
    }
  });

  it('a schema field of such a name wins', async () => {
    const fields = ['access_key', 'botcheck', 'redirect'].map((key) => ({ key, kind: 'text' as const }));
    const own = await server.admin.buildApp({ fields });
    const email = newEmail();
    const data = { access_key: 'a', botcheck: 'b', redirect: 'https://elsewhere.example' };
    const { headers } = await send([['email', email], ...Object.entries(data)], 'urlencoded', own).expect(303);
    expect(headers.location).toBe(`/f/${own.sourceAppId}/thanks`);
    expect((await stored(email, own))?.data).toEqual(data);
  });

  it('names with _ never reach the data', async () => {
    expect(
      await dataOf([
        ['_name', 'x'],
        ['_gotcha', ''],
        ['altcha', ''],
        ['_charset_', 'UTF-8'],
      ]),
    ).toEqual({});
  });

  it.each(['us-ascii', 'ISO-8859-1', '"windows-1252"', 'utf8', 'UTF-8'])(
    'a part of %s with ASCII is read',
    async (charset) => {
      const typed = (name: string, text: string) =>
        partOf(`name="${name}"`, text, [`Content-Type: text/plain; charset=${charset}`]);
      const email = newEmail();
      const body = `${typed('email', email)}${typed('name', 'Ann')}--${BOUNDARY}--\r\n`;
      await sendBody(server.client, app.sourceAppId, TYPES.multipart, Buffer.from(body)).expect(303);
      expect((await stored(email))?.data).toEqual({ name: 'Ann' });
    },
  );

  it('another encoding of the page is refused', async () => {
    expect(await problemsOf([['_charset_', 'windows-1252']])).toMatchObject([{ path: '_charset_' }]);
  });
});

describe('spec 4.5, unknown names', () => {
  it('are stored as texts or, with [], as lists where the schema allows them', async () => {
    expect(
      await dataOf([
        ['city', 'Oslo'],
        ['city', 'Rome'],
        ['pets[]', 'cat'],
        ['pets[]', 'dog'],
      ]),
    ).toEqual({
      city: 'Rome',
      pets: ['cat', 'dog'],
    });
  });

  it('are refused where the schema refuses them', async () => {
    expect(await problemsOf([['city', 'Oslo']], 'urlencoded', strict)).toEqual([
      { path: 'data.city', message: 'is not a field of this app' },
    ]);
  });

  it.each(['__proto__', 'data[__proto__]', 'data.__proto__', 'a.b', '$where', 'tags[0]', 'data[a][b]', ''])(
    '%j is no key of data',
    async (name) => {
      for (const kind of KINDS) expect(await problemsOf([[name, 'x']], kind)).toHaveLength(1);
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );
});

describe('spec 4.5, answers', () => {
  it('a success is a 303 to the thanks page', async () => {
    const { headers } = await send([['email', newEmail()]]).expect(303);
    expect(headers.location).toBe(`/f/${app.sourceAppId}/thanks`);
  });

  it("a success is a 303 to the app's next", async () => {
    const own = await server.admin.buildApp();
    await server.admin.put(`/auth/apps/${own.sourceAppId}/form`, { next: 'https://site.example/done' }).expect(200);
    const { headers } = await send([['email', newEmail()]], 'urlencoded', own).expect(303);
    expect(headers.location).toBe('https://site.example/done');
  });

  it.each([
    { Accept: 'application/json, text/html;q=0.5' },
    { Accept: '*/*', 'Sec-Fetch-Mode': 'cors' },
    { Accept: BROWSER, 'Sec-Fetch-Mode': 'cors' },
  ])('a request that prefers JSON, or is one of a script, is answered as POST /v1/users: %j', async (headers) => {
    const email = newEmail();
    const { body } = await send([['email', email]])
      .set(headers)
      .expect(200);
    expect(Object.keys(body)).toEqual(['id', 'createdAt', 'updatedAt']);
    const record = await stored(email);
    expect(body).toMatchObject({ createdAt: record?.createdAt.toISOString() });
  });

  it('a JSON body is read and answered as POST /v1/users', async () => {
    for (const sent of [{ email: newEmail(), data: { age: 36 } }, { email: 1 }, { email: 'a@x.org', more: 1 }, []]) {
      const viaUsers = await server.client.submit(app.sourceAppId, sent);
      const viaForms = await server.client.post(`/v1/forms/${app.sourceAppId}`, sent).set('Accept', BROWSER);
      expect(viaForms.status).toBe(viaUsers.status);
      const [forms, users] = [viaForms.body, viaUsers.body].map(({ errors, ...body }) => ({
        ...body,
        ...(errors && { errors: withoutCodes(errors) }),
        updatedAt: 0,
      }));
      expect(forms).toEqual(users);
    }
  });

  it('an unknown or malformed app is 404', async () => {
    for (const sourceAppId of ['no-such-app', 'a b', '%24']) {
      const { body } = await sendForm(server.client, sourceAppId, [['email', newEmail()]])
        .set('Accept', 'application/json')
        .expect(404);
      expect(body).toEqual({ message: 'App not found', code: 'appNotFound' });
    }
  });

  it('cookies are neither read nor set', async () => {
    const session = await server.admin.get('/auth/session').expect(200);
    expect(session.body.role).toBe('admin');
    const { headers } = await sendForm(server.admin, app.sourceAppId, [['email', newEmail()]]).expect(303);
    expect(headers).not.toHaveProperty('set-cookie');
    const forged = server.client.url;
    const response = await fetch(`${forged}/v1/forms/${app.sourceAppId}`, {
      method: 'POST',
      headers: { Cookie: 'sid=s%3Aforged.signature', 'Content-Type': TYPES.urlencoded },
      body: urlencoded([['email', newEmail()]]),
      redirect: 'manual',
    });
    expect(response.status).toBe(200);
  });
});

describe('spec 5.3, CORS: origins of an app may submit forms', () => {
  const SITE = 'https://site.example';

  it('without credentials; any other origin is refused before anything runs', async () => {
    const own = await server.admin.buildApp();
    await server.admin.put(`/auth/apps/${own.sourceAppId}/form`, { origins: [SITE] }).expect(200);
    const { headers } = await send([['email', newEmail()]], 'urlencoded', own)
      .set('Origin', SITE)
      .expect(303);
    expect(headers['access-control-allow-origin']).toBe(SITE);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    for (const origin of ['https://other.example', 'null', `${SITE}.other.example`]) {
      const email = newEmail();
      await send([['email', email]], 'urlencoded', own)
        .set('Origin', origin)
        .expect(403);
      expect(await stored(email, own)).toBeNull();
    }
  });

  it('a file on a disk may submit where the app allows it', async () => {
    const own = await server.admin.buildApp();
    await server.admin.put(`/auth/apps/${own.sourceAppId}/form`, { nullOrigin: true }).expect(200);
    await send([['email', newEmail()]], 'urlencoded', own)
      .set('Origin', 'null')
      .expect(303);
  });

  it('preflights are answered for the origins of the app in the path', async () => {
    const own = await server.admin.buildApp();
    await server.admin.put(`/auth/apps/${own.sourceAppId}/form`, { origins: [SITE] }).expect(200);
    const preflight = (sourceAppId: string) =>
      fetch(`${server.client.url}/v1/forms/${sourceAppId}`, {
        method: 'OPTIONS',
        headers: { Origin: SITE, 'Access-Control-Request-Method': 'POST' },
      });
    const allowed = await preflight(own.sourceAppId);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SITE);
    expect((await preflight(app.sourceAppId)).status).toBe(403);
  });
});
