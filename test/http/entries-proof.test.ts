import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { solve } from '../../web/embed/proof-of-work.ts';
import { CaptchaProviders, captchaSettings, ENTRIES } from '../support/peers/captcha.ts';
import { PLANS_MAILS } from '../support/server/entries.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

// A request for a link needs the proof of a submission (spec 4.16, rule 7). Nothing is held.

const KNOWN = 'ada@example.com';
const NEW = 'bob@example.com';

let providers: CaptchaProviders;
let a: TestServer;
let b: TestServer;
let app: string;
beforeAll(async () => {
  providers = await CaptchaProviders.start();
  const env = { ...providers.env, ...PLANS_MAILS };
  a = await startServer(env);
  b = await startServer(env, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await providers.close();
});
beforeEach(async () => {
  providers.answer = () => undefined;
  await a.db.collection('mails').deleteMany({});
  ({ sourceAppId: app } = await a.admin.buildApp());
  await a.client.submit(app, { email: KNOWN, data: {} }).expect(200);
});

const set = (settings: object) => a.admin.put(`/auth/apps/${app}/form`, { own: {}, ...settings }).expect(200);
const ask = (body: object, server = a) => server.client.post(`/v1/forms/${app}/entry-link`, body);
const askByForm = (entries: Record<string, string>, server = b) =>
  server.client
    .post(`/v1/forms/${app}/entry-link`, new URLSearchParams(entries).toString())
    .type('form')
    .set('Accept', 'application/json');
const planned = () => a.db.collection('mails').countDocuments({ purpose: 'entry' });
const held = () => a.db.collection('held_submissions').countDocuments({});

describe('proof of work', () => {
  beforeEach(() => set({ botProtection: 'proof-of-work' }));
  const solved = async () => solve((await b.client.get(`/v1/forms/${app}/challenge`).expect(200)).body);

  it('counts once, in JSON, as a header and in a form, for known and unknown emails', async () => {
    const proof = await solved();
    await ask({ email: KNOWN, altcha: proof }).expect(202);
    expect((await ask({ email: KNOWN, altcha: proof }, b).expect(403)).body.code).toBe('proofUsed');
    await ask({ email: KNOWN })
      .set('x-altcha', await solved())
      .expect(202);
    await askByForm({ email: KNOWN, altcha: await solved() }).expect(202);
    expect(await planned()).toBe(3);
    const other = await solved();
    await ask({ email: NEW, altcha: other }).expect(202);
    expect((await ask({ email: NEW, altcha: other }).expect(403)).body.code).toBe('proofUsed');
    expect((await ask({ email: NEW, altcha: 'x' }).expect(403)).body.code).toBe('proofInvalid');
    expect(await planned()).toBe(3);
  });

  it('is not needed with an API key that may submit', async () => {
    const key = await createKey(a, a.admin, ['submit'], { sourceAppId: app });
    await key.send('post', `/v1/forms/${app}/entry-link`, { email: KNOWN }).expect(202);
    expect(await planned()).toBe(1);
  });
});

describe('the token of a provider', () => {
  beforeEach(() => set(captchaSettings('turnstile')));

  it('is needed, also by a form, and counts once', async () => {
    expect((await ask({ email: KNOWN }).expect(403)).body.code).toBe('captchaRequired');
    expect((await askByForm({ email: KNOWN }).expect(403)).body.code).toBe('captchaRequired');
    expect((await ask({ email: KNOWN, captcha: 'bad' }).expect(403)).body.code).toBe('captchaInvalid');
    expect(await planned()).toBe(0);
    await ask({ email: KNOWN, captcha: 'good#1' }).expect(202);
    await askByForm({ email: KNOWN, [ENTRIES.turnstile]: 'good#2' }).expect(202);
    expect((await ask({ email: KNOWN, captcha: 'good#2' }).expect(403)).body.code).toBe('captchaUsed');
    expect(await planned()).toBe(2);
    expect(await held()).toBe(0);
  });

  it('cannot be checked while the provider is away: 503 for every email, and nothing is held', async () => {
    providers.answer = () => ({ status: 500, body: {} });
    for (const email of [KNOWN, NEW]) {
      const { body } = await ask({ email, captcha: `good#away-${email}` }).expect(503);
      expect(body.code).toBe('captchaAway');
    }
    expect([await planned(), await held()]).toEqual([0, 0]);
  });

  it('is not asked for a form whose honeypot is filled', async () => {
    await askByForm({ email: KNOWN, _gotcha: 'x' }).expect(202);
    expect([await planned(), await held()]).toEqual([0, 0]);
  });
});
