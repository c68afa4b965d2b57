import type { Response } from 'express';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, SourceAppId, UserId } from '../../core/api/parameters.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { MEMBERS_WITH_APP, OWN_MEMBERS } from '../../core/users/record-json.ts';
import {
  answeredPage,
  createUserListing,
  listAcrossApps,
  paging,
  userFields,
  userListEndpoints,
} from '../../core/users/users.routes.ts';
import type { Users } from '../../core/users/users.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { DEFAULT_LIMIT, Ok, WholeNumber } from '../../platform/http/validation.ts';
import type { DetailedRecord, RecordDetails } from '../record-reads/record-details.ts';
import { CONFIRMATION_MEMBERS } from '../records/confirmations.ts';
import { recordEtag } from '../records/record-edit.ts';
import { breakdownEndpoints } from './breakdown.ts';
import {
  Cursor,
  checkSelection,
  hasAny,
  noSkipWith,
  orderParameter,
  pageMembers,
  pageParameters,
  queryParameters,
  SearchText,
  sortParameter,
  totalMembers,
  Where,
} from './parameters.ts';
import type { UserService } from './users.service.ts';

const fields = { ...userFields, ...CONFIRMATION_MEMBERS };

export const User = z.strictObject({ id: UserId, ...fields }).meta({ id: 'User' });

export type DetailedUser = ReturnType<typeof createDetailedUser>;

/** The answer about one record: its schema, which OpenAPI has once, and what it shows. */
export const createDetailedUser = ({ schema, present }: RecordDetails) => ({
  schema: z.strictObject({ id: UserId, ...fields, ...schema }).meta({ id: 'DetailedUser' }),

  /** Answers with a record and its ETag. */
  answer(record: DetailedRecord, res: Response) {
    res.setHeader('ETag', recordEtag(record));
    return present(record);
  },
});

const UserOfApp = z.strictObject({ id: UserId, sourceAppId: SourceAppId, ...fields }).meta({ id: 'UserOfApp' });

/** An id that is not a UUID is a 404 like any other unknown id. */
export const UserPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

export const RECORD_ETAG = { ETag: 'Identifies the state of the record, for `If-Match` of a change' };

/** With one of these parameters a listing is a query (spec 4.3). */
const QUERYING = ['where', 'q', 'cursor', 'total', 'sourceAppId'] as const;
/** The same for a listing across apps. */
const SEARCHING = ['where', 'q', 'cursor'] as const;

const shared = {
  auth: 'session or key',
  tag: 'Users',
} as const;

const ofOneUser = {
  ...shared,
  path: '/auth/users/:id',
  load: 'light',
  params: UserPath,
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

export const userEndpoints = (detailed: DetailedUser) =>
  ({
    listUsers: {
      ...userListEndpoints.listUsers,
      tool: true,
      load: (query) => (Object.keys(query).length === 0 ? 'long' : 'read'),
      description:
        "Without parameters: all users of the session's app, newest first, streamed; a session may have 8 concurrent unpaged listings and exports. With any parameter: a page of the matching users, with the `total` number of matches. Ties are broken by id. With `where`, `q`, `cursor`, `total` or `sourceAppId`: a page with `next`, the cursor of the next one; a search that takes too long answers what it found, with `complete` false.",
      query: z
        .strictObject({
          ...paging,
          sort: sortParameter,
          order: orderParameter,
          ...pageParameters,
        })
        .superRefine(noSkipWith(['cursor'], 'withCursor')),
      response: z.union([
        z.strictObject({ users: z.array(User) }),
        z.strictObject({ users: z.array(User), total: z.int().nonnegative(), ...answeredPage }),
        z.strictObject({ users: z.array(User), ...totalMembers, ...pageMembers }),
      ]),
    },
    getUser: {
      ...ofOneUser,
      method: 'get',
      scope: 'users:read',
      scoped: true,
      tool: true,
      summary: "One of the session's users",
      response: detailed.schema,
      responseHeaders: RECORD_ETAG,
    },
    eraseUsers: {
      ...shared,
      method: 'delete',
      path: '/auth/users',
      load: 'long',
      scope: 'users:write',
      scoped: true,
      audit: 'users.erased',
      summary: "Erase many of the session's users",
      description:
        'Permanent. Erases the users that match `where` and `q`, if `confirm` is their number; otherwise 409 tells their number.',
      query: z
        .strictObject({
          ...queryParameters,
          confirm: WholeNumber(0).meta({ description: 'The number of users to erase', example: 42 }),
        })
        .superRefine(checkSelection),
      // Counts and deletes any number of records.
      slow: true,
      response: z.strictObject({ ok: z.literal(true), deletedUsers: z.int().nonnegative().meta({ example: 42 }) }),
      errors: [409, 429],
    },
    eraseUser: {
      ...ofOneUser,
      method: 'delete',
      scope: 'users:write',
      scoped: true,
      audit: 'user.erased',
      summary: "Erase one of the session's users",
      description: 'Permanent. A later submission of the same email creates a new record.',
      response: Ok,
    },
    listAllUsers: {
      ...userListEndpoints.listAllUsers,
      description:
        'A page of users of all apps, or of one, newest first. With `q` or `where` (on `email`, or on any path with `sourceAppId`): the users that match, with `next`, the cursor of the next page.',
      query: z
        .strictObject({
          ...userListEndpoints.listAllUsers.query.shape,
          where: Where,
          q: SearchText,
          cursor: Cursor,
        })
        .superRefine(noSkipWith(SEARCHING, 'withSearch')),
      response: z.union([
        z.strictObject({ users: z.array(UserOfApp), ...answeredPage }),
        z.strictObject({ users: z.array(UserOfApp), ...pageMembers }),
      ]),
    },
  }) as const satisfies Endpoints;

/**
 * The endpoints of users: the lists of the core with conditions, and one user.
 * @param core the users and apps of the core
 */
export const userRoutes = (
  users: UserService,
  cursors: Cursors,
  detailed: DetailedUser,
  core: { users: Pick<Users, 'list' | 'parts'>; apps: Pick<AppService, 'find'> },
): Route[] => {
  const listing = createUserListing(core.users.parts);
  return [
    ...routes(breakdownEndpoints, {
      breakDownUsers: async ({ app, query }) => users.breakdown(app, query),
    }),
    ...routes(userEndpoints(detailed), {
      listUsers: async ({ app, query, closed }) => {
        if (hasAny(query, QUERYING)) {
          const found = await users.find(app, { ...query, limit: query.limit ?? DEFAULT_LIMIT }, cursors);
          return listing(found.users, OWN_MEMBERS, found.rest);
        }
        if (Object.keys(query).length === 0) return listing(core.users.list.all(app.id, closed()), OWN_MEMBERS);
        const { sort, order, limit = DEFAULT_LIMIT, skip = 0 } = query;
        const { users: found, total } = await users.page(app, { sort, order, limit, skip });
        return listing(found, OWN_MEMBERS, { total, limit, skip });
      },

      getUser: async ({ app, params, res }) => detailed.answer(await users.get(app, params.id), res),

      eraseUsers: async ({ app, query: { confirm, ...request }, closed, recheck, audit }) => {
        const deletedUsers = await users.eraseMatching(app, request, { confirm, signal: closed(), recheck });
        audit({ detail: { deletedUsers } });
        return { ok: true as const, deletedUsers };
      },

      eraseUser: ({ app, params }) => users.erase(app, params.id),

      listAllUsers: async ({ query, audit }) => {
        if (query.sourceAppId === undefined) audit({ app: null });
        const { limit = DEFAULT_LIMIT, skip = 0 } = query;
        if (hasAny(query, SEARCHING)) {
          const found = await users.findAcrossApps({ ...query, limit }, cursors);
          return listing(found.users, MEMBERS_WITH_APP, found.rest);
        }
        const found = listAcrossApps(core.users, core.apps, query.sourceAppId, { limit, skip });
        return listing(found, MEMBERS_WITH_APP, { limit, skip });
      },
    }),
  ];
};
