import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Entries, sendForm } from '../support/forms.ts';
import { startServer, type TestServer } from '../support/server.ts';

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
afterAll(() => server.close());

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
  expect(body).toMatchObject({ message: 'Invalid submission', errors: [{ path }] });
  expect(headers).not.toHaveProperty('location');
  expect(await server.db.collection('users').countDocuments({ email })).toBe(0);
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
      await expectRefused([['_next', path]], '_next', own);
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
  ])('%j is refused and nothing is stored', async (url) => {
    await expectRefused([['_next', url]], '_next', SITE);
    await expectRefused([['_error', url]], '_error', SITE);
  });

  it('"*" lists no origin for redirects (attack: open redirect)', async () => {
    await expectRefused([['_next', `${SITE}/thanks`]], '_next', SITE, open);
    await expectRefused([['_next', '/thanks']], '_next', SITE, open);
    await expectRefused([['_next', '/thanks']], '_next', 'null', open);
    await send([], SITE, open).request.expect(303);
  });

  it('a path needs the origin that sent the form', async () => {
    await expectRefused([['_next', '/thanks']], '_next');
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
