import { type Route, routes } from '../http/endpoint.ts';
import { JsonStream } from '../http/reply.ts';
import type { AppRemoval } from './app-removal.ts';
import { appEndpoints } from './apps.contract.ts';
import type { App, AppService } from './apps.service.ts';

export const appRoutes = (apps: AppService, removal: AppRemoval): Route[] =>
  routes(appEndpoints, {
    listApps: () => JsonStream.of('apps', apps.list(), present),

    createApp: async ({ body }) => {
      const { app, password } = await apps.create(body.sourceAppId);
      return { sourceAppId: app.sourceAppId, role: app.role, password };
    },

    rotatePassword: async ({ params }) => {
      const { app, password } = await apps.rotatePassword(params.sourceAppId);
      return { sourceAppId: app.sourceAppId, password };
    },

    deleteApp: async ({ params }) => ({ ok: true as const, deletedUsers: await removal.remove(params.sourceAppId) }),
  });

function present({ sourceAppId, role, createdAt }: App) {
  return { sourceAppId, role, createdAt };
}
