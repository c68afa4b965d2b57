import type { Cursors } from '../api/cursors.ts';
import { type Route, routes } from '../api/endpoint.ts';
import { JsonStream } from '../api/reply.ts';
import type { AppScope } from '../apps/app-scope.ts';
import { etagOf } from './editing/record-etag.ts';
import { type RecordBatches, recordsAsJson } from './record-json.ts';
import type { UserPage } from './user-search.ts';
import { DEFAULT_LIMIT, userEndpoints } from './users.contract.ts';
import { MEMBERS_WITH_APP, type Members, OWN_MEMBERS, presentDetails } from './users.presenter.ts';
import type { UserService } from './users.service.ts';

/**
 * The routes of `userEndpoints` (spec 4.3 and 4.4).
 *
 * @param scope resolves with the app that a request names
 */
export const userRoutes = (users: UserService, scope: AppScope, cursors: Cursors): Route[] =>
  routes(userEndpoints, {
    listUsers: async ({ principal, query, closed }) => {
      if (isQuery(query)) {
        const app = await scope(principal, query.sourceAppId);
        const found = await users.find(app, { ...query, limit: query.limit ?? DEFAULT_LIMIT }, cursors);
        return listing(found.users, OWN_MEMBERS, found.rest);
      }
      const { app } = principal;
      if (Object.keys(query).length === 0) return listing(users.list(app, closed()), OWN_MEMBERS);
      const page: UserPage = { ...query, limit: query.limit ?? DEFAULT_LIMIT, skip: query.skip ?? 0 };
      const found = await users.search(app, page);
      const { limit, skip } = page;
      return listing(found.users, OWN_MEMBERS, { total: found.total, limit, skip });
    },

    getUser: async ({ principal, params, query, res }) => {
      const record = await users.get(await scope(principal, query.sourceAppId), params.id);
      res.setHeader('ETag', etagOf(record));
      return presentDetails(record);
    },

    eraseUsers: async ({ principal, query: { sourceAppId, confirm, ...request }, closed, audit }) => {
      const app = await scope(principal, sourceAppId);
      const deletedUsers = await users.eraseMatching(app, request, { confirm, signal: closed() });
      audit({ detail: { deletedUsers } });
      return { ok: true as const, deletedUsers };
    },

    eraseUser: async ({ principal, params, query }) => {
      await users.erase(await scope(principal, query.sourceAppId), params.id);
      return { ok: true as const };
    },

    listAllUsers: async ({ query, audit }) => {
      if (query.sourceAppId === undefined) audit({ app: null });
      const { limit = DEFAULT_LIMIT, skip = 0 } = query;
      if (query.where !== undefined || query.q !== undefined || query.cursor !== undefined) {
        const found = await users.findAcrossApps({ ...query, limit }, cursors);
        return listing(found.users, MEMBERS_WITH_APP, found.rest);
      }
      return listing(users.listAcrossApps({ sourceAppId: query.sourceAppId, limit, skip }), MEMBERS_WITH_APP, {
        limit,
        skip,
      });
    },
  });

/** Parameters of queries. Without them a listing answers as it did before they existed. */
const QUERY_PARAMETERS = ['where', 'q', 'cursor', 'total', 'sourceAppId'] as const;

function isQuery(query: { [Name in (typeof QUERY_PARAMETERS)[number]]?: unknown }): boolean {
  return QUERY_PARAMETERS.some((name) => query[name] !== undefined);
}

const listing = (records: RecordBatches, members: Members, rest?: Record<string, unknown>) =>
  new JsonStream('users', recordsAsJson(records, members), rest);
