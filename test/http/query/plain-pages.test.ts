import { beforeAll, describe, expect, it } from 'vitest';
import type { UserCollection, UserDocument } from '../../../src/core/users/users.model.ts';
import { plainPage } from '../../../src/features/search/users.service.ts';
import { decode } from '../../../src/platform/database/collections.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../../support/database/index-slots.ts';
import { FIELDS, inOrder } from '../../support/database/query-model.ts';
import { createQueries, slotOf, storeIndexedRecords } from '../../support/database/query-records.ts';
import { Client } from '../../support/server/client.ts';
import { sharedServer, type TestServer } from '../../support/server/server.ts';

const SORTS = ['createdAt', 'updatedAt', 'email', ...FIELDS.map(({ key }) => `data.${key}`), 'data.extra', 'data.none'];
const ORDERS = ['asc', 'desc'] as const;

let server: TestServer;
let operator: Client;
let users: UserCollection;
let appId: UserDocument['appId'];
let records: UserDocument[];

beforeAll(async () => {
  server = await sharedServer();
  users = server.db.collection('users') as unknown as UserCollection;
  const fields = FIELDS.map((field) => ('enum' in field ? { ...field, enum: [...field.enum] } : field));
  const app = await server.admin.buildApp({ fields });
  appId = (await appDocument(server, app.sourceAppId))._id;
  records = await storeIndexedRecords(users, appId, 150);
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
}, 60_000);

const emailsOf = (list: readonly { email: string }[]): string[] => list.map(({ email }) => email);

async function listed(parameters: Record<string, string>): Promise<{ emails: string[]; rest: object }> {
  const { body } = await operator.get(`/auth/users?${new URLSearchParams(parameters)}`).expect(200);
  const { users: found, ...rest } = body;
  return { emails: emailsOf(found), rest };
}

describe('a page of GET /auth/users without a query', () => {
  it.each(SORTS.flatMap((sort) => ORDERS.map((order) => [sort, order] as const)))(
    'in the order of %s %s is that of the query, records without a value last',
    async (sort, order) => {
      const expected = emailsOf(inOrder(records, sort, order === 'asc' ? 1 : -1));
      const all = await listed({ sort, order, limit: '200' });
      expect(all).toEqual({ emails: expected, rest: { total: 150, limit: 200, skip: 0 } });
      expect((await listed({ sort, order, limit: '200', total: 'none' })).emails).toEqual(expected);
      const part = await listed({ sort, order, limit: '40', skip: '70' });
      expect(part).toEqual({ emails: expected.slice(70, 110), rest: { total: 150, limit: 40, skip: 70 } });
    },
  );

  it('in the order of an index is the same', async () => {
    const { query } = createQueries(users);
    const schema = { fields: FIELDS, rejectUnknown: false };
    for (const { key } of FIELDS) {
      for (const order of ORDERS) {
        const page = { sort: `data.${key}`, order, limit: 60, skip: 30 };
        const { users: found } = await plainPage(query, { id: appId, schema, slotOf }, page);
        const emails: string[] = [];
        for await (const batch of found) for (const one of batch) emails.push(decode<UserDocument>(one).email);
        const expected = inOrder(records, page.sort, order === 'asc' ? 1 : -1).slice(30, 90);
        expect({ key, order, emails }).toEqual({ key, order, emails: emailsOf(expected) });
      }
    }
  });

  it('sorts by the stored values of a key that a strict schema does not have any more', async () => {
    const app = await server.admin.buildApp({ fields: [{ key: 'plan', kind: 'text' }] });
    for (const plan of ['b', 'a']) {
      await server.client.submit(app.sourceAppId, { email: `${plan}@x.org`, data: { plan } }).expect(200);
    }
    await server.admin.putSchema(app.sourceAppId, { rejectUnknown: true, fields: [] }).expect(200);
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await own.get('/auth/users?sort=data.plan').expect(200);
    expect(emailsOf(body.users)).toEqual(['a@x.org', 'b@x.org']);
  });

  it('begins after any number of records', { tags: 'long', timeout: 60_000 }, async () => {
    const { password, sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
    const { _id } = await appDocument(server, sourceAppId);
    const [sample] = records as [UserDocument];
    const newId = createOrderedIds();
    const stored = Array.from({ length: 20_500 }, (_, at) => ({
      _id: newId(sample.createdAt),
      appId: _id,
      sourceAppId,
      email: `u${at}@example.com`,
      data: { age: -at },
      schemaVersion: 2,
      createdAt: sample.createdAt,
      updatedAt: sample.updatedAt,
    }));
    await users.insertMany(stored as unknown as UserDocument[]);
    const own = await new Client(server.client.url).logIn(sourceAppId, password);
    for (const skip of [9_999, 10_000, 10_001, 20_000, 20_490, 20_500]) {
      const { body } = await own.get(`/auth/users?sort=data.age&limit=20&skip=${skip}`).expect(200);
      const expected = stored.slice(Math.max(0, 20_500 - skip - 20), 20_500 - skip).reverse();
      expect({ skip, emails: emailsOf(body.users) }).toEqual({ skip, emails: emailsOf(expected) });
      expect(body.total).toBe(20_500);
    }
  });
});
