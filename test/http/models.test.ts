// @module-tag long

import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import express from 'express';
import { Binary, BSON, type Document, Int32, Long, ObjectId, type UpdateOptions, UUID } from 'mongodb';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/platform/core/config.ts';
import { Unavailable } from '../../src/platform/core/errors.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { type Connection, connectDatabase } from '../../src/platform/database/client.ts';
import { databaseRefusal, isDuplicateKey } from '../../src/platform/database/failures.ts';
import { createModel, Mixed, type Model, schemaOf } from '../../src/platform/database/mongoose.ts';
import { answerError, createErrorConversion } from '../../src/platform/http/error-handlers.ts';
import { createServices } from '../../src/services.ts';
import { randomName } from '../support/database/databases.ts';
import {
  installValidators,
  jsonSchemaOf,
  takeRefusals,
  watchRefusals,
  withoutValidators,
} from '../support/database/validators.ts';
import { startProxy } from '../support/peers/proxy.ts';
import { databaseUri } from '../support/server/process.ts';

interface Part {
  name: string;
  at?: Date;
  tags?: string[];
}

interface Thing {
  _id: UUID;
  appId: ObjectId;
  state: 'open' | 'done';
  count?: number;
  isOn?: boolean;
  at?: Date;
  hash?: Binary;
  target: string | null;
  tags?: string[];
  hashes?: Binary[];
  parts: Part[];
  part?: Part;
  any?: unknown;
  data: Record<string, unknown>;
}

const partSchema = schemaOf<Part>({ name: { type: String, required: true }, at: Date, tags: [String] });

const thingSchema = schemaOf<Thing>(
  {
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    state: { type: String, required: true, enum: ['open', 'done'] },
    count: Number,
    isOn: Boolean,
    at: Date,
    hash: Binary,
    target: { type: String, allowNull: true },
    tags: [String],
    hashes: [Binary],
    parts: { type: [partSchema], required: true },
    part: partSchema,
    any: Mixed,
    data: { type: Object, required: true },
  },
  { collection: 'things', shardKey: { appId: 1 }, placement: 'of the test' },
).index({ appId: 1, _id: 1 }, { unique: true });

let connection: Connection;
let things: Model<Thing>;
const commands: Document[] = [];
beforeAll(async () => {
  connection = await connectDatabase(`${databaseUri(randomName())}&monitorCommands=true`);
  connection.getClient().on('commandStarted', ({ command }) => commands.push(command));
  things = createModel(connection, thingSchema);
});
afterAll(() => connection.close());

const thing = (members: Partial<Thing> = {}): Thing => ({
  _id: new UUID(),
  appId: new ObjectId(),
  state: 'open',
  target: null,
  parts: [],
  data: {},
  ...members,
});

const REFUSED = /^the model of things refused /;

const WRONG: [string, unknown][] = [
  ['_id', '0195c0de-0000-7000-8000-000000000000'],
  ['_id', new Binary(Buffer.alloc(16), Binary.SUBTYPE_UUID)],
  ['appId', '6923f1c05d2e4b7a9c1f0e11'],
  ['appId', null],
  ['state', 'other'],
  ['state', 1],
  ['count', '1'],
  ['count', true],
  ['count', new Date()],
  ['isOn', 1],
  ['isOn', 'true'],
  ['at', 1],
  ['at', '2026-01-01'],
  ['at', null],
  ['hash', Buffer.from('a')],
  ['hash', 'a'],
  ['target', 1],
  ['tags', 'a'],
  ['tags', [1]],
  ['hashes', ['a']],
  ['hashes', [Buffer.from('a')]],
  ['parts', { name: 'a' }],
  ['parts', ['a']],
  ['parts', [{ name: 1 }]],
  ['parts', [{}]],
  ['parts', [{ name: 'a', other: 1 }]],
  ['part', []],
  ['part', { name: 'a', at: 1 }],
  ['part', { other: 1 }],
  ['other', 1],
];

it.each(WRONG)('refuses in %s the value %o, in inserts and in updates', async (name, value) => {
  await expect(things.insertOne({ ...thing(), [name]: value })).rejects.toThrow(name);
  const stored = thing();
  await things.insertOne(stored);
  const filter = { _id: stored._id };
  await expect(things.updateOne(filter, { $set: { [name]: value } })).rejects.toThrow(REFUSED);
  await expect(things.updateMany(filter, { $set: { [name]: value } })).rejects.toThrow(REFUSED);
  await expect(things.findOneAndUpdate(filter, { $set: { [name]: value } })).rejects.toThrow(REFUSED);
  expect(await things.findOne(filter)).toEqual(stored);
});

it('stores what it is given, and leaves it as it was', async () => {
  const given = thing({
    count: 1,
    isOn: false,
    at: new Date(),
    hash: new Binary(Buffer.from('a')),
    tags: [],
    hashes: [],
    parts: [{ name: '', at: new Date() }, { name: 'b' }],
    part: { at: new Date(), name: 'a' },
    any: [null, { deep: [1n] }],
    data: { constructor: ['x'], toString: null, prototype: 1, parts: { $numberLong: '1' } },
  });
  const before = structuredClone(given.data);
  await things.insertOne(given);
  expect(given.data).toEqual(before);
  const stored = await things.collection.findOne({ _id: given._id }, { promoteValues: false });
  expect(Object.keys(stored ?? {})).toEqual(Object.keys(given));
  expect(Object.keys(stored?.part ?? {})).toEqual(['at', 'name']);
  expect(await things.findOne({ _id: given._id })).toEqual({ ...given, any: [null, { deep: [1] }] });
});

it('requires every member that documents must have', async () => {
  for (const name of ['appId', 'state', 'parts', 'data']) {
    const { [name as 'appId']: _, ...rest } = thing();
    await expect(things.insertOne(rest as Thing)).rejects.toThrow(name);
    await expect(things.updateOne({ _id: rest._id }, { $unset: { [name]: 1 } })).rejects.toThrow(name);
  }
});

it('sends filters and updates as they are, with a time limit', async () => {
  const one = thing({ count: 1 });
  await things.insertOne(one);
  commands.length = 0;
  const filter = { _id: { $gte: one._id, $lte: one._id }, 'parts.name': { $exists: false }, at: { $exists: false } };
  const update = {
    $set: { at: new Date() },
    $push: { parts: { $each: [{ name: 'a' }], $slice: -2 } },
    $inc: { count: 1 },
  };
  expect(await things.updateOne(filter, update)).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
  expect(commands[0]).toMatchObject({ update: 'things', maxTimeMS: 3_000, writeConcern: { w: 'majority' } });
  expect(commands[0]?.updates).toMatchObject([{ q: filter, u: update }]);
  const found = await things.findOneAndUpdate({ _id: one._id }, { $unset: { at: 1 } }, { returnDocument: 'after' });
  expect(found).toEqual({ ...one, count: 2, parts: [{ name: 'a' }] });
  expect(commands[1]).toMatchObject({ findAndModify: 'things', maxTimeMS: 3_000 });
  const inTime = { $expr: { $lt: ['$$NOW', new Date(Date.now() + 60_000)] } };
  const options = { projection: { count: 1 }, sort: { _id: -1 }, limit: 2, maxTimeMS: 5 * 60_000 } as const;
  expect(await things.find({ _id: one._id, ...inTime }, options)).toEqual([{ _id: one._id, count: 2 }]);
  expect(commands[2]).toMatchObject({ find: 'things', maxTimeMS: 5 * 60_000, projection: { count: 1 }, limit: 2 });
  expect(await things.countDocuments({ appId: one.appId })).toBe(1);
  const upserted = { _id: new UUID(), appId: one.appId };
  commands.length = 0;
  await things.updateOne(upserted, { $setOnInsert: { state: 'done' } }, { upsert: true });
  expect(commands[0]?.updates).toMatchObject([{ u: { $setOnInsert: { state: 'done' } }, upsert: true }]);
  expect(await things.collection.findOne(upserted)).toEqual({ ...upserted, state: 'done' });
  expect(await things.deleteOne(upserted)).toMatchObject({ deletedCount: 1 });
  expect(await things.deleteMany({ appId: one.appId })).toMatchObject({ deletedCount: 1 });
  for (const { maxTimeMS } of commands) expect(maxTimeMS).toBe(3_000);
  void things.updateOne(upserted, { $set: { count: 1 } });
  await expect.poll(() => commands.at(-1)?.updates).toMatchObject([{ u: { $set: { count: 1 } } }]);
});

const one = new ObjectId();
const part = { name: 'a', at: new Date(0) };
const inTime = { $expr: { $lt: ['$$NOW', new Date(0)] } };
const elsewhere = { $nor: [{ parts: { $elemMatch: { name: 'b' } } }], 'parts.9': { $exists: false } };

/** The forms of statements in the features. Mongoose sends operators in another order. */
const UPDATES: [name: string, filter: Document, update: Document, options?: UpdateOptions][] = [
  ['a deadline', { _id: new UUID(), count: { $lt: 3 }, ...inTime }, { $set: { count: 3 } }],
  [
    'the replacement of embedded documents',
    { at: { $exists: false } },
    { $set: { part, parts: [part, { name: 'b' }] } },
  ],
  ['a position', { parts: { $elemMatch: part } }, { $set: { 'parts.$.name': 'b' } }],
  [
    'filters of an array',
    {},
    { $set: { 'parts.$[one].name': 'b' } },
    { arrayFilters: [{ 'one.at': { $not: { $gt: new Date(0) } } }] },
  ],
  [
    'a time and filters of an array',
    {},
    { $currentDate: { 'parts.$[one].at': true } },
    { arrayFilters: [{ 'one.name': { $in: ['a'] } }] },
  ],
  ['an item unless it is there', elsewhere, { $push: { parts: part } }],
  ['the last items', { state: { $ne: 'done' } }, { $push: { parts: { $each: [part], $slice: -3 } } }],
  ['an item of a set', { $or: [{ appId: one }, {}] }, { $addToSet: { tags: 'a' } }],
  [
    'no item with these members',
    { appId: { $in: [one, null] } },
    { $pull: { parts: { name: 'a', at: { $exists: false } } } },
  ],
  ['no items', { appId: undefined }, { $pull: { parts: {}, hashes: new Binary(Buffer.from('a')) } }],
  ['members of the greatest value', { $and: [{ isOn: true }] }, { $max: { at: new Date(0) } }],
  ['no members', { target: null }, { $unset: { at: 1, 'part.at': 1 } }],
  ['another write concern', { state: 'open' }, { $inc: { count: 1 } }, { writeConcern: { w: 1 } }],
];

it.each(UPDATES)('sends as it is an update with %s', async (_, filter, update, options) => {
  const statement = () => shown({ filter, update, options });
  const given = statement();
  for (const method of ['updateOne', 'updateMany'] as const) {
    commands.length = 0;
    await things[method](filter, update, options);
    await things.collection[method](filter, update, options);
    const [sent, expected] = commands.map(({ lsid: _lsid, txnNumber: _number, ...rest }) => shown(rest));
    expect(sent).toEqual(expected);
    expect(statement()).toEqual(given);
  }
});

/** A command as the driver writes it. */
const shown = (value: Document): Document => BSON.deserialize(BSON.serialize(value, { ignoreUndefined: false }));

it('sends as they are reads with a projection, an order, a text, a read concern and a time limit', async () => {
  const filter = { state: { $regex: 'o\\x{2e}', $options: 'i', $gt: 'a' }, at: { $ne: null } } as Document;
  const projection = { count: 1, parts: { $elemMatch: { name: 'a', at: { $exists: false } } } };
  const options = {
    projection,
    sort: { at: -1, _id: -1 },
    limit: 3,
    readConcern: 'majority',
    maxTimeMS: 60_000,
  } as const;
  commands.length = 0;
  await things.find(filter, options);
  await things.collection.find(filter, options).toArray();
  await things.findOne(filter, options);
  await things.collection.findOne(filter, options);
  const [found, expected, first, expectedFirst] = commands.map(({ lsid: _, ...rest }) => shown(rest));
  expect(found).toEqual(expected);
  expect(first).toEqual(expectedFirst);
});

it('stores no default for an absent array, in a document or within an embedded one', async () => {
  const { hashes: _, ...rest } = thing({ part: { name: 'a' } });
  await things.insertOne(rest);
  const filter = { _id: rest._id };
  expect(await things.collection.findOne(filter)).toEqual(rest);
  await things.updateOne(filter, { $set: { part: { name: 'b' }, parts: [{ name: 'b' }] } });
  expect(await things.collection.findOne(filter)).toEqual({ ...rest, part: { name: 'b' }, parts: [{ name: 'b' }] });
});

it('refuses what Mongoose takes for a value: statements of the collection', async () => {
  const replaced = things.updateOne({}, { $set: { 'parts.$[one]': part } }, { arrayFilters: [{ 'one.name': 'a' }] });
  await expect(replaced).rejects.toThrow(REFUSED);
  const atOnce = schemaOf<Required<Pick<Part, 'at'>>>({ at: { type: Date, required: true } });
  const logs = createModel(
    connection,
    schemaOf<{ _id: number; events: { at: Date }[] }>(
      { _id: { type: Number, required: true }, events: { type: [atOnce], required: true } },
      { collection: 'logs', placement: 'of the test' },
    ),
  );
  await logs.insertOne({ _id: 1, events: [{ at: new Date(0) }] });
  const old = { $pull: { events: { at: { $lte: new Date(1) } } } };
  await expect(logs.updateOne({}, old)).rejects.toThrow('the model of logs refused events.at');
  await logs.collection.updateOne({}, old);
  expect(await logs.findOne({})).toEqual({ _id: 1, events: [] });
});

it('lets errors of the database pass', async () => {
  const stored = thing();
  await things.insertOne(stored);
  const other = thing();
  await things.insertOne(other);
  await expect(things.insertOne(stored)).rejects.toSatisfy(isDuplicateKey);
  const name = 'hash_1';
  await things.collection.createIndex({ hash: 1 }, { name, unique: true, sparse: true });
  const set = { $set: { hash: new Binary(Buffer.from('unique')) } };
  await things.updateOne({ _id: stored._id }, set);
  await expect(things.updateOne({ _id: other._id }, set)).rejects.toSatisfy(isDuplicateKey);
  await expect(things.findOneAndUpdate({ _id: other._id }, set)).rejects.toSatisfy(isDuplicateKey);
  await things.collection.dropIndex(name);

  const uri = new URL(databaseUri(randomName()));
  const proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  const away = await connectDatabase(uri.href);
  const model = createModel(away, thingSchema);
  await model.findOne({});
  proxy.cut();
  const failed = [model.findOne({}), model.insertOne(thing()), model.updateOne({}, { $set: { count: 1 } })];
  for (const result of await Promise.allSettled(failed)) {
    if (result.status === 'fulfilled') throw new Error('the database is away');
    expect(databaseRefusal(result.reason)).toBeInstanceOf(Unavailable);
  }
  await away.close();
  await proxy.close();
});

it('refuses a statement as a bug: the response is 500, and the log has no value', async () => {
  const stored = thing();
  const filter = { _id: stored._id };
  const secret = 'ada@x.org';
  const wrong: [string, () => Promise<unknown>][] = [
    ['an insert', () => things.insertOne(thing({ count: secret as never }))],
    ['an insert of an enum', () => things.insertOne(thing({ state: secret as never }))],
    ['an unknown member', () => things.insertOne({ ...stored, other: secret } as Thing)],
    ['an update', () => things.updateOne(filter, { $set: { appId: secret as never } })],
    ['an update of an enum', () => things.updateOne(filter, { $set: { state: secret as never } })],
    ['an update of an unknown member', () => things.updateOne(filter, { $set: { other: secret } } as Document)],
    ['an update within', () => things.updateOne(filter, { $set: { parts: [{ name: 'a', at: secret }] } } as Document)],
    ['a filter', () => things.deleteOne({ count: secret as never })],
  ];
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const app = express();
  app.get('/:index', async (req) => void (await wrong[Number(req.params.index)]?.[1]()));
  app.use(createErrorConversion(createLogger({ logLevel: 'info' }, sink)));
  app.use(answerError);
  for (const [index, [name]] of wrong.entries()) {
    const { status, body } = await supertest(app).get(`/${index}`);
    expect({ status, body }, name).toEqual({ status: 500, body: { message: 'Internal error', code: 'internal' } });
  }
  expect(lines).toHaveLength(wrong.length);
  for (const line of lines) expect(JSON.parse(line).err.stack).toMatch(/the model of things refused \w+/);
  expect(lines.join('')).not.toContain(secret);
});

it('is the same for every collection of the service: an unknown member is refused', async () => {
  const { collections } = createServices(loadConfig({}), connection, createLogger({ logLevel: 'silent' }));
  expect(collections.length).toBeGreaterThan(30);
  for (const declared of collections) {
    const { collection: name } = declared.options;
    const model = createModel(connection, declared as typeof thingSchema) as unknown as Model<Document>;
    const refused = new RegExp(`^the model of ${name} refused `);
    await expect(model.insertOne({ other: 1 }), name).rejects.toThrow(refused);
    for (const $set of [{ other: 1 }, { _id: { other: 1 } }]) {
      await expect(model.updateOne({}, { $set }), name).rejects.toThrow(refused);
    }
    await expect(model.deleteMany({ other: 1 }), name).rejects.toThrow(refused);
  }
});

it('refuses filters with other members or types, and pipelines', async () => {
  const filters: Document[] = [{ other: 1 }, { count: '1' }, { _id: { $in: ['a'] } }, { 'parts.other': 1 }];
  for (const filter of filters) {
    await expect(things.findOne(filter), JSON.stringify(filter)).rejects.toThrow();
    await expect(things.deleteMany(filter), JSON.stringify(filter)).rejects.toThrow();
  }
  await expect(things.updateOne({}, [{ $set: { count: 1 } }] as Document)).rejects.toThrow();
});

it('accepts numbers of BSON where they are promoted, and refuses others', async () => {
  const one = thing();
  await things.collection.insertOne({ ...one, count: Long.fromNumber(5) as unknown as number });
  expect(await things.findOne({ _id: one._id })).toEqual({ ...one, count: 5 });
  await expect(things.insertOne(thing({ count: new Int32(1) as unknown as number }))).rejects.toThrow('count');
});

it('declares each member of the interface with its type; nothing else compiles', () => {
  const name = { type: String, required: true } as const;
  const wrong = () => [
    // @ts-expect-error: without a member
    schemaOf<Part>({ name, tags: [String] }),
    // @ts-expect-error: with a member that the interface lacks
    schemaOf<Part>({ name, at: Date, tags: [String], other: String }),
    // @ts-expect-error: of another type
    schemaOf<Part>({ name, at: Number, tags: [String] }),
    // @ts-expect-error: optional, but the interface requires it
    schemaOf<Part>({ name: String, at: Date, tags: [String] }),
    // @ts-expect-error: required, but optional in the interface
    schemaOf<Part>({ name, at: { type: Date, required: true }, tags: [String] }),
    // @ts-expect-error: with documents of another schema
    schemaOf<{ parts: Thing[] }>({ parts: { type: [partSchema], required: true } }),
    // @ts-expect-error: with a value that the interface lacks
    schemaOf<{ is: 'a' | 'b' }>({ is: { type: String, required: true, enum: ['a', 'c'] } }),
  ];
  expect(wrong()).toHaveLength(7);
});

it('declares a validator for $jsonSchema, an index and a shard key', async () => {
  expect(thingSchema.indexes()).toEqual([[{ appId: 1, _id: 1 }, { unique: true }]]);
  expect(thingSchema.options).toMatchObject({ collection: 'things', shardKey: { appId: 1 } });
  const database = connection.getClient().db(connection.name);
  const checked = await database.createCollection('checked', { validator: { $jsonSchema: jsonSchemaOf(thingSchema) } });
  const valid = thing({ tags: ['a'], part: { name: 'a' }, any: 1, data: { free: [null] } });
  await checked.insertOne(valid as Document);
  for (const [name, value] of WRONG) {
    // MongoDB has one type for all binary values.
    if ((name === '_id' || name.startsWith('hash')) && typeof value === 'object') continue;
    const refused = checked.insertOne({ ...thing(), [name]: value } as Document);
    await expect(refused, `${name} ${value}`).rejects.toMatchObject({ code: 121 });
  }
  for (const name of ['appId', 'state', 'target', 'parts', 'data']) {
    const { [name as 'appId']: _, ...rest } = thing();
    await expect(checked.insertOne(rest as Document), name).rejects.toMatchObject({ code: 121 });
  }
});

it('holds every statement of a server in a test to its schema, and no statement of the test', async () => {
  const held = await connectDatabase(`${databaseUri(randomName())}&monitorCommands=true`);
  const database = held.getClient().db(held.name);
  await installValidators(database, [thingSchema]);
  watchRefusals(held.getClient());
  const { collection } = createModel(held, thingSchema);
  const one = thing();
  await collection.insertOne(one);
  const merged = { $merge: { into: 'things', whenNotMatched: 'discard' } } as const;
  const refused = [
    collection.updateOne({ _id: one._id }, [{ $set: { count: 'a' } }]),
    collection.bulkWrite([{ insertOne: { document: { _id: new UUID() } as never } }], { ordered: false }),
    collection.aggregate([{ $set: { other: 1 } }, merged]).toArray(),
  ];
  for (const { status } of await Promise.allSettled(refused)) expect(status).toBe('rejected');
  expect(takeRefusals()).toHaveLength(3);
  await withoutValidators(database)
    .collection('things')
    .updateOne({ _id: one._id as never }, { $set: { other: 1 } });
  await collection.updateOne({ _id: one._id }, { $set: { count: 1 } });
  expect(await collection.findOne({ _id: one._id })).toEqual({ ...one, other: 1, count: 1 });
  await held.close();
});

it('compiles models for each connection, which end with it', async () => {
  const other = await connectDatabase(databaseUri(randomName()));
  const elsewhere = createModel(other, thingSchema);
  await elsewhere.insertOne(thing());
  expect(await elsewhere.countDocuments({})).toBe(1);
  expect(await elsewhere.collection.countDocuments()).toBe(1);
  await other.close();
  await expect(elsewhere.findOne({})).rejects.toThrow();
  expect(await things.countDocuments({ state: 'done' })).toBe(0);
});

it('uses one copy of the driver in the service, mongoose and connect-mongo', () => {
  const here = createRequire(import.meta.url);
  const driver = here.resolve('mongodb');
  for (const name of ['mongoose', 'connect-mongo']) {
    expect(createRequire(here.resolve(name)).resolve('mongodb'), name).toBe(driver);
  }
});
