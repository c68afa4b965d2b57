// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { CaptchaProviders, captchaSettings } from '../support/peers/captcha.ts';
import { rounds } from '../support/run/rounds.ts';
import { send, untilServed } from './load.ts';
import { inspect, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const KILLS = rounds(20, 3);
const PEOPLE = 12;
/** A submission is acknowledged or refused by then, whatever happens to a server. */
const GIVE_UP_MS = 60_000;
const POLL = { timeout: 60_000, interval: 200 };
const FIELDS = [
  { key: 'plan', kind: 'select', required: true, enum: ['free', 'pro'] },
  {
    key: 'seats',
    kind: 'number',
    showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
    requiredIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
  },
  { key: 'token', kind: 'text' },
  { key: 'status', kind: 'select', writers: 'staff', enum: ['new', 'done'], default: 'new' },
];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

it(`counts a token once, removes hidden values with the write that hides them and keeps fields of the team, through ${KILLS} kills of two servers (spec 2.11, 2.12, 4.5.4)`, {
  timeout: 600_000,
}, async () => {
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  const providers = await CaptchaProviders.start();
  cleanups.push(() => providers.close());
  // One that takes each token as often as it is sent.
  providers.answer = () => ({ body: { success: true } });
  const env = { MONGODB_URI: database.uri, RATE_LIMIT_SUBMIT: '0', ...providers.env };
  const servers = [await (await Service.create(env)).start(), await (await Service.create(env)).start()] as const;
  for (const server of servers) cleanups.push(() => server.stop());
  const admin = await servers[0].admin();
  await admin.post('/auth/apps', { sourceAppId: 'forms', history: { submissions: true } }).expect(200);
  await admin.putSchema('forms', { rejectUnknown: true, fields: FIELDS as never }).expect(200);
  await admin.put('/auth/apps/forms/form', captchaSettings('turnstile', { outage: 'refuse' })).expect(200);

  let tokens = 0;
  let hasEnded = false;
  /** Ends the writers of a test that failed. */
  let isOver = false;
  cleanups.push(async () => {
    hasEnded = true;
    isOver = true;
  });
  const acknowledged = new Set<string>();
  const last = new Map<string, object>();
  const unexpected = new Set<string>();

  async function submit(index: number, email: string, data: object, captcha: string, key: string) {
    const headers = { 'x-app-id': 'forms', 'idempotency-key': key };
    const url = `${servers[index % 2]?.url}/v1/users`;
    const { status, text } = await send(url, { method: 'POST', headers, body: { email, data, captcha } });
    if (![0, 200, 403, 503].includes(status)) unexpected.add(`${status} ${text}`);
    return status;
  }

  /** Sends one submission until it is acknowledged: with another token where this one is lost. */
  async function submitOnce(email: string, values: object): Promise<void> {
    while (!isOver) {
      tokens += 1;
      const token = `good#${tokens}`;
      const data = { ...values, token };
      // Sometimes somebody else uses the token on the other server at the same time.
      const isShared = tokens % 4 === 0;
      const other = isShared && submit(tokens + 1, `thief-${tokens}@example.org`, { plan: 'free', token }, token, 'k');
      const until = performance.now() + GIVE_UP_MS;
      for (let attempt = 0; !isOver; attempt += 1) {
        if (performance.now() > until) throw new Error(`no answer to ${token}`);
        const status = await submit(tokens + attempt, email, data, token, token);
        if (status === 200) {
          acknowledged.add(token);
          last.set(email, values);
          await other;
          return;
        }
        if (status === 403) break;
        await sleep(100 + Math.random() * 200);
      }
      await other;
    }
  }

  async function write(email: string): Promise<void> {
    for (let count = 1; !hasEnded; count += 1)
      await submitOnce(email, count % 2 === 1 ? { plan: 'pro', seats: count } : { plan: 'free' });
  }

  const emails = Array.from({ length: PEOPLE }, (_, index) => `person-${index}@example.org`);
  const writers = emails.map(write);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const server = servers[kill % 2] ?? servers[0];
    await sleep(700 + Math.random() * 700);
    await server.kill();
    await server.start();
    await untilServed(() => send(`${server.url}/ready`));
    const body = { email: 'stranger@example.org', data: { plan: 'free', status: 'done' }, captcha: `good#s${kill}` };
    const refused = await send(`${server.url}/v1/users`, { method: 'POST', headers: { 'x-app-id': 'forms' }, body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('staffOnly')]);
    if (kill === 1) {
      const { body: found } = await (await server.admin())
        .get('/auth/users?sourceAppId=forms&q=person-0@example.org')
        .expect(200);
      await (await server.admin())
        .patch(`/auth/users/${found.users[0].id}?sourceAppId=forms`, { set: { status: 'done' } })
        .expect(200);
    }
    // No state that others see has a hidden value.
    const hidden = await inspect(database.uri, (db) =>
      db.collection('users').countDocuments({ 'data.plan': 'free', 'data.seats': { $exists: true } }),
    );
    expect(hidden).toBe(0);
    logProgress(`kill ${kill} of ${KILLS}: ${acknowledged.size} acknowledged, ${tokens} tokens`);
  }
  hasEnded = true;
  await Promise.all(writers);

  const keptTokens = () =>
    inspect(database.uri, (db) =>
      db
        .collection('submissions')
        .find({})
        .map(({ data }) => String(data.token))
        .toArray(),
    );
  await expect
    .poll(async () => {
      const kept = new Set(await keptTokens());
      return [...acknowledged].filter((token) => !kept.has(token));
    }, POLL)
    .toEqual([]);
  const kept = await keptTokens();
  expect(kept.length).toBe(new Set(kept).size);
  const stored = await inspect(database.uri, (db) =>
    db
      .collection('users')
      .find({ email: /^person/ })
      .toArray(),
  );
  expect(stored).toHaveLength(PEOPLE);
  for (const { email, data } of stored) {
    const { token, status, ...values } = data;
    expect(values).toEqual(last.get(email));
    expect([email, status]).toEqual([email, email === 'person-0@example.org' ? 'done' : 'new']);
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS * PEOPLE);
  expect([...unexpected]).toEqual([]);
});
