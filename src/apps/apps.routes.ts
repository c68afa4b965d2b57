import { type Route, routes } from '../api/endpoint.ts';
import { JsonStream } from '../api/reply.ts';
import { InvalidInput } from '../core/errors.ts';
import type { AppRemoval } from './app-removal.ts';
import { appEndpoints } from './apps.contract.ts';
import type { App, AppService, NewPassword } from './apps.service.ts';

/** Resolves when the password is the app's, else rejects. Implemented by the sessions feature. */
type ConfirmPassword = (
  app: Pick<App, 'sourceAppId'>,
  password: string,
  caller: { address: string; leftMs(): number },
) => Promise<void>;

/** The endpoints of apps (spec 4.4). */
export const appRoutes = (apps: AppService, removal: AppRemoval, confirmPassword: ConfirmPassword): Route[] =>
  routes(appEndpoints, {
    listApps: () => JsonStream.of('apps', apps.list(), present),

    createApp: async ({ body }) => {
      const { app, password } = await apps.create(body.sourceAppId);
      return { sourceAppId: app.sourceAppId, role: app.role, password };
    },

    rotatePassword: async ({ principal: { app: own }, params, body, req, leftMs }) => {
      if (params.sourceAppId !== own.sourceAppId) return presentNew(await apps.rotatePassword(params.sourceAppId));
      if (body?.currentPassword === undefined) throw new InvalidInput('Invalid password change', [CURRENT_REQUIRED]);
      await confirmPassword(own, body.currentPassword, { address: req.ip ?? '', leftMs });
      return presentNew(await apps.rotateOwnPassword(own));
    },

    deleteApp: async ({ params }) => ({ ok: true as const, deletedUsers: await removal.remove(params.sourceAppId) }),
  });

const CURRENT_REQUIRED = { path: 'currentPassword', message: "is required to change the own app's password" };

function presentNew({ app, password }: NewPassword) {
  return { sourceAppId: app.sourceAppId, password };
}

function present({ sourceAppId, role, createdAt }: App) {
  return { sourceAppId, role, createdAt };
}
