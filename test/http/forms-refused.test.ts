import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { BROWSER, type Entries, sendBody, sendForm, TYPES, urlencoded } from '../support/server/forms.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const SITE = 'https://site.example';
const MARKUP = `"><script>alert('x')</script><img src=x onerror=alert(1)>`;

let proxy: TcpProxy;
let server: TestServer;
let app: string;
beforeAll(async () => {
  ({ proxy, slow: server } = await startSlow({ MAX_ARRAY_ITEMS: '2', RATE_LIMIT_SUBMIT: '0' }));
  app = await appWith({ origins: [SITE] });
});
afterEach(() => proxy.restore());
afterAll(() => server.close());

async function appWith(settings: object): Promise<string> {
  const fields = [
    { key: 'name', kind: 'text' as const, maxLength: 500 },
    { key: 'age', kind: 'number' as const },
    { key: 'list', kind: 'array' as const },
  ];
  const { sourceAppId } = await server.admin.buildApp({ fields });
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

const keyIn = (html: string): string => /name="_key" value="([^"]+)"/.exec(html)?.[1] ?? '';
const stored = (email: string) => server.db.collection('users').find({ email }).toArray();

/** Sends a form as a browser does, and expects a page with this status. */
async function refusedPage(entries: Entries, status: number, sourceAppId = app) {
  const { text, headers, type } = await sendForm(server.client, sourceAppId, entries).expect(status);
  expect(type).toBe('text/html');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  return { text, headers };
}

describe('spec 4.5, a refusal is a page', () => {
  it('400 shows the form again with the entries and each problem', async () => {
    const { text } = await refusedPage(
      [
        ['email', 'nobody'],
        ['name', 'Ada L.'],
        ['age', 'old'],
      ],
      400,
    );
    expect(text).toContain('value="Ada L."');
    expect(text).toContain('value="nobody"');
    expect(text).toContain('must be a number');
    expect(text).toContain('must be an email address');
    expect(text).toContain(`action="/v1/forms/${app}"`);
  });

  it('escapes everything that was sent', async () => {
    const names = ['name', 'age', 'list', 'email', 'other', '_next', '_error', '_tz', '_key', '_anything', MARKUP];
    for (const name of names) {
      const { text } = await refusedPage(
        [
          ['email', 'nobody'],
          [name, MARKUP],
        ],
        400,
      );
      expect(text).not.toContain('<script>alert');
      expect(text).not.toContain('<img');
    }
  });

  it('no value of a form reaches a header', async () => {
    const evil = 'a\r\nSet-Cookie: evil=1\r\n\r\nX-Evil: 1';
    for (const name of ['name', 'email', '_next', '_error', '_key', '_tz', '_subject', 'redirect', evil]) {
      const response = await sendForm(server.client, app, [
        ['email', 'a@x.org'],
        [name, evil],
      ]);
      expect(JSON.stringify(response.headers)).not.toMatch(/evil/i);
    }
  });

  it('keeps what the form asked for; a path becomes a URL, as the page has another origin', async () => {
    const entries: Entries = [
      ['email', 'nobody'],
      ['_next', '/thanks'],
      ['_tz', 'Europe/Berlin'],
      ['city', 'Oslo'],
    ];
    const { text } = await sendForm(server.client, app, entries).set('Origin', SITE).expect(400);
    expect(text).toContain(`name="_next" value="${SITE}/thanks"`);
    expect(text).toContain('name="_tz" value="Europe/Berlin"');
    expect(text).toContain('name="city" value="Oslo"');
    // The page sends them from the service's own origin.
    const again: Entries = [
      ['email', 'next@x.org'],
      ['_next', `${SITE}/thanks`],
    ];
    const { headers } = await sendForm(server.client, app, again).set('Origin', server.client.url).expect(303);
    expect(headers.location).toBe(`${SITE}/thanks`);
  });

  it('gives the corrected form another key', async () => {
    const { text } = await refusedPage(
      [
        ['email', 'nobody'],
        ['_key', 'first-key'],
      ],
      400,
    );
    expect(keyIn(text)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('403 for an origin that is not allowed', async () => {
    const { text } = await sendForm(server.client, app, [['email', 'a@x.org']])
      .set('Origin', 'https://evil.example')
      .expect(403);
    expect(text).toContain('<!doctype html>');
    const { body } = await sendForm(server.client, app, [['email', 'a@x.org']])
      .set({ Origin: 'https://evil.example', Accept: 'application/json' })
      .expect(403);
    expect(body).toEqual({ message: 'This origin is not allowed', code: 'originRefused' });
  });

  it('404 for an app that does not exist', async () => {
    const { text } = await refusedPage([['email', 'a@x.org']], 404, 'no-such-app');
    expect(text).not.toContain('<form');
  });

  it('409, with the entries', async () => {
    const entries: Entries = [
      ['email', 'full@x.org'],
      ['list', 'a'],
      ['list', 'b'],
    ];
    await sendForm(server.client, app, entries).expect(303);
    const { text } = await refusedPage(
      [
        ['email', 'full@x.org'],
        ['list', 'c'],
        ['name', 'Ada'],
      ],
      409,
    );
    expect(text).toContain('value="Ada"');
  });

  it('413 and 415, before the entries are read', async () => {
    const large = urlencoded([
      ['email', 'a@x.org'],
      ['name', 'x'.repeat(100 * 1024)],
    ]);
    const tooLarge = await sendBody(server.client, app, TYPES.urlencoded, large).expect(413);
    const encoded = await sendBody(server.client, app, TYPES.urlencoded, 'a=b')
      .set('Content-Encoding', 'br')
      .expect(415);
    for (const { type, text } of [tooLarge, encoded]) {
      expect(type).toBe('text/html');
      expect(text).not.toContain('<form');
    }
  });

  it('422 offers to send the other entries with another key', async () => {
    const entries = (name: string): Entries => [
      ['email', 'twice@x.org'],
      ['name', name],
      ['_key', 'used-key'],
    ];
    await sendForm(server.client, app, entries('Ada')).expect(303);
    const { text } = await refusedPage(entries('Grace'), 422);
    expect(text).toContain('value="Grace"');
    expect(keyIn(text)).not.toBe('used-key');
  });

  it('429 with Retry-After', async () => {
    const limited = await appWith({ submitPerMinute: 1 });
    await sendForm(server.client, limited, [['email', 'first@x.org']]).expect(303);
    const { headers } = await refusedPage([['email', 'second@x.org']], 429, limited);
    expect(headers['retry-after']).toMatch(/^\d+$/);
  });

  it('entries that are too large for a page are not shown again', async () => {
    const wide = await startServer({ BODY_LIMIT: '1mb' }, server.database);
    try {
      const { text } = await sendForm(wide.client, app, [
        ['email', 'nobody'],
        ['name', 'x'.repeat(300 * 1024)],
      ]).expect(400);
      expect(text.length).toBeLessThan(10_000);
    } finally {
      await wide.close();
    }
  });
});

describe('spec 4.5, a form without method="post"', () => {
  const sent = (sourceAppId: string, accept: string) =>
    server.client.get(`/v1/forms/${sourceAppId}?email=ada%40x.org&name=Ada`).set('Accept', accept);

  it('is a page that says so, which no cache and no other site gets', async () => {
    const { text, type, headers } = await sent(app, BROWSER).expect(405);
    expect(type).toBe('text/html');
    expect(text).toContain('The form of the website needs method&#61;&#34;post&#34;.');
    expect(text).toContain('Nothing was stored.');
    expect(text).not.toMatch(/ada|<form/i);
    expect(headers).toMatchObject({ allow: 'POST', 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    expect(await stored('ada@x.org')).toEqual([]);
  });

  it('is a page in the language of the visitor, also for an app that does not exist', async () => {
    const german = await appWith({ languages: ['de'] });
    const { text } = await sent(german, BROWSER).set('Accept-Language', 'de').expect(405);
    expect(text).toContain('Das Formular der Website braucht method&#61;&#34;post&#34;.');
    expect((await sent('no-such-app', BROWSER).expect(404)).text).toContain('This form does not exist');
  });

  it.each(['*/*', 'application/json', ''])('is data for a script that accepts "%s"', async (accept) => {
    const { body, headers } = await sent(app, accept).expect(200);
    expect(body.sourceAppId).toBe(app);
    expect(headers.vary).toMatch(/\bAccept(?:,|$)/);
  });
});

describe('spec 4.5, a form that is wrong itself, whose visitor can correct nothing', () => {
  const LATIN1 = Buffer.from('email=ada%40x.org&name=M%FCller');
  const answerTo = (type: string, body: string | Buffer, sourceAppId = app) =>
    sendBody(server.client, sourceAppId, type, body).expect(400);

  it.each([
    ['another encoding', TYPES.urlencoded, LATIN1],
    ['enctype="text/plain"', 'text/plain', 'email=ada@x.org\r\nname=Ada\r\n'],
    ['too long names', TYPES.urlencoded, urlencoded([['n'.repeat(201), 'x']])],
  ])('%s is a page that sends the visitor to the owner', async (_name, type, body) => {
    const { text } = await answerTo(type, body);
    expect(text).toContain('<h1>The form was sent in a format that cannot be read</h1>');
    expect(text).toContain('Nothing was stored. Tell the owner of the website with the form.');
    expect(text).not.toContain('Correct the entries');
  });

  it('of another encoding says what it needs, in the language of the visitor', async () => {
    const german = await appWith({ languages: ['de'] });
    const { text } = await answerTo(TYPES.urlencoded, LATIN1, german).set('Accept-Language', 'de');
    expect(text).toContain('Das Formular der Website braucht accept-charset&#61;&#34;utf-8&#34;.');
  });
});

describe.each([
  ['with a key', [['_key', 'a-key']]],
  ['without a key', []],
] as [string, Entries][])('spec 4.5, 503 (%s)', (_name, key) => {
  it('shows the entries with Retry-After, and sending them again counts once', { tags: 'long' }, async () => {
    const email = `outage-${key.length}@x.org`;
    const entries: Entries = [
      ['email', email],
      ['list', 'one'],
      ['name', 'Ada'],
    ];
    await sendForm(server.client, app, [['email', `before-${email}`]]).expect(303);
    // The write reaches the database, but its answer does not come back.
    proxy.withholdAnswers('silent', 1);
    const { text, headers } = await refusedPage([...entries, ...key], 503);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(text).toContain('value="Ada"');
    const again = keyIn(text);
    if (key.length > 0) expect(again).toBe('a-key');
    expect(again).not.toBe('');
    proxy.restore();
    const repeat = async () => (await sendForm(server.client, app, [...entries, ['_key', again]])).status;
    await expect.poll(repeat).toBe(303);
    const [record, ...others] = await stored(email);
    expect(others).toEqual([]);
    expect(record?.data.list).toHaveLength(1);
  });
});

it('spec 4.5: while the database is away, a form is answered with a page within the deadline', {
  tags: 'long',
}, async () => {
  proxy.stall();
  await sleep(200); // the app that was read in the last 100 ms may be served from the cache
  const { text, type, headers } = await sendForm(server.client, app, [['email', 'a@x.org']])
    .timeout(4_500)
    .expect(503);
  expect(type).toBe('text/html');
  expect(headers['retry-after']).toMatch(/^\d+$/);
  expect(text).not.toMatch(/Mongo|ECONN|127\.0\.0\.1/);
  proxy.restore();
  await expect.poll(async () => (await server.client.get('/ready')).status).toBe(200);
});
