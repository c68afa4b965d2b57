import { z } from 'zod';
import { JsonStream } from '../../platform/http/reply.ts';
import {
  DEFAULT_LIMIT,
  JsonObject,
  MAX_LIMIT,
  OptionalPageLimit,
  Timestamp,
  WholeNumber,
} from '../../platform/http/validation.ts';
import { type Endpoints, type Route, routes } from '../api/endpoint.ts';
import { SourceAppId, UserId } from '../api/parameters.ts';
import type { AppService } from '../apps/apps.service.ts';
import { MEMBERS_WITH_APP, type Members, OWN_MEMBERS, type RecordBatches, recordsAsJson } from './record-json.ts';
import type { Users } from './users.ts';

/** The members of a user in an answer, besides its id (spec 2.1). */
export const userFields = {
  email: z.string().meta({ example: 'ada@example.com' }),
  data: JsonObject.meta({ example: { name: 'Ada' } }),
  schemaVersion: z.int().positive().meta({ example: 1 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const paging = {
  limit: OptionalPageLimit,
  skip: WholeNumber(0).optional().meta({ description: 'The number of users to skip', example: 0 }),
};
export const answeredPage = { limit: z.int().min(1).max(MAX_LIMIT), skip: z.int().nonnegative() };

const User = z.strictObject({ id: UserId, ...userFields });
const UserOfApp = z.strictObject({ id: UserId, sourceAppId: SourceAppId, ...userFields });

/** The lists of users (spec 4.3 and 4.4). */
export const userListEndpoints = {
  listUsers: {
    method: 'get',
    path: '/auth/users',
    auth: 'session or key',
    load: 'long',
    scope: 'users:read',
    scoped: true,
    audit: 'users.listed',
    tag: 'Users',
    summary: "The session's users",
    description: "All users of the session's app, newest first, streamed.",
    response: z.strictObject({ users: z.array(User) }),
    errors: [429],
  },
  listAllUsers: {
    method: 'get',
    path: '/auth/admin/users',
    auth: 'session or key',
    scope: 'users:read',
    role: 'admin',
    audit: 'users.listed',
    tag: 'Users',
    summary: 'Users across all apps',
    description: 'A page of users of all apps, or of one, newest first.',
    query: z.strictObject({
      sourceAppId: SourceAppId.optional().meta({ description: 'Only the users of this app' }),
      ...paging,
    }),
    response: z.strictObject({ users: z.array(UserOfApp), ...answeredPage }),
    errors: [400],
  },
} as const satisfies Endpoints;

export const userListRoutes = (users: Pick<Users, 'list' | 'parts'>, apps: Pick<AppService, 'find'>): Route[] => {
  const present = createUserListing(users.parts);
  return routes(userListEndpoints, {
    listUsers: ({ app, closed }) => present(users.list.all(app.id, closed()), OWN_MEMBERS),

    listAllUsers: ({ query, audit }) => {
      if (query.sourceAppId === undefined) audit({ app: null });
      const page = { limit: query.limit ?? DEFAULT_LIMIT, skip: query.skip ?? 0 };
      return present(listAcrossApps(users, apps, query.sourceAppId, page), MEMBERS_WITH_APP, page);
    },
  });
};

/** Creates the answer with a list of users, which is sent while it is read. */
export function createUserListing(parts: Users['parts']) {
  return (records: RecordBatches, members: Members, rest?: Record<string, unknown>): JsonStream =>
    new JsonStream('users', recordsAsJson(records, members, { listed: Object.keys(parts.listed()) }), rest);
}

/** A page of one app, or of all apps, as BSON, newest first (spec 4.4). */
export async function* listAcrossApps(
  { list }: Pick<Users, 'list'>,
  apps: Pick<AppService, 'find'>,
  sourceAppId: string | undefined,
  page: { limit: number; skip: number },
): RecordBatches {
  const app = sourceAppId === undefined ? undefined : await apps.find(sourceAppId);
  if (sourceAppId === undefined || app) yield* list.slice(app?.id, page);
}
