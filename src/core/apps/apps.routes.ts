import { z } from 'zod';
import { REACHABLE_APP_ID } from '../../platform/core/identifiers.ts';
import { JsonStream } from '../../platform/http/reply.ts';
import { Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { AppPath, EXAMPLE_PASSWORD, Role, SourceAppId } from '../api/parameters.ts';
import type { AppRemoval } from './app-removal.ts';
import type { AppService } from './apps.service.ts';

export const NewSourceAppId = SourceAppId.regex(REACHABLE_APP_ID, code('unreachableAppId')).meta({
  example: 'newsletter',
});
export const GeneratedPassword = z.string().min(24).meta({ example: EXAMPLE_PASSWORD });

/** The endpoints of apps (spec 4.4). */
export const appEndpoints = {
  listApps: {
    method: 'get',
    path: '/auth/apps',
    auth: 'session',
    role: 'admin',
    tag: 'Apps',
    summary: 'List all apps',
    description: 'All apps, by `sourceAppId`.',
    response: z.strictObject({
      apps: z.array(z.strictObject({ sourceAppId: SourceAppId, role: Role, createdAt: Timestamp })),
    }),
  },
  createApp: {
    method: 'post',
    path: '/auth/apps',
    auth: 'session',
    load: 'light',
    role: 'admin',
    audit: 'app.created',
    tag: 'Apps',
    summary: 'Create an app',
    description:
      'Only this response contains the generated password; the service stores a hash and cannot return it again. The app starts with the default schema.',
    body: jsonBody(z.strictObject({ sourceAppId: NewSourceAppId }), 'invalidAppName'),
    // Hashing may wait for logins, and an app without its password is useless.
    slow: true,
    response: z.strictObject({ sourceAppId: SourceAppId, role: Role, password: GeneratedPassword }),
    errors: [409],
  },
  deleteApp: {
    method: 'delete',
    path: '/auth/apps/:sourceAppId',
    auth: 'session',
    load: 'long',
    role: 'admin',
    audit: 'app.deleted',
    tag: 'Apps',
    summary: 'Delete an app and all its users',
    description:
      'Permanent. After the response no record of the app exists or can appear, including from submissions in flight. Admin apps cannot be deleted.',
    params: AppPath,
    slow: true,
    response: z.strictObject({ ok: z.literal(true), deletedUsers: z.int().nonnegative().meta({ example: 42 }) }),
    errors: [400, 404],
  },
} as const satisfies Endpoints;

export const appRoutes = (apps: AppService, removal: AppRemoval): Route[] =>
  routes(appEndpoints, {
    listApps: () =>
      JsonStream.of('apps', apps.list(), ({ sourceAppId, role, createdAt }) => ({ sourceAppId, role, createdAt })),

    createApp: async ({ body, recheck, audit }) => {
      const { app, password } = await apps.create(body.sourceAppId, 'user', { recheck });
      audit({ app, target: app.sourceAppId });
      return { sourceAppId: app.sourceAppId, role: app.role, password };
    },

    deleteApp: async ({ params, until, audit }) => {
      const deletedUsers = await removal.remove(params.sourceAppId, until);
      audit({ app: { sourceAppId: params.sourceAppId }, detail: { deletedUsers } });
      return { ok: true as const, deletedUsers };
    },
  });
