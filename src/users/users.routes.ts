import { type Route, routes } from '../http/endpoint.ts';
import { Download, JsonStream } from '../http/reply.ts';
import type { ExportFormat } from './export.ts';
import type { UserPage } from './user-search.ts';
import type { UserRecord } from './user-store.ts';
import { DEFAULT_LIMIT, userEndpoints } from './users.contract.ts';
import type { UserService } from './users.service.ts';

export const userRoutes = (users: UserService): Route[] =>
  routes(userEndpoints, {
    submitUser: async ({ appId, headers, body }) => {
      const { id, createdAt, updatedAt } = await users.submit(appId, body, headers['idempotency-key']);
      return { id: id.toString(), createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
    },

    listUsers: async ({ app, query }) => {
      if (Object.keys(query).length === 0) return JsonStream.of('users', users.list(app), presentOwn);
      const page: UserPage = { ...query, limit: query.limit ?? DEFAULT_LIMIT, skip: query.skip ?? 0 };
      const found = await users.search(app, page);
      const { limit, skip } = page;
      return JsonStream.of('users', found.users, presentOwn, { total: found.total, limit, skip });
    },

    exportUsers: async ({ app, query: { format, ...filter } }) => {
      const content = await users.export(app, filter, format);
      const date = new Date().toISOString().slice(0, 10);
      return new Download(`${app.sourceAppId}-${date}.${format}`, MEDIA_TYPES[format], content);
    },

    getUser: async ({ app, params }) => {
      const { createdAt, updatedAt, ...rest } = presentOwn(await users.get(app, params.id));
      return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
    },

    eraseUser: async ({ app, params }) => {
      await users.erase(app, params.id);
      return { ok: true as const };
    },

    listAllUsers: ({ query }) =>
      JsonStream.of('users', users.listAcrossApps(query), presentWithApp, {
        limit: query.limit,
        skip: query.skip,
      }),
  });

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

function presentOwn({ _id, email, data, schemaVersion, createdAt, updatedAt }: UserRecord) {
  return { id: _id.toString(), email, data, schemaVersion, createdAt, updatedAt };
}

function presentWithApp(record: UserRecord) {
  const { id, ...rest } = presentOwn(record);
  return { id, sourceAppId: record.sourceAppId, ...rest };
}
