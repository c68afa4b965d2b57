import { type Cursors, pageOf } from '../api/cursors.ts';
import { type Route, routes } from '../api/endpoint.ts';
import { JsonStream } from '../api/reply.ts';
import { DEFAULT_LIMIT } from '../api/validation.ts';
import { InvalidInput } from '../core/errors.ts';
import type { App } from './app.ts';
import type { AppRemoval } from './app-removal.ts';
import { appEndpoints } from './apps.contract.ts';
import { type AppPlace, type AppService, type NewPassword, parsePlace } from './apps.service.ts';

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
): Route[] =>
  routes(appEndpoints, {
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
      const { app, password } = await apps.create(body.sourceAppId, 'user', recheck);
      audit({ app, target: app.sourceAppId });
      return { sourceAppId: app.sourceAppId, role: app.role, password };
    },

    rotatePassword: async ({ principal, params, body, req, leftMs, until, recheck }) => {
      // An admin's account has no password of an app to confirm.
      const own = principal.account ? undefined : principal.app;
      if (params.sourceAppId !== own?.sourceAppId) {
        return presentNew(await apps.rotatePassword(params.sourceAppId, until, recheck));
      }
      if (body?.currentPassword === undefined) throw new InvalidInput('Invalid password change', [CURRENT_REQUIRED]);
      await confirmPassword(own, body.currentPassword, { address: req.ip ?? '', leftMs });
      return presentNew(await apps.rotateOwnPassword(own, until, recheck));
    },

    deleteApp: async ({ params, until, audit }) => {
      const deletedUsers = await removal.remove(params.sourceAppId, until);
      audit({ app: { sourceAppId: params.sourceAppId }, detail: { deletedUsers } });
      return { ok: true as const, deletedUsers };
    },
  });

const CURRENT_REQUIRED = { path: 'currentPassword', message: "is required to change the own app's password" };

function presentNew({ app, password }: NewPassword) {
  return { sourceAppId: app.sourceAppId, password };
}

function present({ sourceAppId, role, createdAt }: App) {
  return { sourceAppId, role, createdAt };
}
