import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { startFakeMongos } from '../support/database/fake-mongos.ts';
import { databaseUri } from '../support/server/process.ts';
import { runTool } from '../support/server/tool.ts';

const NO_DATABASE = { MONGODB_URI: 'mongodb://127.0.0.1:1/people' };

describe('shard --print', () => {
  it('prints the commands for mongosh, and connects to no database', async () => {
    const { code, stdout, stderr } = await runTool(['shard', '--print'], NO_DATABASE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n// These stay')[0]).toBe(PRINTED);
  });

  it('uses the database of the service when the URI names none', async () => {
    const { stdout } = await runTool(['shard', '--print'], { MONGODB_URI: 'mongodb+srv://user:secret@db.example.com' });
    expect(stdout).toContain('sh.shardCollection("user-collection.users", { appId: 1, email: 1 });');
    expect(stdout).not.toContain('secret');
  });

  it('names every other collection with the reason why it stays on one shard', async () => {
    const { stdout } = await runTool(['shard', '--print'], {});
    const whole = stdout.split('These stay on the primary shard of the database:\n')[1] ?? '';
    expect(whole.match(/^\/\/ {3}\w+: .+$/gm)?.length).toBe(whole.trimEnd().split('\n').length);
    expect(whole).toContain('//   apps: ');
    expect(whole).not.toContain('//   users: ');
  });
});

describe('shard --apply', () => {
  const database = randomName();
  const client = new MongoClient(inject('mongodbUri'));
  afterAll(() => client.close());

  it('is refused by a database that is no sharded cluster, and changes nothing', async () => {
    const { code, stdout, stderr } = await runTool(['shard', '--apply'], { MONGODB_URI: databaseUri(database) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: MONGODB_URI leads to a .+, not to a mongos\. .+ Nothing was changed\.\n$/);
    expect(await client.db(database).listCollections().toArray()).toEqual([]);
  });

  it('is refused without MONGODB_URI, and starts no embedded database', async () => {
    const { code, stdout, stderr } = await runTool(['shard', '--apply'], {});
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: MONGODB_URI is not set/);
  });

  it('sends the indexes and then the commands of --print to a mongos', async () => {
    const mongos = await startFakeMongos();
    const env = { MONGODB_URI: `${mongos.uri}/people` };
    const { code, stdout, stderr } = await runTool(['shard', '--apply'], env);
    const sent = mongos.sent('enableSharding', 'shardCollection');
    const indexed = mongos.sent('createIndexes').map(({ createIndexes }) => createIndexes);
    await mongos.close();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${PRINTED.split('\n').filter(isCommand).join('\n')}\n`);
    expect(sent.map(({ $db, ...command }) => ({ $db, ...command }))).toMatchObject([
      { $db: 'admin', enableSharding: 'people' },
      { $db: 'admin', shardCollection: 'people.applied_keys', key: { _id: 1 } },
      { $db: 'admin', shardCollection: 'people.deliveries', key: { appId: 1, _id: 1 } },
      { $db: 'admin', shardCollection: 'people.files.chunks', key: { files_id: 1 } },
      { $db: 'admin', shardCollection: 'people.files.files', key: { 'metadata.appId': 1, _id: 1 } },
      { $db: 'admin', shardCollection: 'people.held_submissions', key: { appId: 1, email: 1 } },
      { $db: 'admin', shardCollection: 'people.history', key: { _id: 1 } },
      { $db: 'admin', shardCollection: 'people.spent_challenges', key: { _id: 1 } },
      { $db: 'admin', shardCollection: 'people.submissions', key: { appId: 1, _id: 1 } },
      { $db: 'admin', shardCollection: 'people.suppressed_people', key: { _id: 1 } },
      { $db: 'admin', shardCollection: 'people.users', key: { appId: 1, email: 1 } },
    ]);
    const ofShards = ['deliveries', 'files.chunks', 'files.files', 'held_submissions', 'submissions', 'users'];
    expect(indexed.slice(-6)).toEqual(ofShards);
  });
});

it.each([[['shard']], [['shard', '--print', '--apply']]])('%j is wrong usage', async (args) => {
  const { code, stderr } = await runTool(args, NO_DATABASE);
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: give either --print or --apply\n' });
});

const isCommand = (line: string): boolean => line !== '' && !line.startsWith('//');

const PRINTED = `// For mongosh, connected to a mongos of the cluster, after one start of this version.
sh.enableSharding("people");

// applied_keys: one for each keyed submission beyond 128 of a record; the id begins with that of the app
sh.shardCollection("people.applied_keys", { _id: 1 });

// deliveries: one for each event and webhook, kept for 30 days
db.getSiblingDB("people").deliveries.createIndex({ appId: 1, _id: 1 });
sh.shardCollection("people.deliveries", { appId: 1, _id: 1 });

// files.chunks: the content of files, in 255 kB
db.getSiblingDB("people").files.chunks.createIndex({ files_id: 1 });
sh.shardCollection("people.files.chunks", { files_id: 1 });

// files.files: one for each file
db.getSiblingDB("people").files.files.createIndex({ "metadata.appId": 1, _id: 1 });
sh.shardCollection("people.files.files", { "metadata.appId": 1, _id: 1 });

// held_submissions: emails and data of people, up to 50 MB for each app
db.getSiblingDB("people").held_submissions.createIndex({ appId: 1, email: 1 });
sh.shardCollection("people.held_submissions", { appId: 1, email: 1 });

// history: one for each 16 changes of a record; the id begins with that of the app
sh.shardCollection("people.history", { _id: 1 });

// spent_challenges: one for each submission with a proof of work; the id begins with that of the app
sh.shardCollection("people.spent_challenges", { _id: 1 });

// submissions: one for each submission that an app keeps
db.getSiblingDB("people").submissions.createIndex({ appId: 1, _id: 1 });
sh.shardCollection("people.submissions", { appId: 1, _id: 1 });

// suppressed_people: one for each suppressed person; the id begins with that of the app
sh.shardCollection("people.suppressed_people", { _id: 1 });

// users: one record for each person of an app
db.getSiblingDB("people").users.createIndex({ appId: 1, email: 1 }, { unique: true });
sh.shardCollection("people.users", { appId: 1, email: 1 });
`;
