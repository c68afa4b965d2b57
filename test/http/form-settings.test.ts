import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const SITE = 'https://www.example.com';
const DEFAULTS = {
  title: null,
  description: null,
  submitLabel: null,
  thanks: null,
  locale: null,
  timeZone: null,
  origins: [],
  nullOrigin: false,
  next: null,
  botProtection: 'honeypot',
  submitPerMinute: null,
  closesAt: null,
  maxRecords: null,
  refusedOrigins: [],
};

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer();
  b = await startServer({}, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const path = (sourceAppId: string) => `/auth/apps/${sourceAppId}/form`;
const put = (sourceAppId: string, settings: object, { admin } = a) => admin.put(path(sourceAppId), settings);

describe('form settings (spec 4.5)', () => {
  it('have defaults, are replaced as a whole, and can be sent back as they were answered', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    expect((await a.admin.get(path(sourceAppId)).expect(200)).body).toEqual(DEFAULTS);
    const settings = {
      ...DEFAULTS,
      title: 'Join <us>',
      locale: 'pt-BR',
      timeZone: 'Europe/Berlin',
      origins: [SITE, 'http://localhost:5173'],
      nullOrigin: true,
      next: 'https://www.example.com/thanks?from=form',
      botProtection: 'off',
      submitPerMinute: 30,
      closesAt: '2027-01-31T08:30:00.000Z',
      maxRecords: 100,
    };
    expect((await put(sourceAppId, settings).expect(200)).body).toEqual(settings);
    const { body } = await b.admin.get(path(sourceAppId)).expect(200);
    expect(body).toEqual(settings);
    expect((await put(sourceAppId, body).expect(200)).body).toEqual(settings);
    expect((await put(sourceAppId, {}).expect(200)).body).toEqual(DEFAULTS);
  });

  it('are for the operators of the app and for admins', async () => {
    const own = await a.admin.buildApp();
    const other = await a.admin.buildApp();
    const operator = await new Client(a.client.url).logIn(own.sourceAppId, own.password);
    await operator.put(path(own.sourceAppId), { title: 'Mine' }).expect(200);
    await operator.get(path(other.sourceAppId)).expect(403);
    await operator.put(path(other.sourceAppId), { title: 'Theirs' }).expect(403);
    await operator.get(path('no-such-app')).expect(403);
    await a.admin.get(path('no-such-app')).expect(404);
    await put('no-such-app', {}).expect(404);
    await a.client.get(path(own.sourceAppId)).expect(401);
    expect((await a.admin.get(path(other.sourceAppId))).body.title).toBeNull();
  });

  it('are replaced only if `If-Match` names the stored ones', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    const etagOf = async () => (await a.admin.get(path(sourceAppId))).headers.etag ?? '';
    const initial = await etagOf();
    const { headers } = await put(sourceAppId, { title: 'One' }).set('If-Match', initial).expect(200);
    expect(headers.etag).toBe(await etagOf());
    expect(headers.etag).not.toBe(initial);
    await put(sourceAppId, { title: 'Two' }).set('If-Match', initial).expect(412);
    await put(sourceAppId, { title: 'Two' }).set('If-Match', '"0123456789abcdef01234567"').expect(412);
    await put(sourceAppId, { title: 'Two' }).set('If-Match', `W/${headers.etag}`).expect(200);
    await put(sourceAppId, { title: 'Three' }).set('If-Match', '*').expect(200);
    await put('no-such-app', {}).set('If-Match', initial).expect(404);
  });

  it('let one of two concurrent conditional replacements succeed', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    for (let round = 0; round < 5; round += 1) {
      const { headers } = await a.admin.get(path(sourceAppId));
      const answers = await Promise.all(
        [a, b].map((server, index) =>
          put(sourceAppId, { title: `${round}-${index}` }, server).set('If-Match', headers.etag ?? ''),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    }
  });

  it.each([
    [{ origins: ['https://www.example.com/'] }, 'origins.0'],
    [{ origins: ['www.example.com'] }, 'origins.0'],
    [{ origins: ['https://*.example.com'] }, 'origins.0'],
    [{ origins: ['null'] }, 'origins.0'],
    [{ origins: ['javascript://localhost'] }, 'origins.0'],
    [{ origins: ['*', SITE] }, 'origins'],
    [{ origins: SITE }, 'origins'],
    [{ origins: Array.from({ length: 51 }, (_, index) => `https://site${index}.example`) }, 'origins'],
    [{ next: 'http://www.example.com/' }, 'next'],
    [{ next: '//www.example.com/' }, 'next'],
    [{ next: '/thanks' }, 'next'],
    [{ next: 'javascript:alert(1)' }, 'next'],
    [{ next: 'https://user:password@www.example.com/' }, 'next'],
    [{ next: 'https:\\\\www.example.com' }, 'next'],
    [{ next: 'https://www.example.com/\r\nSet-Cookie: a=b' }, 'next'],
    [{ locale: 'not a locale' }, 'locale'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ timeZone: '+02:00' }, 'timeZone'],
    [{ botProtection: 'captcha' }, 'botProtection'],
    [{ submitPerMinute: 0 }, 'submitPerMinute'],
    [{ submitPerMinute: 1.5 }, 'submitPerMinute'],
    [{ closesAt: '2027-01-31T08:30:00' }, 'closesAt'],
    [{ closesAt: '9999-12-31T23:59:59-05:00' }, 'closesAt'],
    [{ maxRecords: '100' }, 'maxRecords'],
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ nullOrigin: 'yes' }, 'nullOrigin'],
    [{ unknown: 1 }, 'unknown'],
  ])('are refused with 400 and the place: %j', async (settings, place) => {
    const { sourceAppId } = await a.admin.buildApp();
    const { body } = await put(sourceAppId, settings).expect(400);
    expect(body.errors.map(({ path: at }: { path: string }) => at)).toEqual([place]);
  });

  it('limit the submissions of one app and leave the others alone', async () => {
    const limited = await a.admin.buildApp();
    const other = await a.admin.buildApp();
    await put(limited.sourceAppId, { submitPerMinute: 2 }).expect(200);
    const submit = ({ sourceAppId }: { sourceAppId: string }) => a.client.submit(sourceAppId, { email: 'ada@x.org' });
    await submit(limited).expect(200);
    await submit(limited).expect(200);
    const { headers } = await submit(limited).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await submit(other).expect(200);
  });
});

describe('the origins of an app (spec 5.3)', () => {
  const submit = (sourceAppId: string, origin: string, { client } = a) =>
    client.submit(sourceAppId, { email: 'ada@x.org' }).set('Origin', origin);

  it('may submit and read the schema on every server once the replacement is answered', { tags: 'long' }, async () => {
    const { sourceAppId } = await a.admin.buildApp();
    for (let round = 0; round < 5; round += 1) {
      const [changing, other] = round % 2 === 0 ? [a, b] : [b, a];
      for (const server of [a, b]) await submit(sourceAppId, SITE, server).expect(403);
      await put(sourceAppId, { origins: [SITE] }, changing).expect(200);
      const { headers } = await submit(sourceAppId, SITE, other).expect(200);
      expect(headers).toMatchObject({ 'access-control-allow-origin': SITE, vary: expect.stringContaining('Origin') });
      await other.client.get('/v1/schema').set({ 'x-app-id': sourceAppId, Origin: SITE }).expect(200);
      await put(sourceAppId, { origins: [] }, changing).expect(200);
    }
  });

  it('get no credentials, and nothing under /auth', async () => {
    const { sourceAppId, password } = await a.admin.buildApp();
    await put(sourceAppId, { origins: [SITE], nullOrigin: true }).expect(200);
    const { headers } = await submit(sourceAppId, SITE).expect(200);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    for (const origin of [SITE, 'null']) {
      await a.client.post('/auth/login', { sourceAppId, password }).set('Origin', origin).expect(403);
      await a.admin.get('/auth/users').set('Origin', origin).expect(403);
      await a.admin.get(path(sourceAppId)).set('Origin', origin).expect(403);
    }
  });

  it('count for that app only', async () => {
    const listed = await a.admin.buildApp();
    const other = await a.admin.buildApp();
    await put(listed.sourceAppId, { origins: [SITE] }).expect(200);
    await submit(other.sourceAppId, SITE).expect(403);
    await submit('no-such-app', SITE).expect(403);
    await submit(listed.sourceAppId, 'https://www.example.com.evil.example').expect(403);
    await submit(listed.sourceAppId, 'null').expect(403);
    expect(await a.db.collection('users').countDocuments({ sourceAppId: other.sourceAppId })).toBe(0);
  });

  it('include every origin with "*", and `null` only with nullOrigin', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    await put(sourceAppId, { origins: ['*'] }).expect(200);
    await submit(sourceAppId, 'https://anywhere.example').expect(200);
    await submit(sourceAppId, 'null').expect(403);
    await put(sourceAppId, { nullOrigin: true }).expect(200);
    const { headers } = await submit(sourceAppId, 'null').expect(200);
    expect(headers['access-control-allow-origin']).toBe('null');
    await submit(sourceAppId, 'https://anywhere.example').expect(403);
  });

  it.each(['https://preflight.example', 'capacitor://localhost'])(
    'receive preflights, although these do not name the app: %s',
    async (only) => {
      const preflight = async (origin: string, server = a) =>
        fetch(`${server.client.url}/v1/users`, {
          method: 'OPTIONS',
          headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
        });
      const { sourceAppId } = await a.admin.buildApp();
      expect((await preflight(only)).status).toBe(403);
      await put(sourceAppId, { origins: [only] }).expect(200);
      for (const server of [a, b]) {
        const { status, headers } = await preflight(only, server);
        expect(status).toBe(204);
        expect(headers.get('access-control-allow-origin')).toBe(only);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
        expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
      }
      await put(sourceAppId, {}).expect(200);
      expect((await preflight(only, b)).status).toBe(403);
    },
  );

  it('may be of a packaged app, whose pages submit without credentials', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    const ofApp = 'ionic://localhost';
    await submit(sourceAppId, ofApp).expect(403);
    await put(sourceAppId, { origins: [ofApp] }).expect(200);
    const { headers } = await submit(sourceAppId, ofApp).expect(200);
    expect(headers['access-control-allow-origin']).toBe(ofApp);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    await submit(sourceAppId, 'ionic://other').expect(403);
  });
});

describe('refused origins', () => {
  const refuse = (sourceAppId: string, origin: string, { client } = a) =>
    client.submit(sourceAppId, { email: 'ada@x.org' }).set('Origin', origin).expect(403);
  const refusedOrigins = async (sourceAppId: string, { admin } = a) =>
    (await admin.get(path(sourceAppId)).expect(200)).body.refusedOrigins;

  it('are counted over all servers, the latest first', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    await refuse(sourceAppId, 'https://first.example', a);
    await refuse(sourceAppId, 'https://second.example', a);
    await refusedOrigins(sourceAppId, a);
    await refuse(sourceAppId, 'https://first.example', b);
    await refuse(sourceAppId, 'https://first.example', b);
    expect(await refusedOrigins(sourceAppId, b)).toMatchObject([
      { origin: 'https://first.example', count: 3 },
      { origin: 'https://second.example', count: 1 },
    ]);
  });

  it('are bounded in number, and texts that no browser sends are not kept', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    for (const origin of ['$where', '<script>', `https://${'x'.repeat(300)}.example`, 'https://a.example/path']) {
      await refuse(sourceAppId, origin);
    }
    expect(await refusedOrigins(sourceAppId)).toEqual([]);
    for (let batch = 0; batch < 3; batch += 1) {
      for (let index = 0; index < 10; index += 1) await refuse(sourceAppId, `https://n${batch}-${index}.example`);
      await refusedOrigins(sourceAppId);
    }
    const kept: { origin: string; lastAt: string }[] = await refusedOrigins(sourceAppId);
    expect(kept).toHaveLength(20);
    // Two refusals can be in the same millisecond: their order is open then.
    const last = Array.from({ length: 10 }, (_, index) => `https://n2-${index}.example`);
    expect(
      kept
        .slice(0, 10)
        .map(({ origin }) => origin)
        .sort(),
    ).toEqual(last);
    const times = kept.map(({ lastAt }) => lastAt);
    expect(times).toEqual(times.toSorted().reverse());
  });
});
