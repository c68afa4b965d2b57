import { z } from 'zod';
import { InvalidInput } from '../../platform/core/errors.ts';
import { REACHABLE_APP_ID } from '../../platform/core/identifiers.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type Cursors, pageOf } from '../api/cursors.ts';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { AppPath, EXAMPLE_PASSWORD, Role, SentPassword, SourceAppId } from '../api/parameters.ts';
import { JsonStream } from '../api/reply.ts';
import { DEFAULT_LIMIT, OptionalPageLimit, Timestamp } from '../api/validation.ts';
import type { App } from './app.ts';
import type { AppParts } from './app-part.ts';
import type { AppRemoval } from './app-removal.ts';
import { type AppOrder, type AppPlace, type AppService, type NewPassword, parsePlace } from './apps.service.ts';

const NewSourceAppId = SourceAppId.regex(REACHABLE_APP_ID, code('unreachableAppId')).meta({ example: 'newsletter' });
const Password = z.string().min(24).meta({ example: EXAMPLE_PASSWORD });

/** The endpoints of apps, with what parts add to the creation and to the list. */
export const appEndpoints = ({ creation, listing }: Pick<AppParts, 'creation' | 'listing'>) => {
  const AppRecord = z
    .strictObject({ sourceAppId: SourceAppId, ...listing.shown, role: Role, createdAt: Timestamp })
    .meta({ id: 'App' });
  const orders: readonly [AppOrder, ...AppOrder[]] = ['sourceAppId', 'createdAt', ...listing.times];

  return {
    listApps: {
      method: 'get',
      path: '/auth/apps',
      auth: 'session',
      role: 'admin',
      tag: 'Apps',
      summary: 'List all apps',
      description:
        'All apps, by `sourceAppId`. With a parameter: a page in the order of `sort`, with `next` when there are more.',
      query: z.strictObject({
        q: z
          .string(code('notOneText'))
          .max(80, code('tooLong', { max: 80 }))
          .optional()
          .meta({
            description: 'A part of the `sourceAppId` or of the name, in any case',
            example: 'news',
          }),
        limit: OptionalPageLimit,
        sort: z
          .enum(orders, code('notThis', { values: orders.join(', ') }))
          .optional()
          .meta({
            description: 'The order of a page. Default: `sourceAppId`',
            example: 'createdAt',
          }),
        order: z.enum(['asc', 'desc'], code('notOrder')).optional().meta({
          description: 'Default: `desc` for times, `asc` for `sourceAppId`',
          example: 'desc',
        }),
        cursor: z.string(code('notOneText')).max(1_000, code('tooLongText')).optional().meta({
          description: 'The `next` of the previous page of the same query',
          example: 'AbC123',
        }),
      }),
      response: z.strictObject({ apps: z.array(AppRecord), next: z.string().optional().meta({ example: 'AbC123' }) }),
      errors: [],
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
      body: jsonBody(z.strictObject({ sourceAppId: NewSourceAppId, ...creation.body }), 'invalidAppName'),
      // Hashing may wait for logins, and an app without its password is useless.
      slow: true,
      response: z.strictObject({ sourceAppId: SourceAppId, role: Role, password: Password }),
      errors: [409],
    },
    rotatePassword: {
      method: 'post',
      path: '/auth/apps/:sourceAppId/password',
      auth: 'session',
      load: 'light',
      role: 'admin',
      audit: 'password.replaced',
      tag: 'Apps',
      summary: 'Give an app a new password',
      description:
        'Only this response contains the generated password. The previous password and all sessions created with it become invalid immediately, including the session of this request when it changes the password of its own app. In that case `currentPassword` is required, so that a stolen session cannot take over the account; failures count as failed logins.',
      params: AppPath,
      body: jsonBody(z.strictObject({ currentPassword: SentPassword.optional() }).optional(), 'invalidPasswordChange'),
      // After a 503 hashing would still replace the password, and the new one would be lost.
      slow: true,
      response: z.strictObject({ sourceAppId: SourceAppId, password: Password }),
      errors: [404, 429],
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
};

/** Rejects unless the password is the app's. Implemented by the sessions feature. */
type ConfirmPassword = (
  app: Pick<App, 'sourceAppId'>,
  password: string,
  caller: { address: string; leftMs(): number },
) => Promise<void>;

export const appRoutes = (
  apps: AppService,
  removal: AppRemoval,
  confirmPassword: ConfirmPassword,
  cursors: Cursors,
  parts: Pick<AppParts, 'creation' | 'listing'>,
): Route[] => {
  function present(app: App) {
    const { sourceAppId, role, createdAt } = app;
    return { sourceAppId, ...parts.listing.present(app), role, createdAt };
  }

  return routes(appEndpoints(parts), {
    listApps: async ({ query }) => {
      if (Object.values(query).every((value) => value === undefined))
        return JsonStream.of('apps', apps.list(), present);
      const { q = '', limit = DEFAULT_LIMIT, sort = 'sourceAppId', cursor } = query;
      const order = query.order ?? (sort === 'sourceAppId' ? 'asc' : 'desc');
      const bound = ['apps', q, sort, order];
      const after = cursors.read<AppPlace>(cursor, bound);
      const found = await apps.page({ q, sort, direction: order === 'asc' ? 1 : -1, after, limit: limit + 1 });
      const { page, last } = pageOf(found, limit);
      const next = last && { next: cursors.write(parsePlace(last, sort), bound) };
      const listed = page.map((app) => ({ ...present(app), createdAt: app.createdAt.toISOString() }));
      return { apps: listed, ...next };
    },

    createApp: async ({ body, recheck, audit }) => {
      const { sourceAppId, ...sent } = body;
      const members = parts.creation.members(sent);
      const { app, password } = await apps.create(sourceAppId, 'user', { recheck, members });
      audit({ app, target: app.sourceAppId });
      return { sourceAppId: app.sourceAppId, role: app.role, password };
    },

    rotatePassword: async ({ principal, params, body, req, leftMs, until, recheck }) => {
      // An admin's account has no password of an app to confirm.
      const own = principal.account ? undefined : principal.app;
      if (params.sourceAppId !== own?.sourceAppId) {
        return presentNew(await apps.rotatePassword(params.sourceAppId, until, recheck));
      }
      if (body?.currentPassword === undefined) throw new InvalidInput('invalidPasswordChange', [CURRENT_REQUIRED]);
      await confirmPassword(own, body.currentPassword, { address: req.ip ?? '', leftMs });
      return presentNew(await apps.rotateOwnPassword(own, until, recheck));
    },

    deleteApp: async ({ params, until, audit }) => {
      const deletedUsers = await removal.remove(params.sourceAppId, until);
      audit({ app: { sourceAppId: params.sourceAppId }, detail: { deletedUsers } });
      return { ok: true as const, deletedUsers };
    },
  });
};

const CURRENT_REQUIRED = { path: 'currentPassword', ...say('currentPasswordRequired') };

function presentNew({ app, password }: NewPassword) {
  return { sourceAppId: app.sourceAppId, password };
}
