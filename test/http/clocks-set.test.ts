import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAccountStore } from '../../src/features/accounts/account-documents.ts';
import { createAccountModels } from '../../src/features/accounts/accounts.model.ts';
import { createLoginChallenges } from '../../src/features/accounts/challenges.ts';
import { createMailRates } from '../../src/features/notifications/mail-rates.ts';
import { createRenameStore } from '../../src/features/renames/rename-store.ts';
import { createProvider } from '../../src/features/single-sign-on/provider.ts';
import type { SignOnConfig } from '../../src/platform/core/config.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { createSharedLimits } from '../../src/platform/database/shared-limits.ts';
import { createAnnouncement, type ServerDocument } from '../../src/platform/servers/servers.ts';
import { appDocument, untilReady } from '../support/database/index-slots.ts';
import { createModels } from '../support/database/models.ts';
import { joinApp, logIn, totp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { endSharedServer } from '../support/server/shared.ts';

beforeAll(endSharedServer);

const HOUR_MS = 3_600_000;
const POLL = { timeout: 60_000, interval: 20 };
const KNOWN = { $exists: true };
const NAME = { key: 'name', kind: 'text' } as const;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => server.close());

const inAnHour = () => new Date(Date.now() + HOUR_MS);
const newClient = () => new Client(server.client.url);

describe('after the clock of MongoDB was set back by an hour', () => {
  it('a limit of a minute that was full does not refuse for an hour', async () => {
    const [one, other] = ['first', 'second'].map(() =>
      createSharedLimits(server.connection, 'a secret').create('set back', 1, 60_000),
    );
    await one?.take('key');
    const own = { until: { $gt: new Date() }, count: 1 };
    await server.db.collection('limits').updateMany(own, { $set: { until: inAnHour() } });
    expect(await other?.take('key')).toMatchObject({ waitMs: 0 });
    // The window began anew: an event that follows is refused.
    const refused = await other?.take('key');
    expect(refused?.waitMs).toBeGreaterThan(0);
    expect(refused?.waitMs).toBeLessThanOrEqual(60_000);
  });

  it('the guesses of a code count in a window that begins now', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email, id } = await joinApp(server, sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    const guesses = { from: inAnHour(), count: 10 };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, { $set: { guesses } });
    const guesser = newClient();
    await logIn(guesser, email).expect(202);
    await guesser.post('/auth/login/second', { code: totp(body.secret, 1) }).expect(200);
  });

  it('but not where a guess waited for one that began later', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { id } = await joinApp(server, sourceAppId, 'viewer');
    const accounts = createAccountStore(createAccountModels(server.connection).accounts, HOUR_MS);
    const guesses = { from: new Date(Date.now() + 1_000), count: 10 };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, { $set: { guesses } });
    expect(await accounts.countGuess(new ObjectId(id), 60_000)).toBe(11);
  });

  it('confirmation emails are sent in this hour', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { _id } = await appDocument(server, sourceAppId);
    const rates = createMailRates(createModels(server.connection).apps);
    await rates.confirmationTime(_id);
    const ahead = { hour: new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS), count: 1, at: inAnHour() };
    await server.db.collection('apps').updateOne({ _id }, { $set: { 'mailCounts.confirmation': ahead } });
    expect(await rates.confirmationTime(_id)).toSatisfy((time: Date) => time.getTime() <= Date.now());
  });

  it('an index is built and a field is renamed that waited for late writes', { tags: 'long' }, async () => {
    const waiting = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: HOUR_MS });
    const { admin, client, database, db, services } = waiting;
    const [built, renamed] = [await admin.buildApp(), await admin.buildApp({ fields: [NAME] })];
    for (const { sourceAppId } of [built, renamed]) {
      await client.submit(sourceAppId, { email: 'ada@x.org', data: { name: 'Ada' } }).expect(200);
    }
    await admin.putSchema(built.sourceAppId, { fields: [{ ...NAME, indexed: true }] }).expect(200);
    const renames = [{ from: 'name', to: 'fullName' }];
    await rename(admin, renamed.sourceAppId, { fields: [{ ...NAME, key: 'fullName' }], renames }).expect(200);
    const [slot, progress] = [{ 'slots.0.knownAt': KNOWN }, { 'progress.knownAt': KNOWN }];
    await expect.poll(() => db.collection('apps').countDocuments(slot), POLL).toBe(1);
    await expect.poll(() => db.collection('schema_versions').countDocuments(progress), POLL).toBe(1);
    await services.jobs.stop();
    await db.collection('apps').updateOne(slot, { $set: { 'slots.0.knownAt': inAnHour() } });
    await db.collection('schema_versions').updateOne(progress, { $set: { 'progress.knownAt': inAnHour() } });

    const worker = await startServer({}, database, { ...FULL_LEASES, writesEndMs: 100 });
    try {
      await untilReady(worker, built.sourceAppId, ['name']);
      await untilRenamed(worker, renamed.sourceAppId);
      expect(await recordsOf(worker, renamed.sourceAppId)).toMatchObject([{ data: { fullName: 'Ada' } }]);
    } finally {
      await worker.close();
      await waiting.close();
    }
  });
});

describe('while the clock of MongoDB is ahead by an hour', () => {
  it('a challenge is used up until it ends by the clock of the servers', async () => {
    const { used } = createAccountModels(server.connection);
    const challenges = createLoginChallenges('a secret', used);
    const issuedAt = Date.now();
    const challenge = Buffer.from(challenges.issue('a test')).toString('base64url');
    expect(await challenges.use(challenge)).toBe(true);
    const [stored] = await used.collection.find({}).sort({ expiresAt: -1 }).toArray();
    vi.spyOn(Date, 'now').mockReturnValue((stored?.expiresAt.getTime() ?? 0) - HOUR_MS);
    expect(Date.now()).toBeGreaterThan(issuedAt);
    expect(challenges.isGenuine(challenge, 'a test')).toBe(false);
  });
});

describe('after the clock of a server was set back by an hour', () => {
  it('a log-in in the future is not a recent one', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, id } = await joinApp(server, sourceAppId, 'viewer');
    const early = { $set: { 'sessions.$[].authenticatedAt': inAnHour() } };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, early);
    await client.post('/auth/account/totp').expect(403);
  });

  it('a provider of single sign-on that was away is asked again in seconds', async () => {
    let asked = 0;
    const away = createServer((_, res) => {
      asked += 1;
      res.writeHead(500).end();
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void away.close());
    const { port } = away.address() as AddressInfo;
    const config = { issuer: `http://127.0.0.1:${port}`, clientId: 'a client', publicUrl: 'https://x.org' };
    const logger = createLogger({ logLevel: 'silent' });
    const provider = createProvider(config as SignOnConfig, 'a secret', logger);
    for (let n = 0; n < 2; n += 1) await expect(provider.start('/')).rejects.toThrow();
    expect(asked).toBe(1);
    const [time, monotonic] = [Date.now() - HOUR_MS, performance.now() + 10_000];
    vi.spyOn(Date, 'now').mockReturnValue(time);
    vi.spyOn(performance, 'now').mockReturnValue(monotonic);
    await expect(provider.start('/')).rejects.toThrow();
    expect(asked).toBe(2);
  });
});

// The monotonic clock stops meanwhile.
describe('after the machine of a server was suspended for an hour', () => {
  it('the server reads the renames of fields again', async () => {
    const { schemas } = createModels(server.connection);
    const renames = createRenameStore(schemas, HOUR_MS / 2);
    const first = await renames.recent();
    expect(await renames.recent()).toBe(first);
    const time = Date.now() + HOUR_MS;
    vi.spyOn(Date, 'now').mockReturnValue(time);
    expect(await renames.recent()).not.toBe(first);
  });

  it('the server notices that it did not count as running', async () => {
    const onReturn = vi.fn();
    const settings = { version: '1.0.0', level: 0, workers: 1, poolSize: 1, publicUrl: null, sendsMail: false };
    const own = createAnnouncement(
      server.db.collection<ServerDocument>('servers'),
      { ...settings, filesBucket: null, sessionSecret: 'a secret' },
      { clockAheadMs: () => 0, onReturn, renewEveryMs: 20 },
    );
    await own.start();
    const time = Date.now() + HOUR_MS;
    vi.spyOn(Date, 'now').mockReturnValue(time);
    await expect.poll(() => onReturn.mock.calls.length, POLL).toBe(1);
    await own.stop();
  });
});
