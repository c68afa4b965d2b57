import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppName, AppPath, Role, SentPassword, SourceAppId } from '../../core/api/parameters.ts';
import type { App } from '../../core/apps/app.ts';
import { appEndpoints, GeneratedPassword, NewSourceAppId } from '../../core/apps/apps.routes.ts';
import type { AppService, NewPassword } from '../../core/apps/apps.service.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { type Cursors, pageOf } from '../../platform/http/cursors.ts';
import { JsonStream } from '../../platform/http/reply.ts';
import { DEFAULT_LIMIT, OptionalPageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { HistorySettingsBody, historyMembers } from '../history/history-settings.ts';
import { APP_ORDERS, type AppPages, type AppPlace, placeOf } from './app-pages.ts';

const AppRecord = z
  .strictObject({ sourceAppId: SourceAppId, name: AppName, role: Role, createdAt: Timestamp })
  .meta({ id: 'App' });

/**
 * Pages of apps, the history of a new app, and new passwords. Extends the endpoints of the core.
 */
export const appAdministrationEndpoints = {
  listApps: {
    ...appEndpoints.listApps,
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
        .enum(APP_ORDERS, code('notThis', { values: APP_ORDERS.join(', ') }))
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
  },
  createApp: {
    ...appEndpoints.createApp,
    body: jsonBody(
      z.strictObject({ sourceAppId: NewSourceAppId, history: HistorySettingsBody.optional() }),
      'invalidAppName',
    ),
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
    response: z.strictObject({ sourceAppId: SourceAppId, password: GeneratedPassword }),
    errors: [404, 429],
  },
} as const satisfies Endpoints;

/** Rejects unless the password is the app's. */
type ConfirmPassword = (
  app: Pick<App, 'sourceAppId'>,
  password: string,
  caller: { address: string; leftMs(): number },
) => Promise<void>;

export const appAdministrationRoutes = (
  apps: AppService,
  pages: AppPages,
  confirmPassword: ConfirmPassword,
  cursors: Cursors,
): Route[] =>
  routes(appAdministrationEndpoints, {
    listApps: async ({ query }) => {
      if (Object.values(query).every((value) => value === undefined))
        return JsonStream.of('apps', apps.list(), present);
      const { q = '', limit = DEFAULT_LIMIT, sort = 'sourceAppId', cursor } = query;
      const order = query.order ?? (sort === 'sourceAppId' ? 'asc' : 'desc');
      const bound = ['apps', q, sort, order];
      const after = cursors.read<AppPlace>(cursor, bound);
      const found = await pages({ q, sort, direction: order === 'asc' ? 1 : -1, after, limit: limit + 1 });
      const { page, last } = pageOf(found, limit);
      const next = last && { next: cursors.write(placeOf(last, sort), bound) };
      const listed = page.map((app) => ({ ...present(app), createdAt: app.createdAt.toISOString() }));
      return { apps: listed, ...next };
    },

    createApp: async ({ body: { sourceAppId, history }, recheck, audit }) => {
      const members = history && historyMembers(history);
      const { app, password } = await apps.create(sourceAppId, 'user', { recheck, ...(members && { members }) });
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
  });

const CURRENT_REQUIRED = { path: 'currentPassword', ...say('currentPasswordRequired') };

function presentNew({ app, password }: NewPassword) {
  return { sourceAppId: app.sourceAppId, password };
}

function present({ sourceAppId, name, role, createdAt }: App) {
  return { sourceAppId, ...(name !== undefined && { name }), role, createdAt };
}
