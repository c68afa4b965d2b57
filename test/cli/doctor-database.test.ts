import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeCache, judgeConnections, judgeDisk, judgeServer } from '../../src/operations/doctor/capacity.ts';
import { judgeOplog } from '../../src/operations/doctor/deployment.ts';
import type { Result } from '../../src/operations/doctor/findings.ts';
import { judgeMigrations } from '../../src/operations/doctor/progress.ts';
import { judgeShardKeys } from '../../src/operations/doctor/stored-data.ts';
import { freePort } from '../../src/platform/core/free-port.ts';
import { type ShardKey, schemaOf } from '../../src/platform/database/mongoose.ts';
import { Mongod } from '../faults/mongod.ts';
import { createSmallDisk } from '../faults/small-disk.ts';
import { startServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GB = 1e9;

/** A replica set of one member, on a small disk, with few connections and a small oplog. */
const disk = await createSmallDisk();
const mongod = new Mongod(await freePort(), join(disk.path, 'db'), [
  '--replSet',
  'doctor',
  '--oplogSize',
  '1',
  '--maxConns',
  '60',
  '--setParameter',
  'ttlMonitorEnabled=false',
  '--setParameter',
  'enableTestCommands=1',
]);
const uri = `mongodb://127.0.0.1:${mongod.port}/user-collection?replicaSet=doctor`;

beforeAll(async () => {
  await mongod.start();
  const members = [{ _id: 0, host: `127.0.0.1:${mongod.port}` }];
  await mongod.ask((admin) => admin.command({ replSetInitiate: { _id: 'doctor', members } }));
  await untilPrimary();
  // Creates the indexes.
  const server = await startServer({ MONGODB_URI: uri }, 'user-collection');
  await server.close();
});
afterAll(async () => {
  await mongod.kill();
  await rm(`${join(disk.path, 'db')}.log`, { force: true });
  await disk.remove();
});

const untilPrimary = () =>
  mongod.until(async (admin) => (await admin.command({ hello: 1 })).isWritablePrimary === true);

async function doctor(): Promise<{ code: number | null; of(check: string): Pick<Result, 'level' | 'found'>[] }> {
  const { code, stdout } = await runTool(['doctor', '--json'], { MONGODB_URI: uri });
  const { checks } = JSON.parse(stdout);
  return {
    code,
    of: (name) =>
      checks
        .filter(({ check }: Result) => check === name)
        .map(({ level, found }: Result): Pick<Result, 'level' | 'found'> => ({ level, found })),
  };
}

const match = (pattern: RegExp) => expect.stringMatching(pattern);

describe('doctor of a replica set', () => {
  it('names the members, few connections, a short oplog, a large cache and overdue expiry', async () => {
    await mongod.ask(async (admin) => {
      const wiredTigerEngineRuntimeConfig = 'cache_size=9000G';
      await admin.command({ setParameter: 1, wiredTigerEngineRuntimeConfig });
    });
    await mongod.ask((admin) => {
      const database = admin.client.db('user-collection');
      const expiresAt = new Date(Date.now() - 3 * DAY_MS);
      return database.collection('audit_events').insertOne({ expiresAt }, { bypassDocumentValidation: true });
    });
    const { code, of } = await doctor();
    expect(of('topology')).toEqual([{ level: 'good', found: match(/^replica set doctor: 127.* PRIMARY$/) }]);
    expect(of('majority write')).toMatchObject([{ found: match(/confirmed by a majority/) }]);
    expect(of('connections')).toEqual([{ level: 'warning', found: match(/left; the servers may open 160$/) }]);
    expect(of('memory')).toContainEqual({ level: 'fault', found: match(/^the cache of mongod may take 9\d+ GB/) });
    expect(of('expired documents')).toEqual([
      { level: 'fault', found: 'audit_events has documents that should have been removed 3 days ago' },
    ]);
    expect(of('oplog window')).toMatchObject([{ found: match(/^it covers /) }]);
    expect(code).toBe(2);
  });

  it('says that connections are nearly or all used up', { tags: 'long' }, async () => {
    const { MongoClient } = await import('mongodb');
    const clients = [];
    for (let open = 0; open < 40; open += 1) {
      clients.push(
        await new MongoClient(uri, { directConnection: true, maxPoolSize: 1 }).connect().catch(() => undefined),
      );
    }
    const { of, code } = await doctor();
    for (const client of clients) await client?.close();
    const results = [...of('connections'), ...of('database')];
    expect(results).toContainEqual({ level: 'fault', found: match(/left$|cannot be used/) });
    expect(code).toBe(2);
  });

  it('names a full oplog with its window', async () => {
    // Each is an entry of the oplog, which is as small as it can be.
    for (let round = 0; round < 4; round += 1) {
      await mongod.ask(async (admin) => {
        const collection = admin.client.db('other').collection('ballast');
        await collection.insertOne({ text: 'x'.repeat(1_000_000) });
      });
    }
    const { of } = await doctor();
    expect(of('oplog window')).toEqual([{ level: 'fault', found: match(/^it covers [^%]*$/) }]);
  });

  it('names a replica set without a primary, and still checks what it can read', { tags: 'long' }, async () => {
    await mongod.ask((admin) => admin.command({ replSetStepDown: 600, force: true }));
    const { code, of } = await doctor();
    await mongod.ask((admin) => admin.command({ replSetFreeze: 0 }));
    expect(of('topology')).toEqual([{ level: 'fault', found: match(/has no primary .*SECONDARY/) }]);
    expect(of('majority write')).toEqual([{ level: 'fault', found: match(/was not confirmed/) }]);
    expect(of('indexes')).toEqual([{ level: 'good', found: match(/indexes are there$/) }]);
    expect(code).toBe(2);
    await untilPrimary();
  });

  it(`names a full disk (${disk.kind})`, async () => {
    const isMounted = disk.kind.startsWith('a tmpfs');
    const ballast = join(disk.path, 'ballast');
    const { bavail, bsize } = await statfs(disk.path);
    // mongod ends when nothing is left.
    if (isMounted) await writeFile(ballast, Buffer.alloc(bavail * bsize - 60_000_000));
    const { of } = await doctor();
    await rm(ballast, { force: true });
    // Without a small disk, the check reads the disk of the machine.
    const full = { level: 'fault', found: match(/^[56]\d MB of \d+ MB free on the disk of the database$/) };
    expect(of('free disk')).toEqual([isMounted ? full : { level: match(/./), found: match(/free on the disk/) }]);
  });
});

describe('the limits', () => {
  it.each([
    [judgeDisk('x', 100 * GB, 50 * GB), 'good'],
    [judgeDisk('x', 100 * GB, 14 * GB), 'warning'],
    [judgeDisk('x', 100 * GB, 4 * GB), 'fault'],
    [judgeDisk('x', 4 * GB, 1.5 * GB), 'warning'],
    [judgeDisk('x', Number.NaN, Number.NaN), 'warning'],
    [judgeOplog(2 * HOUR_MS, 0.5), 'good'],
    [judgeOplog(2 * DAY_MS, 1), 'good'],
    [judgeOplog(2 * HOUR_MS, 1), 'warning'],
    [judgeOplog(HOUR_MS / 2, 1), 'fault'],
    [judgeServer(8 * GB, 4 * GB, 1), 'good'],
    [judgeServer(0.2 * GB, 0.1 * GB, 1), 'warning'],
    [judgeServer(1 * GB, 4 * GB, 1), 'fault'],
    [judgeServer(2.2 * GB, 1 * GB, 7), 'good'],
    [judgeServer(2.2 * GB, 1 * GB, 16), 'warning'],
    [judgeCache(4 * GB, 8 * GB), 'good'],
    [judgeCache(7 * GB, 8 * GB), 'fault'],
    [judgeConnections(100, 900, 640), 'good'],
    [judgeConnections(100, 900, 1_280), 'warning'],
    [judgeConnections(990, 10, 160), 'fault'],
  ])('%j is %s', (finding, level) => {
    expect(finding.level).toBe(level);
  });

  it('compares the shard keys of a cluster', () => {
    const name = 'user-collection';
    const key = { appId: 1, email: 1 } as const;
    const declare = (collection: string, shardKey?: ShardKey) =>
      schemaOf<{ _id: string }>(
        { _id: { type: String, required: true } },
        { collection, placement: 'of the test', ...(shardKey && { shardKey }) },
      );
    const right = { _id: `${name}.users`, key };
    const judge = (sharded: Parameters<typeof judgeShardKeys>[2]) =>
      judgeShardKeys(name, [declare('users', key), declare('apps')], sharded);
    expect(judge([])).toMatchObject([{ level: 'warning', found: match(/^users is not sharded/) }]);
    expect(judge([{ ...right, key: { _id: 1 } }])).toMatchObject([
      { level: 'fault', found: match(/^users has the shard key \{"_id":1\} instead of/) },
    ]);
    expect(judge([right])).toMatchObject({ level: 'good' });
  });

  it('names migrations that are missing, not finished, or of a later release', () => {
    const levels = (state: string) => judgeMigrations([{ number: 1, name: 'a', state }], []).map(({ level }) => level);
    for (const state of ['waiting', 'expanding', 'checking', 'contracting']) expect(levels(state)).toEqual(['warning']);
    for (const state of ['expanded', 'contracted']) expect(levels(state)).toEqual(['good']);
  });
});
