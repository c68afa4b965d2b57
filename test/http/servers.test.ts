import { describe, expect, it, vi } from 'vitest';
import { createAnnouncement, hashSecret, type ServerDocument, VERSION } from '../../src/platform/servers/servers.ts';
import { randomName } from '../support/database/databases.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const servers = ({ db }: TestServer) => db.collection<ServerDocument>('servers');

const SETTINGS = {
  version: VERSION,
  level: 0,
  workers: 1,
  poolSize: 1,
  publicUrl: null,
  sendsMail: false,
  filesBucket: null,
  sessionSecret: 'a secret of the tests',
};

describe('the announcement of a server', () => {
  it('tells what it is, without its secret, and ends when the server stops', { tags: 'long' }, async () => {
    const database = randomName();
    const secret = '$a secret of this test';
    const first = await startServer({ SESSION_SECRET: secret, PUBLIC_URL: 'https://forms.example.com' }, database);
    const second = await startServer({ SESSION_SECRET: 'another secret of it' }, database);
    const [older, younger] = await second.services.servers.list();

    expect(older).toMatchObject({
      _id: first.services.servers.own,
      version: VERSION,
      pid: process.pid,
      workers: 1,
      publicUrl: 'https://forms.example.com',
      sendsMail: false,
      filesBucket: null,
      poolSize: 160,
      node: process.version,
      secretHash: hashSecret(secret),
    });
    expect(older?.silentMs).toBeLessThan(60_000);
    expect(younger?.secretHash).not.toBe(older?.secretHash);
    expect(JSON.stringify(older)).not.toContain(secret);

    await first.close();
    expect((await second.services.servers.list()).map(({ _id }) => _id)).toEqual([younger?._id]);
    await second.close();
  });

  it('is renewed, also after its document was removed', { tags: 'long' }, async () => {
    const server = await startServer({}, randomName(), { announceEveryMs: 50 });
    const own = { _id: server.services.servers.own };
    const first = await servers(server).findOne(own);
    const seenAt = async () => (await servers(server).findOne(own))?.seenAt.getTime() ?? 0;
    await expect.poll(seenAt).toBeGreaterThan(first?.seenAt.getTime() ?? Number.NaN);
    expect((await servers(server).findOne(own))?.startedAt).toEqual(first?.startedAt);

    await servers(server).deleteOne(own);
    await expect.poll(seenAt).toBeGreaterThan(0);
    await server.close();
  });

  it('notices that the server did not count as running', async () => {
    const server = await startServer();
    const onReturn = vi.fn();
    const timing = { clockAheadMs: () => 0, onReturn, renewEveryMs: 20 };
    const usual = createAnnouncement(servers(server), SETTINGS, timing);
    const paused = createAnnouncement(servers(server), SETTINGS, { ...timing, seenWithinMs: 1 });
    await usual.start();
    await expect.poll(async () => (await servers(server).findOne({ _id: usual.id }))?.seenAt).toBeDefined();
    expect(onReturn).not.toHaveBeenCalled();
    await paused.start();
    await expect.poll(() => onReturn.mock.calls.length).toBeGreaterThan(0);
    await Promise.all([usual.stop(), paused.stop()]);
    await server.close();
  });
});
