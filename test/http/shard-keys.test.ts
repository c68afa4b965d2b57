import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALLOWED, findViolation, shardKeysOf, watchShardKeys } from '../support/database/shard-keys.ts';
import { databaseUri } from '../support/server/process.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let client: MongoClient;
const found: string[] = [];
beforeAll(async () => {
  server = await sharedServer();
  client = new MongoClient(databaseUri(server.database), { monitorCommands: true });
  watchShardKeys(client, server.services.collections, (violation) => void found.push(violation));
});
afterAll(() => client.close());

const appId = new ObjectId();
const email = 'ada@example.com';
const violation = (command: object) => findViolation(command, shardKeysOf(server.services.collections));

describe('the monitor of shard keys', () => {
  it('reports the statement, the missing members and the place in the code', async () => {
    await client
      .db()
      .collection('users')
      .updateOne({ appId }, { $set: { 'data.name': 'Ada' } });
    expect(found).toEqual([
      expect.stringMatching(
        /^update users \{appId\}: the filter does not name email by equality\n.*shard-keys\.test\.ts:\d+/,
      ),
    ]);
    found.length = 0;
  });

  it('sees the statements of bulk writes, and accepts those that name the key', async () => {
    const users = client.db().collection('users');
    await users.updateOne({ appId, email }, { $set: { 'data.name': 'Ada' } });
    await users.find({ appId }).toArray();
    expect(found).toEqual([]);
    const wrong = { updateOne: { filter: { email }, update: { $set: { 'data.name': 'Ada' } } } };
    await users.bulkWrite([{ deleteOne: { filter: { appId, email } } }, wrong], { ordered: false });
    expect(found).toEqual([expect.stringContaining('update users {email}: the filter does not name appId')]);
    found.length = 0;
  });

  it.each([
    ['an insert without the key', { insert: 'users', documents: [{ appId, email }, { appId }] }, 'has no email'],
    ['a range', { delete: 'users', deletes: [{ q: { appId, email: { $gt: '' } }, limit: 1 }] }, 'name email'],
    ['several values', { update: 'users', updates: [{ q: { appId, email: { $in: [email] } }, u: {} }] }, 'name email'],
    [
      'the removal of relayed events by ids',
      {
        update: 'users',
        updates: [{ q: { appId: { $in: [appId] }, _id: { $in: [1] }, $expr: { $lt: [1, 2] } }, u: {}, multi: true }],
      },
      'name email',
    ],
    ['a branch', { find: 'users', filter: { $or: [{ appId }, { email }] } }, 'name appId'],
    ['null', { find: 'users', filter: { appId: null } }, 'name appId'],
    ['a deletion by id', { delete: 'users', deletes: [{ q: { _id: 1, appId }, limit: 1 }] }, 'name email'],
    ['a deletion of many', { delete: 'users', deletes: [{ q: { appId }, limit: 0 }] }, 'name email'],
    ['a change of the key', { update: 'users', updates: [{ q: { appId, email }, u: { $set: { email } } }] }, '$set'],
    [
      'a change of the key that does not name the one before',
      { findAndModify: 'users', query: { appId, _id: 1 }, update: { $set: { email } } },
      'name email',
    ],
    [
      'an upsert that changes the key',
      { findAndModify: 'users', query: { appId, email }, update: { $set: { email } }, upsert: true },
      '$set',
    ],
    ['a pipeline', { findAndModify: 'users', query: { appId, email }, update: [{ $unset: 'email' }] }, '$unset'],
    ['a count without a filter', { count: 'users' }, 'name appId'],
    ['an aggregation without one', { aggregate: 'users', pipeline: [{ $count: 'n' }] }, 'name appId'],
    [
      'a union without one',
      { aggregate: 'users', pipeline: [{ $match: { appId } }, { $unionWith: { coll: 'users', pipeline: [] } }] },
      'name appId',
    ],
    [
      'a merge on another member',
      { aggregate: 'apps', pipeline: [{ $match: {} }, { $merge: { into: 'users', on: ['_id'] } }] },
      '"on" of $merge',
    ],
    [
      'a merge of a document without the key',
      {
        aggregate: 'apps',
        pipeline: [
          { $project: { document: { $literal: [{ appId }] } } },
          { $merge: { into: 'users', on: ['appId', 'email'] } },
        ],
      },
      'has no email',
    ],
    ['a join', { aggregate: 'apps', pipeline: [{ $lookup: { from: 'users', as: 'users' } }] }, '$lookup'],
    [
      'a unique index',
      { createIndexes: 'users', indexes: [{ key: new Map([['email', 1]]), unique: true }] },
      'unique index',
    ],
    ['an unknown command', { mapReduce: 'users' }, 'is no statement'],
  ])('refuses %s', (_name, command, problem) => {
    expect(violation(command)).toContain(problem);
  });

  it.each([
    [{ delete: 'users', deletes: [{ q: { $and: [{ appId }, { email: { $in: [email] } }] }, limit: 0 }] }],
    [{ find: 'users', filter: { $or: [{ appId }, { appId, email }] } }],
    [{ update: 'users', updates: [{ q: { _id: 1, $or: [{ appId, email: { $in: [email] } }] }, u: {}, multi: true }] }],
    [{ findAndModify: 'users', query: { appId: { $eq: appId }, email }, update: { $setOnInsert: { email } } }],
    [{ findAndModify: 'users', query: { appId, email }, update: { $set: { email: 'b@x.org' } } }],
    [{ find: 'spent_challenges', filter: { _id: { $gte: 'a', $lt: 'b' } } }],
    [{ update: 'apps', updates: [{ q: {}, u: { $set: { a: 1 } } }] }],
    [{ hello: 1 }],
  ])('accepts %j', (command) => {
    expect(violation(command)).toBeUndefined();
  });

  it('accepts a statement over all apps only in the form that is listed with a reason', () => {
    expect(violation({ find: 'users', filter: {}, min: { _id: 1 } })).toBeUndefined();
    expect(violation({ find: 'users', filter: {}, min: { appId, _id: 1 } })).toContain('name appId');
    for (const { reason } of ALLOWED) expect(reason).not.toBe('');
  });
});

describe('the declared keys', () => {
  it('begin every unique index of their collection', () => {
    for (const schema of server.services.collections) {
      const { collection: name, shardKey } = schema.options;
      const key = Object.keys(shardKey ?? {});
      for (const [members, { unique }] of schema.indexes()) {
        if (unique) expect([name, Object.keys(members).slice(0, key.length)]).toEqual([name, key]);
      }
    }
  });

  it('are those of collections that exist in the database', async () => {
    const stored = (await server.db.listCollections().toArray()).map(({ name }) => name);
    const declared = server.services.collections.map(({ options }) => options.collection);
    expect(stored.filter((name) => name !== 'sessions' && !declared.includes(name))).toEqual([]);
  });
});
