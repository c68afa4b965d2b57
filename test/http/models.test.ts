import { createRequire } from 'node:module';
import { Binary, type Document, Int32, Long, ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../src/database/client.ts';
import { createModel, Mixed, type Model, schema } from '../../src/database/mongoose.ts';
import { randomName } from '../support/databases.ts';
import { databaseUri } from '../support/process.ts';
import {
  installValidators,
  jsonSchemaOf,
  takeRefusals,
  watchRefusals,
  withoutValidators,
} from '../support/validators.ts';

interface Part {
  name: string;
  at?: Date;
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

const partSchema = schema<Part>({ name: { type: String, required: true }, at: Date }, { _id: false });

const thingSchema = schema<Thing>(
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
  ...{ _id: new UUID(), appId: new ObjectId(), state: 'open', target: null, parts: [], data: {} },
  ...members,
});

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
  await expect(things.updateOne(filter, { $set: { [name]: value } })).rejects.toThrow(/Cast|Validation|strict/);
  await expect(things.findOneAndUpdate(filter, { $set: { [name]: value } })).rejects.toThrow(/Cast|Validation|strict/);
  expect(await things.findOne(filter)).toEqual(stored);
});

it('stores what it is given, and leaves it as it was', async () => {
  const given = thing({
    ...{ count: 1, isOn: false, at: new Date(), hash: new Binary(Buffer.from('a')), tags: [], hashes: [] },
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
    if (name !== 'parts') await expect(things.insertOne(rest as Thing)).rejects.toThrow(name);
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
  const embedded = { _id: false } as const;
  const wrong = () => [
    // @ts-expect-error: without a member
    schema<Part>({ name }, embedded),
    // @ts-expect-error: with a member that the interface lacks
    schema<Part>({ name, at: Date, other: String }, embedded),
    // @ts-expect-error: of another type
    schema<Part>({ name, at: Number }, embedded),
    // @ts-expect-error: optional, but the interface requires it
    schema<Part>({ name: String, at: Date }, embedded),
    // @ts-expect-error: required, but optional in the interface
    schema<Part>({ name, at: { type: Date, required: true } }, embedded),
    // @ts-expect-error: with documents of another schema
    schema<{ parts: Thing[] }>({ parts: { type: [partSchema], required: true } }, embedded),
    // @ts-expect-error: with a value that the interface lacks
    schema<{ is: 'a' | 'b' }>({ is: { type: String, required: true, enum: ['a', 'c'] } }, embedded),
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
