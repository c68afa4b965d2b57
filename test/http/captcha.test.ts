import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../web/client/index.ts';
import { CaptchaProviders, captchaSettings, ENTRIES, PROVIDERS } from '../support/peers/captcha.ts';
import { sendForm } from '../support/server/forms.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

let providers: CaptchaProviders;
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  providers = await CaptchaProviders.start();
  a = await startServer(providers.env);
  b = await startServer(providers.env, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await providers.close();
});
beforeEach(() => {
  providers.answer = () => undefined;
  providers.asked.length = 0;
  providers.mostWaiting = 0;
});

let count = 0;
const next = (): number => {
  count += 1;
  return count;
};
const person = (): string => `p${next()}@x.org`;
/** A token that its provider accepts once. */
const good = (host = ''): string => `good${host && `@${host}`}#${next()}`;

async function appWith(settings: object, server = a): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp();
  await server.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  return sourceAppId;
}

/** The id of the entry of a token of Turnstile. */
const claimOf = (token: string): string =>
  `captcha ${createHash('sha256').update(`turnstile ${token}`).digest('base64url')}`;

/** What an app stores and holds: the reasons of held submissions. */
async function storedIn(sourceAppId: string, { db } = a) {
  const app = await db.collection('apps').findOne({ sourceAppId });
  const held = await db.collection('held_submissions').find({ appId: app?._id }).toArray();
  return {
    stored: await db.collection('users').countDocuments({ appId: app?._id }),
    held: held.map(({ reason }) => reason),
  };
}

const submit = (app: string, captcha: string | undefined, { client } = a, email = person()) =>
  client.submit(app, { email, ...(captcha !== undefined && { captcha }) });

describe('challenges of providers (spec 4.5.4)', () => {
  it.each(PROVIDERS)('%s is asked once for the token of a form, of JSON and of the header', async (provider) => {
    const app = await appWith(captchaSettings(provider));
    const tokens = [good(), good(), good()];
    const [ofForm = '', ofJson = '', ofHeader = ''] = tokens;
    // Scripts of providers send their tokens under the names of others too.
    const other = provider === 'turnstile' ? ENTRIES.recaptcha : ENTRIES.turnstile;
    const entries = [
      ['email', person()],
      [other, 'bad'],
      [ENTRIES[provider], ofForm],
    ] as const;
    await sendForm(a.client, app, entries).expect(303).expect('Location', `/f/${app}/thanks`);
    await a.client.post(`/v1/forms/${app}`, { email: person(), captcha: ofJson }).expect(200);
    await a.client.submit(app, { email: person() }).set('x-captcha', ofHeader).expect(200);
    expect(providers.asked).toEqual(
      tokens.map((token) => ({ provider, token, secret: captchaSettings(provider).captcha.secret })),
    );
    expect(await storedIn(app)).toEqual({ stored: 3, held: [] });
  });

  it('the client of programs sends a token', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    const { submit: send } = createClient({ url: a.listener.url, app });
    await expect(send(person(), {})).rejects.toMatchObject({ status: 403, code: 'captchaRequired' });
    await send(person(), {}, { captcha: good() });
    expect(await storedIn(app)).toEqual({ stored: 1, held: [] });
  });

  it.each(PROVIDERS)('a token that %s does not accept is 403', async (provider) => {
    const app = await appWith(captchaSettings(provider));
    expect((await submit(app, 'bad').expect(403)).body).toMatchObject({ code: 'captchaInvalid' });
    const page = await sendForm(a.client, app, [
      ['email', person()],
      ['name', 'Ada'],
      [ENTRIES[provider], 'bad too'],
    ]).expect(403);
    expect(page.text).toContain('value="Ada"');
    expect(page.text).not.toContain('bad too');
    expect(page.text).toContain(`data-sitekey="site-key-of-${provider}"`);
    expect(await storedIn(app)).toEqual({ stored: 0, held: [] });
    expect(providers.asked).toHaveLength(2);
  });

  it('without a token JSON is 403, and a form is held', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    expect((await submit(app, undefined).expect(403)).body).toMatchObject({ code: 'captchaRequired' });
    await submit(app, '').expect(403);
    await sendForm(a.client, app, [['email', person()]])
      .expect(303)
      .expect('Location', `/f/${app}/thanks?held=1`);
    const asJson = () => sendForm(a.client, app, [['email', person()]]).set('Accept', 'application/json');
    expect((await asJson().expect(200)).body).toMatchObject({ id: expect.any(String), held: true });
    await a.admin.put(`/auth/apps/${app}/form`, { ...captchaSettings('turnstile'), receipt: false }).expect(200);
    expect((await asJson().expect(200)).body).toEqual({ ok: true, held: true });
    expect(await storedIn(app)).toEqual({ stored: 0, held: Array(3).fill('no-captcha') });
    expect(providers.asked).toEqual([]);
  });

  it('an API key with the scope submit needs no token', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    const key = await createKey(a, a.admin, ['submit'], { sourceAppId: app });
    await key.send('post', '/v1/users', { email: person() }).expect(200);
    expect(providers.asked).toEqual([]);
  });

  it('a provider is not asked about what is refused anyway, nor about a filled honeypot', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    await submit(app, good(), a, 'nobody').expect(400);
    await submit(app, 'x'.repeat(8_001)).expect(403);
    await sendForm(a.client, app, [
      ['email', person()],
      ['_gotcha', 'x'],
      [ENTRIES.turnstile, good()],
    ])
      .set('Accept', 'application/json')
      .expect(200)
      .expect(({ body }) => expect(body).not.toHaveProperty('held'));
    const closed = await appWith({ ...captchaSettings('turnstile'), closesAt: '2020-01-01T00:00:00Z' });
    await submit(closed, good()).expect(403);
    expect(providers.asked).toEqual([]);
    expect(await storedIn(app)).toEqual({ stored: 0, held: ['honeypot'] });
  });

  it('limits of submissions bound the questions about tokens of a stranger', async () => {
    const app = await appWith({ ...captchaSettings('turnstile'), submitPerMinute: 3 });
    for (let index = 0; index < 3; index += 1) await submit(app, `garbage ${index}`).expect(403);
    await submit(app, 'garbage').expect(429);
    expect(providers.asked).toHaveLength(3);
  });
});

describe('a token', () => {
  it('counts once over all servers and apps, also for submissions at the same time', async () => {
    const one = await appWith(captchaSettings('hcaptcha'));
    const other = await appWith(captchaSettings('hcaptcha'));
    const token = good();
    const answers = await Promise.all(
      [one, other, one, other, one, other].map((app, index) => submit(app, token, index % 4 < 2 ? a : b)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403]);
    for (const { body } of answers.filter(({ status }) => status === 403)) expect(body.code).toBe('captchaUsed');
    expect(providers.asked).toHaveLength(1);
    // Another provider may make the same token.
    const third = await appWith(captchaSettings('friendly'));
    await submit(third, good()).expect(200);
  });

  it('that was refused is not asked for again', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    for (const server of [a, b, a]) await submit(app, 'bad once', server).expect(403);
    expect(providers.asked).toHaveLength(1);
  });

  it.each([
    ['that counted is kept for 24 hours, as a hash', good(), 200, 24],
    // So that garbage of strangers does not fill the database.
    ['that was refused is kept for an hour', 'garbage of a stranger', 403, 1],
  ])('%s', async (_name, token, status, hours) => {
    const app = await appWith(captchaSettings('turnstile'));
    const sentAt = Date.now();
    await submit(app, token).expect(status);
    const spent = a.db.collection<{ _id: string; at: Date }>('spent_challenges');
    const entry = await spent.findOne({ _id: claimOf(token) });
    const expiry = (await spent.indexes()).find(({ key }) => 'at' in key)?.expireAfterSeconds ?? 0;
    const keptMs = (entry?.at.getTime() ?? 0) + expiry * 1_000 - sentAt;
    expect(keptMs / 3_600_000).toBeCloseTo(hours, 1);
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  it('passes a repeat with the same email and key on every server, without a question', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    const [token, email] = [good(), person()];
    const repeat = (server: TestServer, key = 'k1') => submit(app, token, server, email).set('Idempotency-Key', key);
    const answers = await Promise.all([a, b, a, b].map((server) => repeat(server)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(providers.asked).toHaveLength(1);
    await repeat(b, 'k2').expect(403);
    await submit(app, token, b).set('Idempotency-Key', 'k1').expect(403);
    expect(providers.asked).toHaveLength(1);
  });

  it('of one app passes nobody to another one, also with the same email and key', async () => {
    const [one, other] = [await appWith(captchaSettings('turnstile')), await appWith(captchaSettings('turnstile'))];
    const [token, email] = [good(), person()];
    await submit(one, token, a, email).set('Idempotency-Key', 'k1').expect(200);
    const { body } = await submit(other, token, b, email).set('Idempotency-Key', 'k1').expect(403);
    expect(body.code).toBe('captchaUsed');
    expect(await storedIn(other)).toEqual({ stored: 0, held: [] });
  });

  it('passes a form that is sent again with its key and another token', async () => {
    const app = await appWith(captchaSettings('turnstile'));
    const email = person();
    const send = (token: string) =>
      sendForm(a.client, app, [
        ['email', email],
        ['_key', 'again'],
        [ENTRIES.turnstile, token],
      ]);
    await send(good()).expect(303);
    await send(good()).expect(303);
    // What was applied is answered in every case.
    await send('bad again').expect(303);
    expect(await storedIn(app)).toEqual({ stored: 1, held: [] });
  });

  it('passes nobody while a process has stopped before it kept the verdict', { tags: 'long' }, async () => {
    const app = await appWith(captchaSettings('turnstile', { outage: 'refuse' }));
    const [token, email] = ['bad, and the process stops', person()];
    const spent = a.db.collection<{ _id: string; at: Date }>('spent_challenges');
    const repeat = (server: TestServer) => submit(app, token, server, email).set('Idempotency-Key', 'stopped');
    await repeat(a).expect(403);
    const _id = claimOf(token);
    // As a process leaves it that stops after the question.
    const claim = (ageMs: number) => ({
      $unset: { verdict: 1 as const },
      $set: { at: new Date(Date.now() + 23 * 3_600_000 - ageMs) },
    });
    await spent.updateOne({ _id }, claim(0));
    // Another process waits for the verdict first.
    await repeat(b).expect(503);
    expect(providers.asked).toHaveLength(1);
    await spent.updateOne({ _id }, claim(10_000));
    // Then it asks itself; of several one does.
    const answers = await Promise.all([repeat(a), repeat(b), repeat(b)]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(providers.asked).toHaveLength(2);
  });
});

describe('the host on which a challenge was solved', () => {
  it.each(PROVIDERS)('is that of the request or one of the origins (%s)', async (provider) => {
    const app = await appWith({ ...captchaSettings(provider), origins: ['https://www.example.com'] });
    const host = new URL(a.listener.url).hostname;
    await submit(app, good(host)).expect(200);
    await submit(app, good('www.example.com')).expect(200);
    expect((await submit(app, good('evil.example')).expect(403)).body.code).toBe('captchaInvalid');
    await submit(app, good('example.com')).expect(403);
    const open = await appWith({ ...captchaSettings(provider), origins: ['*'] });
    await submit(open, good('evil.example')).expect(200);
  });

  it('is that of PUBLIC_URL where it is set', async () => {
    const server = await startServer({ ...providers.env, PUBLIC_URL: 'https://forms.example.com' });
    try {
      const app = await appWith(captchaSettings('turnstile'), server);
      await submit(app, good('forms.example.com'), server).expect(200);
      await submit(app, good(new URL(server.listener.url).hostname), server).expect(403);
    } finally {
      await server.close();
    }
  });
});

describe('a provider that is away', () => {
  /** What providers answer when they are away. The last one is never answered. */
  const OUTAGES = [
    ['5xx', () => ({ status: 500, body: { success: true } })],
    ['429', () => ({ status: 429, body: { success: false } })],
    ['no JSON', () => (res: ServerResponse) => void res.end('<html>')],
    ['JSON without a verdict', () => ({ body: { success: 'true' } })],
    [
      'a redirect',
      () => (res: ServerResponse) => void res.writeHead(302, { location: '/other' }).end('{"success":true}'),
    ],
    ['too much', () => (res: ServerResponse) => void res.end(`{"success":true,"x":"${'x'.repeat(70_000)}"}`)],
    [
      'a part',
      () => (res: ServerResponse) =>
        void res.writeHead(200, { 'content-length': 50 }).write('{"success":true', () => res.destroy()),
    ],
    ['an internal error', () => ({ body: { success: false, 'error-codes': ['internal-error'] } })],
    ['nothing in time', () => () => undefined],
  ] as const satisfies readonly (readonly [string, CaptchaProviders['answer']])[];

  // Each has a server of its own: after five failures a process asks no more.
  it.each(OUTAGES)('with %s: submissions are held, or answered with 503', { tags: 'long' }, async (_name, answer) => {
    const server = await startServer(providers.env);
    try {
      const holding = await appWith(captchaSettings('turnstile'), server);
      const refusing = await appWith(captchaSettings('turnstile', { outage: 'refuse' }), server);
      providers.answer = answer;
      const [token, email] = [good(), person()];
      const held = () => submit(holding, token, server, email).set('Idempotency-Key', 'held');
      const { body } = await held().expect(200);
      // Held once, without another question.
      expect((await held().expect(200)).body).toEqual(body);
      await sendForm(server.client, holding, [
        ['email', person()],
        [ENTRIES.turnstile, good()],
      ])
        .expect(303)
        .expect('Location', `/f/${holding}/thanks?held=1`);
      expect(await storedIn(holding, server)).toEqual({ stored: 0, held: ['captcha-away', 'captcha-away'] });
      expect(providers.asked).toHaveLength(2);

      const [other, somebody] = [good(), person()];
      const refused = () => submit(refusing, other, server, somebody).set('Idempotency-Key', 'refused');
      const answered = await refused().expect(503).expect('Retry-After', '10');
      expect(answered.body.code).toBe('captchaAway');
      expect(await storedIn(refusing, server)).toEqual({ stored: 0, held: [] });
      // The token is still good when the provider is back, if it did not count there.
      providers.answer = () => undefined;
      await refused().expect(200);
      expect(providers.asked.map(({ token: one }) => one).slice(2)).toEqual([other, other]);
      // The operator learns of it, once a minute.
      expect(server.log().split('a provider of challenges is away')).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  it.each(PROVIDERS)('a secret that %s does not know is to blame for itself only', async (provider) => {
    const app = await appWith({ ...captchaSettings(provider, { secret: 'wrong' }) });
    for (let index = 0; index < 7; index += 1) await submit(app, good()).expect(200);
    expect((await storedIn(app)).held).toHaveLength(7);
    expect(providers.asked).toHaveLength(7);
    await submit(await appWith(captchaSettings(provider)), good()).expect(200);
    expect(providers.asked).toHaveLength(8);
  });

  it('gets at most 20 questions at once; others wait for an answer', { tags: 'long' }, async () => {
    const server = await startServer(providers.env);
    try {
      const app = await appWith(captchaSettings('turnstile'), server);
      providers.answer = async () => {
        while (providers.mostWaiting < 20) await sleep(5);
      };
      const answers = await Promise.all(Array.from({ length: 50 }, () => submit(app, good(), server)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(providers.mostWaiting).toBe(20);
    } finally {
      await server.close();
    }
  });

  it('of which 20 questions are not answered holds further submissions without more questions', {
    tags: 'long',
  }, async () => {
    const server = await startServer(providers.env);
    try {
      const app = await appWith(captchaSettings('turnstile'), server);
      providers.answer = () => () => undefined;
      const answers = await Promise.all(Array.from({ length: 40 }, () => submit(app, good(), server)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await storedIn(app, server)).held).toEqual(Array(40).fill('captcha-away'));
      // The first failures free places for a moment; the fifth ends all questions.
      expect(providers.asked.length).toBeLessThan(25);
      // The connections of the questions are closed.
      while (providers.waiting > 0) await sleep(5);
    } finally {
      await server.close();
    }
  });

  it('does not keep the questions to another provider from being answered', { tags: 'long' }, async () => {
    const server = await startServer(providers.env);
    try {
      const app = await appWith(captchaSettings('hcaptcha'), server);
      const other = await appWith(captchaSettings('friendly'), server);
      providers.answer = ({ provider }) => (provider === 'hcaptcha' ? { status: 503, body: {} } : undefined);
      for (let index = 0; index < 5; index += 1) await submit(app, good(), server).expect(200);
      // From now on it counts as away without a question.
      await submit(app, good(), server).expect(200);
      expect(providers.asked).toHaveLength(5);
      await submit(other, good(), server).expect(200);
      expect(await storedIn(other, server)).toEqual({ stored: 1, held: [] });
    } finally {
      await server.close();
    }
  });
});

describe('a process that stops between the answer of the provider and its record', () => {
  it('leaves a claim that passes nobody, and is decided again', { tags: 'long' }, async () => {
    const { proxy, slow: stopped } = await startSlow(providers.env, a.database);
    try {
      const app = await appWith(captchaSettings('turnstile', { outage: 'refuse' }));
      const [token, email] = ['bad, and held', person()];
      const repeat = (server: TestServer) => submit(app, token, server, email).set('Idempotency-Key', 'held-update');
      const seen = proxy.holdNext('update', 'spent_challenges');
      const first = repeat(stopped).then((answer) => answer);
      const forward = await seen;
      // Nothing says yet that the token is refused.
      await repeat(b).expect(503);
      expect(providers.asked).toHaveLength(1);
      await forward();
      await first;
      await repeat(b).expect(403);
      expect(providers.asked).toHaveLength(1);
      expect(await storedIn(app)).toEqual({ stored: 0, held: [] });
    } finally {
      await stopped.close();
    }
  });

  it('changes no verdict of who took the claim over', { tags: 'long' }, async () => {
    const { proxy, slow: stopped } = await startSlow(providers.env, a.database);
    try {
      const app = await appWith(captchaSettings('turnstile', { outage: 'refuse' }));
      const [token, email] = [good(), person()];
      const repeat = (server: TestServer) => submit(app, token, server, email).set('Idempotency-Key', 'taken-over');
      const verdict = async () =>
        (await a.db.collection('spent_challenges').findOne({ _id: claimOf(token) as never }))?.verdict;
      const seen = proxy.holdNext('update', 'spent_challenges');
      const first = repeat(stopped).then((answer) => answer);
      const forward = await seen;
      await sleep(3_100);
      // The provider says that the token was used.
      await repeat(b).expect(403);
      expect(await verdict()).toBe('refused');
      await forward();
      await first;
      expect(await verdict()).toBe('refused');
      expect(providers.asked).toHaveLength(2);
    } finally {
      await stopped.close();
    }
  });
});

describe('settings with a provider', () => {
  const path = (app: string) => `/auth/apps/${app}/form`;

  it('never answer the secret, and keep it unless another one is sent', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const settings = captchaSettings('hcaptcha');
    const { secret } = settings.captcha;
    const shown = { siteKey: 'site-key-of-hcaptcha', outage: 'hold', hasSecret: true };
    const { body } = await a.admin.put(path(app), settings).expect(200);
    expect(body.captcha).toEqual(shown);
    expect((await b.admin.get(path(app)).expect(200)).body).toEqual(body);
    // A response is a valid body.
    const again = await b.admin.put(path(app), { ...body, title: 'T' }).expect(200);
    expect(again.body.captcha).toEqual(shown);
    await submit(app, good()).expect(200);
    expect(providers.asked.at(-1)).toMatchObject({ provider: 'hcaptcha', secret });
    const captcha = { ...shown, outage: 'refuse', secret: 'another secret of the app' };
    await a.admin.put(path(app), { ...body, captcha }).expect(200);
    await submit(app, good(), b).expect(503);
    expect(providers.asked.at(-1)).toMatchObject({ secret: captcha.secret });
    // A copy of everything that is answered has neither.
    const answers = [
      await a.admin.get('/auth/audit').expect(200),
      await a.admin.get('/auth/apps').expect(200),
      await a.admin.get(`/auth/users/export?format=ndjson&sourceAppId=${app}`).expect(200),
      await a.client.get(`/v1/forms/${app}`).expect(200),
      await a.client.get(`/f/${app}`).expect(200),
    ];
    const texts = [...answers.map(({ text }) => text), a.log(), b.log()].join('\n');
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain(captcha.secret);
    expect(answers[0]?.text).toContain('form.replaced');
  });

  it('keep the secret that another replacement sets meanwhile', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    await a.admin.put(path(app), captchaSettings('turnstile', { secret: 'first' })).expect(200);
    const { proxy, slow } = await startSlow(providers.env, a.database);
    try {
      const seen = proxy.holdNext('findAndModify', 'apps');
      const keeping = { botProtection: 'turnstile', captcha: { siteKey: 'k' } };
      const kept = slow.admin.put(path(app), keeping).then((answer) => answer);
      const forward = await seen;
      await b.admin.put(path(app), captchaSettings('turnstile', { secret: 'second' })).expect(200);
      await forward();
      expect((await kept).status).toBe(200);
      const stored = await a.db.collection('apps').findOne({ sourceAppId: app });
      expect(stored?.form.captcha).toEqual({ siteKey: 'k', secret: 'second', outage: 'hold' });
    } finally {
      await slow.close();
    }
  });

  it('with If-Match keep the secret of the named settings only', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const { headers, body } = await a.admin.put(path(app), captchaSettings('turnstile')).expect(200);
    const etag = String(headers.etag);
    await a.admin.put(path(app), body).set('If-Match', etag).expect(200);
    await a.admin.put(path(app), body).set('If-Match', etag).expect(412);
  });

  it('need both keys, those of this provider', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const pathsOf = async (settings: object) => {
      const { body } = await a.admin.put(path(app), settings).expect(400);
      return body.errors.map(({ path: one, code }: { path: string; code: string }) => `${one} ${code}`);
    };
    const both = ['captcha.siteKey required', 'captcha.secret required'];
    expect(await pathsOf({ botProtection: 'friendly' })).toEqual(both);
    expect(await pathsOf({ botProtection: 'friendly', captcha: { siteKey: 'k' } })).toEqual([
      'captcha.secret required',
    ]);
    expect(await pathsOf({ botProtection: 'friendly', captcha: { secret: 's' } })).toEqual([
      'captcha.siteKey required',
    ]);
    expect(await pathsOf(captchaSettings('friendly', { outage: 'pass' }))).toHaveLength(1);
    await a.admin.put(path(app), captchaSettings('friendly')).expect(200);
    // The secret of one provider is not for another one.
    const other = { ...captchaSettings('turnstile').captcha, secret: undefined };
    expect(await pathsOf({ botProtection: 'turnstile', captcha: other })).toEqual(['captcha.secret required']);
    // Without a provider there are no keys.
    const { body } = await a.admin.put(path(app), { ...captchaSettings('friendly'), botProtection: 'off' }).expect(200);
    expect(body).not.toHaveProperty('captcha');
    const stored = await a.db.collection('apps').findOne({ sourceAppId: app });
    expect(stored?.form).not.toHaveProperty('captcha');
  });
});

describe('the pages of an app with a provider', () => {
  const HCAPTCHA = 'https://hcaptcha.com https://*.hcaptcha.com';
  /** The directives with addresses, as the providers document them. */
  const DIRECTIVES = {
    turnstile: ["script-src 'self' https://challenges.cloudflare.com", 'frame-src https://challenges.cloudflare.com'],
    hcaptcha: [
      `style-src 'self' ${HCAPTCHA}`,
      `script-src 'self' ${HCAPTCHA}`,
      `frame-src ${HCAPTCHA}`,
      `connect-src 'self' ${HCAPTCHA}`,
    ],
    recaptcha: [
      "script-src 'self' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
      'frame-src https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    ],
    friendly: ["script-src 'self' https://cdn.jsdelivr.net/npm/@friendlycaptcha/", 'frame-src https://*.frcapi.com'],
  } as const;
  const SCRIPTS = {
    turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    hcaptcha: 'https://js.hcaptcha.com/1/api.js',
    recaptcha: 'https://www.google.com/recaptcha/api.js',
    friendly: 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@0.1.26/site.min.js',
  };

  it.each(PROVIDERS)('load the script of %s, and their policy names its hosts and no other', async (provider) => {
    const app = await appWith(captchaSettings(provider));
    const { text, headers } = await a.client.get(`/f/${app}`).expect(200);
    const directives = String(headers['content-security-policy']).split('; ');
    expect(directives.filter((one) => /https?:/.test(one))).toEqual(DIRECTIVES[provider]);
    const entry = ENTRIES[provider];
    expect(text).toContain(
      `<div class="${entry.replace('-response', '')}" data-sitekey="site-key-of-${provider}"></div>`,
    );
    const script = SCRIPTS[provider];
    expect(/<script src="(https:[^"]+)"[^>]* async defer>/.exec(text)?.[1]).toBe(script);
    // The page after the form has neither.
    const thanks = await a.client.get(`/f/${app}/thanks`).expect(200);
    expect(thanks.text).not.toContain('https:');
    expect(thanks.headers['content-security-policy']).not.toContain('https:');
    const { body } = await a.client.get(`/v1/forms/${app}`).expect(200);
    expect(body.captcha).toMatchObject({ provider, siteKey: `site-key-of-${provider}`, entry, script });
  });

  it('are as before without one', async () => {
    const app = await appWith({ botProtection: 'honeypot' });
    const { text, headers } = await a.client.get(`/f/${app}`).expect(200);
    expect(text).not.toContain('https:');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect((await a.client.get(`/v1/forms/${app}`).expect(200)).body).not.toHaveProperty('captcha');
    // A token of an app without a provider is no data.
    await sendForm(a.client, app, [
      ['email', person()],
      [ENTRIES.turnstile, 'x'],
    ]).expect(303);
    expect(await storedIn(app)).toEqual({ stored: 1, held: [] });
  });
});
