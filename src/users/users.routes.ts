import { type Route, routes } from '../api/endpoint.ts';
import { Download, JsonStream } from '../api/reply.ts';
import type { ExportFormat } from './export/export.ts';
import type { LongReads } from './long-reads.ts';
import { type RecordBatches, recordsAsJson } from './record-json.ts';
import type { UserPage } from './user-search.ts';
import { DEFAULT_LIMIT, userEndpoints } from './users.contract.ts';
import { MEMBERS_WITH_APP, type Members, OWN_MEMBERS, presentConsents, presentUser } from './users.presenter.ts';
import type { UserService } from './users.service.ts';

/**
 * The routes of `userEndpoints` (spec 4.3 and 4.4).
 *
 * @param longReads limits exports and unpaged listings
 */
export const userRoutes = (users: UserService, longReads: LongReads): Route[] =>
  routes(userEndpoints, {
    listUsers: async ({ principal: { app }, query, req, res }) => {
      if (Object.keys(query).length === 0) return listing(users.list(app, longReads.begin(req, res)), OWN_MEMBERS);
      const page: UserPage = { ...query, limit: query.limit ?? DEFAULT_LIMIT, skip: query.skip ?? 0 };
      const found = await users.search(app, page);
      const { limit, skip } = page;
      return listing(found.users, OWN_MEMBERS, { total: found.total, limit, skip });
    },

    exportUsers: async ({ principal: { app }, query: { format, bom, ...filter }, req, res }) => {
      const options = { format, bom: bom !== undefined, signal: longReads.begin(req, res) };
      const content = await users.export(app, filter, options);
      const date = new Date().toISOString().slice(0, 10);
      return new Download(`${app.sourceAppId}-${date}.${format}`, MEDIA_TYPES[format], content);
    },

    getUser: async ({ principal: { app }, params }) => {
      const record = await users.get(app, params.id);
      const user = presentUser(record);
      const { createdAt, updatedAt } = user;
      return {
        ...{ ...user, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
        ...(record.consents && { consents: presentConsents(record.consents) }),
      };
    },

    eraseUser: async ({ principal: { app }, params }) => {
      await users.erase(app, params.id);
      return { ok: true as const };
    },

    listAllUsers: ({ query }) => {
      const { limit, skip } = query;
      return listing(users.listAcrossApps(query), MEMBERS_WITH_APP, { limit, skip });
    },
  });

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

const listing = (records: RecordBatches, members: Members, rest?: Record<string, number>) =>
  new JsonStream('users', recordsAsJson(records, members), rest);
