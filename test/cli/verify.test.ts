import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, Document, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeManifest } from '../../src/operations/backups/write-manifest.ts';
import { openDiagnosis } from '../../src/operations/doctor/doctor.ts';
import type { Result } from '../../src/operations/doctor/findings.ts';
import { loadConfig } from '../../src/platform/core/config.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { randomName } from '../support/database/databases.ts';
import { storeFile } from '../support/server/files.ts';
import { databaseUri, Process } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

const RECORDS = 40;
const DAY_MS = 24 * 60 * 60 * 1_000;
const FILE_BYTES = 900_000;

let server: TestServer;
let folder: string;
let manifest: string;
/** The database as a dump: documents and indexes of each collection. */
let dump: { name: string; documents: Document[]; indexes: Document[] }[];
const copies: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-collection-verify-'));
  manifest = join(folder, 'manifest.jsonl');
  server = await startServer();
  for (const app of ['news', 'shop', 'empty']) await server.admin.post('/auth/apps', { sourceAppId: app }).expect(200);
  await server.admin.putSchema('shop', { fields: [{ key: 'age', kind: 'number', indexed: true }] }).expect(200);
  await storeOldRecord('news', 'person-0@example.com');
  for (let n = 1; n < RECORDS; n += 1) {
    await server.client
      .submit(n % 4 === 0 ? 'news' : 'shop', { email: `person-${n}@example.com`, data: { age: n } })
      .expect(200);
  }
  await server.client.submit('shop', { email: 'person-1@example.com', data: { age: 99 } }).expect(200);
  for (const bytes of [FILE_BYTES, 3]) await storeFile(server.db, 'shop', randomBytes(bytes));
  // Without a running server there are no writes to wait for.
  await server.close();
  const { code, stdout } = await runTool(['verify', '--write', manifest], envOf(server.database));
  expect(stdout).toMatch(/^Wrote .*: 40 records of 4 apps\. Start the dump now\.\n$/);
  expect(code).toBe(0);
  dump = await withDatabase(server.database, dumpDatabase);
});
afterAll(async () => {
  for (const name of [server.database, ...copies]) await withDatabase(name, (db) => db.dropDatabase());
  await rm(folder, { recursive: true, force: true });
});

/** Stores a record that was created two days ago. */
async function storeOldRecord(sourceAppId: string, email: string): Promise<void> {
  const createdAt = new Date(Date.now() - 2 * DAY_MS);
  const members = { appId: await appIdOf(server.db, sourceAppId), sourceAppId, email, data: {}, schemaVersion: 1 };
  const _id = createOrderedIds()(createdAt) as unknown as ObjectId;
  await server.db.collection('users').insertOne({ _id, ...members, createdAt, updatedAt: createdAt });
}

const envOf = (database: string) => ({ MONGODB_URI: databaseUri(database) });

async function withDatabase<T>(name: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = await connectDatabase(databaseUri(name));
  try {
    return await work(connection.getClient().db(name));
  } finally {
    await connection.close();
  }
}

async function dumpDatabase(db: Db): Promise<typeof dump> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const collections: typeof dump = [];
  for (const name of names) {
    const documents = await db.collection(name).find({}, { promoteValues: false }).toArray();
    collections.push({ name, documents, indexes: await db.collection(name).listIndexes().toArray() });
  }
  return collections;
}

/** Restores the dump into another database, changes it, and compares it with the manifest. */
async function verifyRestored(change: (db: Db) => Promise<unknown> = async () => undefined, file = manifest) {
  const name = randomName();
  copies.push(name);
  await withDatabase(name, async (db) => {
    for (const { name: collection, documents, indexes } of dump) {
      await db.createCollection(collection);
      const others = indexes.filter(({ key }) => JSON.stringify(key) !== '{"_id":1}');
      if (others.length > 0)
        await db.collection(collection).createIndexes(others.map(({ v: _, ...index }) => index) as never);
      if (documents.length > 0) await db.collection(collection).insertMany(documents);
    }
    await change(db);
  });
  return verify(name, file);
}

async function verify(database: string, file = manifest) {
  const { code, stdout } = await runTool(['verify', file, '--json'], envOf(database));
  const { checks } = JSON.parse(stdout);
  const bad = checks.filter(({ level }: Result) => level !== 'good');
  return { code, checks, bad: bad.map(({ level, found }: Result) => `${level}: ${found}`) };
}

async function appIdOf(db: Db, sourceAppId: string): Promise<ObjectId> {
  const app = await db.collection('apps').findOne({ sourceAppId });
  if (!app) throw new Error(`no app ${sourceAppId}`);
  return app._id;
}

async function oneRecord(db: Db, sourceAppId: string): Promise<Document> {
  const record = await db.collection('users').findOne({ appId: await appIdOf(db, sourceAppId) });
  if (!record) throw new Error(`no record of ${sourceAppId}`);
  return record;
}

describe('verify', () => {
  it('says that a restored copy is whole, also when it is compared again', { tags: 'long' }, async () => {
    const { code, bad, checks } = await verifyRestored();
    expect(bad).toEqual([]);
    expect(checks.map(({ check, found }: Result) => `${check}: ${found}`)).toEqual([
      expect.stringMatching(/^manifest: of test-.*, of what was created before 20/),
      expect.stringMatching(/^collections: all \d\d+ indexes are there/),
      'apps: all 4 apps with 40 records and 5 schema versions are there',
      expect.stringMatching(/^audit log: all [1-9]\d* events are there$/),
      'files: 2 files with 1 MB in the database',
    ]);
    expect(code).toBe(0);
  });

  it('writes the manifest to standard output, and nothing else', { tags: 'long' }, async () => {
    const { code, stdout, stderr } = await runTool(['verify', '--write', '-'], envOf(server.database));
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Wrote -: 40 records of 4 apps\./) });
    const file = join(folder, 'from-output.jsonl');
    await writeFile(file, stdout);
    expect((await verifyRestored(undefined, file)).bad).toEqual([]);
  });

  it('takes what came after the manifest as it is', { tags: 'long' }, async () => {
    const { bad } = await verifyRestored(async (db) => {
      const uri = databaseUri(db.databaseName);
      const later = await startServer({ MONGODB_URI: uri }, db.databaseName);
      await later.client.submit('news', { email: 'later@example.com', data: {} }).expect(200);
      await later.client.submit('news', { email: 'person-0@example.com', data: { name: 'Later' } }).expect(200);
      await later.admin.putSchema('shop', { fields: [] }).expect(200);
      await later.admin.post('/auth/apps', { sourceAppId: 'later' }).expect(200);
      await later.close();
    });
    expect(bad).toEqual([]);
  });

  it.concurrent('names missing records, indexes, schema versions and apps', { tags: 'long' }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      const appId = await appIdOf(db, 'shop');
      const records = await db.collection('users').find({ appId }).limit(2).toArray();
      await db.collection('users').deleteMany({ _id: { $in: records.map(({ _id }) => _id) } });
      await db.collection('users').dropIndex({ appId: 1, email: 1 } as never);
      await db.collection('schema_versions').deleteOne({ version: 2 });
      await db.collection('apps').deleteOne({ sourceAppId: 'news' });
      await db.collection('apps').insertOne({ sourceAppId: 'old', createdAt: new Date(0) });
      await db.collection('audit_events').deleteOne({ action: 'app.created' });
      await db.collection('sessions').deleteMany({});
    });
    expect(bad.sort()).toEqual([
      expect.stringMatching(/^fault: the app news with 10 records is missing$/),
      expect.stringMatching(/^fault: the app old was created before the manifest, which does not name it$/),
      expect.stringMatching(/^fault: the app shop has 28 of 30 records, the newest of 20.* instead of 20/),
      expect.stringMatching(/^fault: the audit log of 20\S+ has 1 of \d+ events fewer$/),
      expect.stringMatching(/^fault: the unique index users \{"appId":1,"email":1\} is missing$/),
      expect.stringMatching(/^fault: version 2 of the schema of shop is missing$/),
      expect.stringMatching(/^warning: sessions is empty; it had 1 documents, which end by themselves$/),
    ]);
    expect(code).toBe(2);
  });

  it.concurrent('names records, indexes, schema versions and events that are not the same', {
    tags: 'long',
  }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      const [news, shop] = [await oneRecord(db, 'news'), await oneRecord(db, 'shop')];
      await db.collection('users').deleteOne({ _id: news._id });
      await db.collection('users').updateOne({ _id: shop._id }, { $set: { appId: news.appId } });
      await db.collection('mails').dropIndex({ nextAt: 1 } as never);
      await db.collection('mails').createIndex({ nextAt: 1 });
      await db.collection('schema_versions').updateOne({ version: 2 }, { $set: { rejectUnknown: 'changed' } });
      await db.collection('audit_events').updateOne({ action: 'app.created' }, { $set: { target: 'another' } });
    });
    expect(bad.sort()).toEqual([
      expect.stringMatching(/^fault: the app news has 10 records, but not the same ones$/),
      expect.stringMatching(/^fault: the app shop has 29 of 30 records/),
      expect.stringMatching(/^fault: the events of the audit log of 20\S+ were changed$/),
      expect.stringMatching(/^fault: version 2 of the schema of shop has another content$/),
      expect.stringMatching(/^warning: the index mails \{"nextAt":1\} has other options$/),
    ]);
    expect(code).toBe(2);
  });

  it.concurrent('names files without their content, also a part of it, and content of no file', {
    tags: 'long',
  }, async () => {
    const whole = await verifyRestored(async (db) => {
      await db.collection('files.chunks').deleteOne({ n: 1 });
      const file = await db.collection('files.files').findOneAndDelete({ length: 3 });
      expect(file).not.toBeNull();
    });
    expect(whole.bad).toEqual([
      expect.stringMatching(/^warning: files.files has 1 of 2 documents fewer$/),
      expect.stringMatching(/^warning: files.chunks has 1 of 5 documents fewer$/),
      expect.stringMatching(/^fault: 1 of the files in the database have no content, or a part of it, such as /),
      expect.stringMatching(/^warning: 1 contents in the database belong to no file of this database, such as /),
    ]);
    expect(whole.code).toBe(2);
    const without = await verifyRestored(async (db) => {
      await db.collection('files.chunks').drop();
    });
    expect(without.bad).toContainEqual(expect.stringMatching(/^fault: files.chunks is empty; it had 5 documents$/));
    expect(without.bad).toContainEqual(expect.stringMatching(/^fault: 2 of the files in the database have no content/));
  });

  it.concurrent('warns of missing history, submissions and settings of a list', { tags: 'long' }, async () => {
    const names = ['held_submissions', 'history', 'submissions', 'looks'];
    const own = join(folder, 'own.jsonl');
    const { bad, code } = await verifyRestored(async (db) => {
      for (const name of names) await db.collection(name).insertMany([1, 2].map((list) => ({ appId: list, list })));
      await runTool(['verify', '--write', own], envOf(db.databaseName));
      for (const name of names) await db.collection(name).deleteOne({ list: 1 });
    }, own);
    expect(bad).toEqual(names.map((name) => `warning: ${name} has 1 of 2 documents fewer`));
    expect(code).toBe(1);
  });

  it.concurrent('names an older state of records', { tags: 'long' }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      await db.collection('users').updateMany({}, { $set: { updatedAt: new Date(0) } });
    });
    expect(bad).toEqual([
      expect.stringMatching(/^fault: the newest change of the app news is of 1970/),
      expect.stringMatching(/^fault: the newest change of the app shop is of 1970/),
    ]);
    expect(code).toBe(2);
  });

  it('warns where an erasure, a retention or a deletion of an app after the manifest explains what is missing', {
    tags: 'long',
  }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      const uri = databaseUri(db.databaseName);
      const later = await startServer({ MONGODB_URI: uri }, db.databaseName);
      const { body } = await later.admin.get('/auth/users?sourceAppId=shop&limit=1').expect(200);
      await later.admin.delete(`/auth/users/${body.users[0].id}?sourceAppId=shop`).expect(200);
      await later.admin.delete('/auth/apps/empty').expect(200);
      await later.close();
      const news = await appIdOf(db, 'news');
      await db.collection('apps').updateOne({ _id: news }, { $set: { retention: { days: 1, basis: 'createdAt' } } });
      await db.collection('users').deleteOne({ appId: news, email: 'person-0@example.com' });
    });
    expect(bad.sort()).toEqual([
      expect.stringMatching(/^warning: the app empty was deleted after the manifest$/),
      expect.stringMatching(/^warning: the app news has 9 of 10 records.*; the app erases records for their age$/),
      expect.stringMatching(/^warning: the app shop has 29 of 30 records.*; the audit log has later erasures$/),
    ]);
    expect(code).toBe(1);
  });

  it('finds a fault where less was erased than is missing, and a retention keeps younger records', {
    tags: 'long',
  }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      const later = await startServer({ MONGODB_URI: databaseUri(db.databaseName) }, db.databaseName);
      const { body } = await later.admin.get('/auth/users?sourceAppId=shop&limit=1').expect(200);
      await later.admin.delete(`/auth/users/${body.users[0].id}?sourceAppId=shop`).expect(200);
      await later.close();
      const retention = { days: 36_500, basis: 'createdAt' };
      await db.collection('apps').updateOne({ _id: await appIdOf(db, 'news') }, { $set: { retention } });
      await db.collection('users').deleteMany({});
    });
    expect(bad.sort()).toEqual([
      expect.stringMatching(/^fault: the app news has 0 of 10 records/),
      expect.stringMatching(/^fault: the app shop has 0 of 30 records/),
    ]);
    expect(code).toBe(2);
  });

  it('finds a fault where records are missing that are too young for the retention, also with erasures', {
    tags: 'long',
  }, async () => {
    const { bad, code } = await verifyRestored(async (db) => {
      const later = await startServer({ MONGODB_URI: databaseUri(db.databaseName) }, db.databaseName);
      for (const app of ['news', 'shop']) {
        const { body } = await later.admin.get(`/auth/users?sourceAppId=${app}&limit=1`).expect(200);
        await later.admin.delete(`/auth/users/${body.users[0].id}?sourceAppId=${app}`).expect(200);
      }
      await later.close();
      const retention = { days: 2, basis: 'createdAt' };
      await db.collection('apps').updateMany({ sourceAppId: { $in: ['news', 'shop'] } }, { $set: { retention } });
      const shop = { appId: await appIdOf(db, 'shop') };
      const found = await db.collection('users').find(shop).sort({ _id: 1 }).limit(28).toArray();
      await db.collection('users').deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    });
    expect(bad.sort()).toEqual([
      expect.stringMatching(/^fault: the app shop has 1 of 30 records/),
      expect.stringMatching(/^warning: the app news has 9 of 10 records.*; the audit log has later erasures$/),
    ]);
    expect(code).toBe(2);
  });

  it('refuses a manifest that is cut off, changed or none', { tags: 'long' }, async () => {
    const lines = (await readFile(manifest, 'utf8')).split('\n');
    const files: [string, string][] = [
      ['cut', lines.slice(0, -2).join('\n')],
      ['changed', lines.join('\n').replace('"records":30', '"records":29')],
      ['none', 'hello\n'],
      ['empty', ''],
    ];
    for (const [name, content] of files) {
      await writeFile(join(folder, name), content);
      const { code, bad } = await verify(server.database, join(folder, name));
      expect({ code, bad }).toEqual({ code: 2, bad: [expect.stringMatching(/is no complete manifest of/)] });
    }
    const { code, bad } = await verify(server.database, join(folder, 'missing'));
    expect({ code, bad }).toEqual({ code: 2, bad: [expect.stringMatching(/^fault: Cannot read .*ENOENT/)] });
  });

  it('leaves no part of a manifest that cannot be written', { tags: 'long' }, async () => {
    const own = await mkdtemp(join(folder, 'full-'));
    const program = ['dist/cli.js', 'verify', '--write', join(own, 'manifest.jsonl')];
    // A limit on the size of files of 4 kB, as a full disk.
    const command = `ulimit -f 8 && exec "$0" "$@"`;
    const { ended } = new Process(['sh', '-c', command, process.execPath, ...program], envOf(server.database));
    const stderr = `error: Cannot write ${join(own, 'manifest.jsonl')} (EFBIG)\n`;
    expect(await ended).toEqual({ code: 1, stdout: '', stderr });
    expect(await readdir(own)).toEqual([]);
  });

  it('replaces no link, and no folder', async () => {
    const own = await mkdtemp(join(folder, 'link-'));
    await symlink('/dev/null', join(own, 'link'));
    for (const path of [join(own, 'link'), own]) {
      const stderr = `error: Cannot write ${path}: it is not a regular file\n`;
      expect(await runTool(['verify', '--write', path], envOf(server.database))).toEqual({
        code: 1,
        stdout: '',
        stderr,
      });
    }
    expect(await readlink(join(own, 'link'))).toBe('/dev/null');
    expect(await readdir(own)).toEqual(['link']);
  });

  it('has no personal data in a manifest', async () => {
    const text = await readFile(manifest, 'utf8');
    expect(text).not.toMatch(/@|person-|password/);
  });
});

describe('a manifest that is written while submissions run', () => {
  it('covers only what a dump that begins later holds, of two servers', { tags: 'long' }, async () => {
    const a = await startServer();
    const b = await startServer({}, a.database);
    await a.admin.post('/auth/apps', { sourceAppId: 'busy' }).expect(200);
    let isBusy = true;
    let count = 0;
    const load = [a, b].map(async ({ client }) => {
      while (isBusy) await client.submit('busy', { email: `person-${count++}@example.com`, data: {} }).expect(200);
    });
    await expect.poll(() => count).toBeGreaterThan(20);
    const file = join(folder, 'busy.jsonl');
    const opened = await openDiagnosis(loadConfig(envOf(a.database)), () => undefined);
    const begun = count;
    const { records } = await writeManifest(opened, file, 1_500);
    await opened.close();
    const copy = await withDatabase(a.database, dumpDatabase);
    const ended = count;
    isBusy = false;
    await Promise.all(load);
    expect(records).toBeGreaterThan(20);
    expect(records).toBeLessThanOrEqual(begun + 2);
    expect(ended).toBeGreaterThan(begun);
    await b.close();
    await a.close();
    const before = dump;
    dump = copy;
    const { bad } = await verifyRestored(undefined, file);
    dump = before;
    expect(bad).toEqual([]);
  });
});
