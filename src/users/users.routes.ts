import { type Route, routes } from '../http/endpoint.ts';
import { JsonStream } from '../http/reply.ts';
import type { UserRecord } from './user-store.ts';
import { userEndpoints } from './users.contract.ts';
import type { UserService } from './users.service.ts';

export const userRoutes = (users: UserService): Route[] =>
  routes(userEndpoints, {
    submitUser: async ({ appId, headers, body }) => {
      const { id, createdAt, updatedAt } = await users.submit(appId, body, headers['idempotency-key']);
      return { id: id.toString(), createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
    },

    listUsers: ({ app }) => new JsonStream('users', presentAll(users.list(app), presentOwn)),

    listAllUsers: ({ query }) =>
      new JsonStream('users', presentAll(users.listAcrossApps(query), presentWithApp), {
        limit: query.limit,
        skip: query.skip,
      }),
  });

function presentOwn({ _id, email, data, schemaVersion, createdAt, updatedAt }: UserRecord) {
  return { id: _id.toString(), email, data, schemaVersion, createdAt, updatedAt };
}

function presentWithApp(record: UserRecord) {
  const { id, ...rest } = presentOwn(record);
  return { id, sourceAppId: record.sourceAppId, ...rest };
}

async function* presentAll<Shown>(records: AsyncIterable<UserRecord>, present: (record: UserRecord) => Shown) {
  for await (const record of records) yield present(record);
}
