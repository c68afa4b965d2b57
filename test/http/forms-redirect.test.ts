import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOfPage } from '../support/browser/form-page.ts';
import { type Entries, sendForm } from '../support/server/forms.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const SITE = 'https://site.example';
const LOCAL = 'http://localhost:5500';

let server: TestServer;
let app: string;
let open: string;
beforeAll(async () => {
  server = await startServer();
  app = await appWith({ origins: [SITE, LOCAL] });
  open = await appWith({ origins: ['*'], nullOrigin: true });
});
afterAll(() => server?.close());

async function appWith(settings: object): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp();
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

let personCount = 0;
function send(entries: Entries, origin?: string, sourceAppId = app) {
  personCount += 1;
  const email = `person${personCount}@x.org`;
  const request = sendForm(server.client, sourceAppId, [['email', email], ...entries]);
  if (origin !== undefined) request.set('Origin', origin);
  return { email, request };
}

async function expectRefused(entries: Entries, path: string, origin?: string, sourceAppId = app): Promise<void> {
  const { email, request } = send(entries, origin, sourceAppId);
  const { body, headers } = await request.set('Accept', 'application/json').expect(400);
  expect(body).toMatchObject({ message: 'Invalid submission', code: 'invalidSubmission', errors: [{ path }] });
  expect(headers).not.toHaveProperty('location');
  expect(await server.db.collection('users').countDocuments({ sourceAppId, email })).toBe(0);
}

/**
 * Sends a form with an address that is not allowed; expects that it is stored and leads nowhere.
 */
async function expectIgnored(url: string, origin?: string, sourceAppId = app): Promise<void> {
  for (const [accept, status] of [
    ['text/html', 303],
    ['application/json', 200],
  ] as const) {
    const { email, request } = send([['_next', url]], origin, sourceAppId);
    const { headers, body } = await request.set('Accept', accept).expect(status);
    expect(headers.location).toBe(status === 303 ? `/f/${sourceAppId}/thanks` : undefined);
    expect(body).not.toHaveProperty('next');
    expect(await server.db.collection('users').countDocuments({ sourceAppId, email })).toBe(1);
  }
}

async function ignoredOf(sourceAppId: string, { admin } = server) {
  const { body } = await admin.get(`/auth/apps/${sourceAppId}/form`).expect(200);
  return body.ignoredRedirects?.map(({ origin, count }: { origin: string; count: number }) => [origin, count]);
}

describe('spec 4.5, _next', () => {
  it.each(['_next', '_redirect', 'redirect'])('%s is a URL of an origin that the app lists', async (name) => {
    for (const url of [`${SITE}/thanks?from=form#top`, `${LOCAL}/done.html`]) {
      const { headers } = await send([[name, url]]).request.expect(303);
      expect(headers.location).toBe(url);
    }
  });

  it('is a path of the origin that sent the form, if the app lists it', async () => {
    const { headers } = await send([['_next', '/thanks?a=1']], SITE).request.expect(303);
    expect(headers.location).toBe(`${SITE}/thanks?a=1`);
    const local = await send([['_next', '/thanks']], LOCAL).request.expect(303);
    expect(local.headers.location).toBe(`${LOCAL}/thanks`);
  });

  it('is a page of the form itself, when the hosted form sends it', async () => {
    const own = server.client.url;
    const { headers } = await send([['_next', `/f/${app}?again=1`]], own).request.expect(303);
    expect(headers.location).toBe(`/f/${app}?again=1`);
    for (const path of ['/', '/dashboard/', '/f/another', `/f/${app}/../another`, `/f/${app}x`]) {
      await expectIgnored(path, own);
    }
  });

  it("comes before the app's next, and an empty one counts as absent", async () => {
    const own = await appWith({ origins: [SITE], next: 'https://elsewhere.example/done' });
    const named = await send([['_next', `${SITE}/own`]], SITE, own).request.expect(303);
    expect(named.headers.location).toBe(`${SITE}/own`);
    const empty = await send([['_next', '']], SITE, own).request.expect(303);
    expect(empty.headers.location).toBe('https://elsewhere.example/done');
  });

  it.each([
    'https://elsewhere.example/',
    'https://site.example.elsewhere.example/',
    'https://site.example:8443/',
    'http://site.example/',
    'http://localhost/',
    'http://localhost:5501/',
    'https://user@site.example/',
    'https://user:pass@site.example/',
    'https://site.example@elsewhere.example/',
    '//site.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '\\\\elsewhere.example/',
    'https:\\\\site.example\\',
    'https:/site.example',
    'https:site.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://site.example/',
    'mailto:a@site.example',
    'thanks.html',
    '?done',
    '/a b',
    '/a\r\nSet-Cookie: a=b',
    'https://site.example/\r\nX-Evil: 1',
    'https://site.example/\tx',
    ' https://site.example/',
    'https://site.example/\u0000',
    '/\u0085x',
    '*',
    `/${'x'.repeat(2_001)}`,
  ])('%j leads nowhere: the form is stored, and shows the thank-you page', async (url) => {
    await expectIgnored(url, SITE);
    await expectRefused([['_error', url]], '_error', SITE);
  });

  it('"*" lists no origin for redirects (attack: open redirect)', async () => {
    await expectIgnored(`${SITE}/thanks`, SITE, open);
    await expectIgnored('/thanks', SITE, open);
    await expectIgnored('/thanks', 'null', open);
    await send([], SITE, open).request.expect(303);
  });

  it('a path needs the origin that sent the form', async () => {
    await expectIgnored('/thanks');
  });

  it('that is allowed is named to a program', async () => {
    const { body } = await send([['_next', '/thanks?a=1']], SITE)
      .request.set('Accept', 'application/json')
      .expect(200);
    expect(Object.keys(body)).toEqual(['id', 'createdAt', 'updatedAt', 'next']);
    expect(body.next).toBe(`${SITE}/thanks?a=1`);
  });
});

describe('spec 4.5, an address that is ignored', () => {
  it('is counted over all servers by its origin alone, the latest first, and works once it is allowed', {
    tags: 'long',
  }, async () => {
    const other = await startServer({}, server.database);
    try {
      const own = await appWith({ nullOrigin: true });
      expect(await ignoredOf(own)).toBeUndefined();
      const name = (url: string, { client } = server, origin = 'null') =>
        sendForm(client, own, [
          ['email', 'ada@x.org'],
          ['_next', url],
        ]).set('Origin', origin);
      await name('https://first.example/thanks?email=ada@x.org#a').expect(303);
      await name('https://first.example/elsewhere', other).expect(303);
      for (const one of [server, other]) await ignoredOf(own, one);
      await name('http://second.example:8080/').expect(303);
      await ignoredOf(own);
      expect(await ignoredOf(own, other)).toEqual([
        ['http://second.example:8080', 1],
        ['https://first.example', 2],
      ]);
      await name('javascript:alert(1)').expect(303);
      await name('/thanks').expect(303);
      expect(await ignoredOf(own)).toEqual([
        ['null', 2],
        ['http://second.example:8080', 1],
        ['https://first.example', 2],
      ]);

      const { body } = await server.admin.get(`/auth/apps/${own}/form`).expect(200);
      await server.admin.put(`/auth/apps/${own}/form`, { ...body, origins: ['https://first.example'] }).expect(200);
      const { headers } = await name('https://first.example/thanks', other).expect(303);
      expect(headers.location).toBe('https://first.example/thanks');
    } finally {
      await other.close();
    }
  });

  it('is kept for submissions that were accepted only, and only the last 20 of an app', async () => {
    const own = await appWith({});
    const name = (url: string, email = 'ada@x.org') =>
      sendForm(server.client, own, [
        ['email', email],
        ['_next', url],
      ]);
    await name('https://refused.example/', 'nobody').expect(400);
    await name(`https://${'x'.repeat(300)}.example/`).expect(303);
    expect(await ignoredOf(own)).toBeUndefined();
    for (let batch = 0; batch < 3; batch += 1) {
      for (let index = 0; index < 10; index += 1) await name(`https://n${batch}-${index}.example/`).expect(303);
      await ignoredOf(own);
    }
    const kept = await ignoredOf(own);
    expect(kept).toHaveLength(20);
    expect(kept[0][0]).toBe('https://n2-9.example');
  });

  it('is sent again with the form after a mistake, so that it is counted, and leads nowhere then', async () => {
    const own = await appWith({ origins: [LOCAL] });
    const { text } = await sendForm(server.client, own, [
      ['email', 'nobody'],
      ['_next', 'https://later.example/'],
    ]).expect(400);
    const again = sendForm(server.client, own, entriesOfPage(text, { email: 'ada@x.org' }));
    expect((await again.set('Origin', server.client.url).expect(303)).headers.location).toBe(`/f/${own}/thanks`);
    expect(await ignoredOf(own)).toEqual([['https://later.example', 1]]);
  });
});

describe('spec 4.5, _error', () => {
  it('is where a browser goes when the submission is invalid, without what it sent', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
    await server.admin.put(`/auth/apps/${sourceAppId}/form`, { origins: [SITE] }).expect(200);
    const { email, request } = send(
      [
        ['age', 'old'],
        ['_error', '/again?form=1'],
      ],
      SITE,
      sourceAppId,
    );
    const { headers } = await request.expect(303);
    expect(headers.location).toBe(`${SITE}/again?form=1`);
    expect(await server.db.collection('users').countDocuments({ email })).toBe(0);
  });

  it('is ignored after a success, and by a program', async () => {
    const { headers } = await send([['_error', '/again']], SITE).request.expect(303);
    expect(headers.location).toBe(`/f/${app}/thanks`);
    const { request } = send(
      [
        ['email', 'nobody'],
        ['_error', '/again'],
      ],
      SITE,
    );
    await request.set('Accept', 'application/json').expect(400);
  });
});
