import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHALLENGES_PER_MINUTE } from '../../src/features/bots/challenges.routes.ts';
import { CHALLENGE_LIFETIME_MS } from '../../src/features/bots/challenges.ts';
import { type Challenge, solve } from '../../web/embed/proof-of-work.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const USED = 'The proof of work was used before; solve a new challenge';
const INVALID = 'The proof of work is not valid; solve a new challenge';

let a: TestServer;
let b: TestServer;
let app: TestApp;
beforeAll(async () => {
  a = await startServer();
  b = await startServer({}, a.database);
  app = await protectedApp();
});
afterAll(async () => {
  await b.close();
  await a.close();
});

async function protectedApp(): Promise<TestApp> {
  const created = await a.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
  await a.admin.put(`/auth/apps/${created.sourceAppId}/form`, { botProtection: 'proof-of-work' }).expect(200);
  return created;
}

async function challengeOf({ sourceAppId } = app, { client } = a): Promise<Challenge> {
  return (await client.get(`/v1/forms/${sourceAppId}/challenge`).expect(200).expect('Cache-Control', 'no-store')).body;
}

const solved = async (of = app, server = a): Promise<string> => solve(await challengeOf(of, server));
let persons = 0;
const person = (): string => {
  persons += 1;
  return `p${persons}@x.org`;
};
const submit = (altcha: string, { client } = a, { sourceAppId } = app) =>
  client.submit(sourceAppId, { email: person(), altcha });
const decode = (solution: string) => JSON.parse(Buffer.from(solution, 'base64').toString());
const encode = (payload: object): string => Buffer.from(JSON.stringify(payload)).toString('base64');

describe('GET /v1/forms/:sourceAppId/challenge (spec 4.5)', () => {
  it('answers a challenge that differs each time', async () => {
    const [one, other] = [await challengeOf(), await challengeOf()];
    expect(one.parameters).toMatchObject({ algorithm: 'PBKDF2/SHA-256', keyLength: 32 });
    expect(one.parameters.nonce).not.toBe(other.parameters.nonce);
    expect(one.signature).not.toBe(other.signature);
  });

  it('is valid for 20 minutes', async () => {
    const sentAt = Date.now();
    const { body } = await a.client.get(`/v1/forms/${app.sourceAppId}/challenge`).expect(200);
    const expiresAt = body.parameters.expiresAt * 1_000;
    expect(expiresAt).toBeGreaterThanOrEqual(sentAt - 1_000 + CHALLENGE_LIFETIME_MS);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + CHALLENGE_LIFETIME_MS);
  });

  it('is refused with 503 when more are requested at once than can be made', { tags: 'long' }, async () => {
    const found = await a.services.findApp(app.sourceAppId);
    if (!found) throw new Error('no app');
    const answers = await Promise.allSettled(Array.from({ length: 300 }, () => a.services.challenges.issue(found.id)));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ status: 503 });
    // One is being made while 200 wait.
    expect(refused).toHaveLength(99);
    await challengeOf();
  });

  it.each(['no-such-app', `${'x'.repeat(81)}`, '%00'])('is 404 for the unknown app %s', async (id) => {
    await a.client.get(`/v1/forms/${id}/challenge`).expect(404);
  });

  it('is for the origins of the app, without credentials', async () => {
    const path = `/v1/forms/${app.sourceAppId}/challenge`;
    const origin = 'https://www.example.com';
    await a.client.get(path).set('Origin', origin).expect(403);
    const open = await protectedApp();
    await a.admin.put(`/auth/apps/${open.sourceAppId}/form`, { origins: [origin] }).expect(200);
    const { headers } = await b.client.get(`/v1/forms/${open.sourceAppId}/challenge`).set('Origin', origin).expect(200);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('is limited per app and client network', { tags: 'long' }, async () => {
    const [flooded, other] = [await protectedApp(), await protectedApp()];
    const path = `/v1/forms/${flooded.sourceAppId}/challenge`;
    const statuses: number[] = [];
    for (let sent = 0; sent < CHALLENGES_PER_MINUTE + 20; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => a.client.get(path)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(CHALLENGES_PER_MINUTE);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const { headers } = await a.client.get(path).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await a.client.get(`/v1/forms/${other.sourceAppId}/challenge`).expect(200);
  });
});

describe('an app with the bot protection `proof-of-work`', () => {
  it('refuses a submission without a solution', async () => {
    const { body } = await a.client.submit(app.sourceAppId, { email: person() }).expect(403);
    expect(body.message).toMatch(/proof of work/);
    await submit('').expect(403);
  });

  it('takes a solution in the body or in `x-altcha`', async () => {
    await submit(await solved()).expect(200);
    await a.client
      .submit(app.sourceAppId, { email: person() })
      .set('x-altcha', await solved())
      .expect(200);
  });

  it('takes a solution of another server once, and on no server again', async () => {
    const solution = await solved(app, a);
    await submit(solution, b).expect(200);
    for (const server of [a, b]) expect((await submit(solution, server).expect(403)).body.message).toBe(USED);
  });

  it('takes one of concurrent submissions with one solution', { tags: 'long' }, async () => {
    for (let round = 0; round < 10; round += 1) {
      const solution = await solved();
      const answers = await Promise.all([a, b, a, b].map((server) => submit(solution, server)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    }
  });

  it('takes a repeat with the same Idempotency-Key, on every server and at the same time', async () => {
    const [email, altcha] = [person(), await solved()];
    const send = ({ client }: TestServer, key: string, to = email) =>
      client.submit(app.sourceAppId, { email: to, data: { list: [1] }, altcha }).set('Idempotency-Key', key);
    const answers = await Promise.all([a, b, a, b].map((server) => send(server, 'one')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await send(b, 'two').expect(403)).body.message).toBe(USED);
    await send(b, 'one', person()).expect(403);
    const stored = await a.db.collection('users').findOne({ sourceAppId: app.sourceAppId, email });
    expect(stored?.data.list).toHaveLength(1);
  });

  it('keeps a solution unspent when the submission is invalid', async () => {
    const altcha = await solved();
    await a.client.submit(app.sourceAppId, { email: 'nobody', altcha }).expect(400);
    await submit(altcha).expect(200);
  });

  it('refuses a solution of another app', async () => {
    const { parameters, signature } = await a.services.challenges.issue(new ObjectId());
    expect((await submit(await solve({ parameters, signature })).expect(403)).body.message).toBe(INVALID);
  });

  it('refuses a solution of another app, also of an earlier one of the same id', { tags: 'long' }, async () => {
    const other = await protectedApp();
    expect((await submit(await solved(other)).expect(403)).body.message).toBe(INVALID);
    const { sourceAppId } = other;
    const earlier = await solved(other);
    await submit(await solved(other), a, other).expect(200);
    const appId = (await a.db.collection('users').findOne({ sourceAppId }))?.appId;
    const ofApp = { _id: { $regex: `^${appId}` } } as object;
    expect(await a.db.collection('spent_challenges').countDocuments(ofApp)).toBe(1);
    await a.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(await a.db.collection('spent_challenges').countDocuments(ofApp)).toBe(0);
    await a.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await a.admin.put(`/auth/apps/${sourceAppId}/form`, { botProtection: 'proof-of-work' }).expect(200);
    expect((await submit(earlier, b, other).expect(403)).body.message).toBe(INVALID);
  });

  it('refuses a solution of an expired challenge', async () => {
    const found = await a.services.findApp(app.sourceAppId);
    if (!found) throw new Error('no app');
    const { parameters, signature } = await a.services.challenges.issue(found.id, new Date(Date.now() - 2_000));
    const { body } = await submit(await solve({ parameters, signature })).expect(403);
    expect(body.message).toBe('The proof of work has expired; solve a new challenge');
  });

  it.each([
    ['a lower cost', { cost: 1 }],
    ['a huge cost', { cost: 2 ** 40 }],
    ['another algorithm', { algorithm: 'SHA-256' }],
    ['a later expiry', { expiresAt: 4_000_000_000 }],
    ['an empty prefix', { keyPrefix: '' }],
    ['another solution', { keySignature: '00'.repeat(32) }],
    ['a property more', { memoryCost: 2 ** 40 }],
  ])('refuses a challenge that was changed to %s', async (_name, change) => {
    const { challenge, solution } = decode(await solved());
    const changed = { ...challenge, parameters: { ...challenge.parameters, ...change } };
    expect((await submit(encode({ challenge: changed, solution })).expect(403)).body.message).toBe(INVALID);
  });

  it('refuses wrong solutions of a real challenge', async () => {
    const { challenge, solution } = decode(await solved());
    const wrong = [
      { ...solution, derivedKey: `00${solution.derivedKey.slice(2)}` },
      { ...solution, derivedKey: challenge.parameters.keyPrefix },
      { ...solution, derivedKey: '' },
      { ...solution, counter: -1 },
      { counter: solution.counter },
      {},
    ];
    for (const one of wrong) await submit(encode({ challenge, solution: one })).expect(403);
    await submit(encode({ challenge: { ...challenge, signature: '' }, solution })).expect(403);
    await submit(encode({ challenge: { parameters: challenge.parameters }, solution })).expect(403);
    await submit(encode({ challenge, solution })).expect(200);
  });

  it.each([
    ['no base64', '!!!'],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['null', Buffer.from('null').toString('base64')],
    ['nested JSON', Buffer.from('['.repeat(1_000)).toString('base64')],
    ['a long text', 'e'.repeat(50_000)],
  ])('refuses %s', async (_name, text) => {
    expect((await submit(text).expect(403)).body.message).toBe(INVALID);
  });

  it('accepts what the solver of altcha-lib sends', async () => {
    const { solveChallenge } = await import('altcha-lib');
    const { deriveKey } = await import('altcha-lib/algorithms/pbkdf2');
    const challenge = await challengeOf();
    const solution = await solveChallenge({ challenge, deriveKey });
    await submit(encode({ challenge, solution })).expect(200);
  });
});
