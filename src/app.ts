import express, { type Express } from 'express';
import { appRoutes } from './apps/apps.routes.ts';
import type { Config } from './config.ts';
import { allEndpoints } from './endpoints.ts';
import { NotFound } from './errors.ts';
import { createDashboardRouter } from './http/dashboard.ts';
import { createDocsRouter } from './http/docs.ts';
import { createErrorHandler } from './http/error-handler.ts';
import { createJsonReader } from './http/json-body.ts';
import { createLongAnswers } from './http/long-answers.ts';
import { mount } from './http/mount.ts';
import { createOpenApiDocument } from './http/openapi.ts';
import { createOriginCheck } from './http/origin-check.ts';
import { createRequestLog } from './http/request-log.ts';
import { createSecurityHeaders } from './http/security-headers.ts';
import { createSessionLoader } from './http/session.ts';
import { createSubmitLimiter } from './http/submit-limiter.ts';
import { systemRoutes } from './http/system.routes.ts';
import type { Logger } from './logger.ts';
import { schemaRoutes } from './schemas/schemas.routes.ts';
import type { Services } from './services.ts';
import { sessionRoutes } from './sessions/sessions.routes.ts';
import { schemaCheckRoutes } from './users/schema-check.routes.ts';
import { userStatsRoutes } from './users/user-stats.routes.ts';
import { userRoutes } from './users/users.routes.ts';

export interface AppDeps {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Services;
  /** Turns true when the service begins to stop. */
  isStopping?: () => boolean;
}

/** The whole HTTP side. What every request passes, in this order, is what this function says. */
export function createApp({ config, logger, services, isStopping = () => false }: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');

  app.use(createRequestLog(logger));
  app.use(createSecurityHeaders(config.production));
  app.use(createOriginCheck(config.corsOrigins));

  mount(
    app,
    [
      // First what is asked for most: routes are tried in this order.
      ...userRoutes(services.users, createLongAnswers()),
      ...userStatsRoutes(services.userStats),
      ...schemaRoutes(services.schemas),
      ...schemaCheckRoutes(services.schemaCheck),
      ...sessionRoutes(services.sessions, config.sessionCookieName),
      ...appRoutes(services.apps, services.removal, services.sessions.confirmPassword),
      ...systemRoutes(async () => !isStopping() && (await services.ping())),
    ],
    {
      readJson: createJsonReader(config.bodyLimit),
      loadSession: createSessionLoader(config, services.sessionStore),
      sessions: services.sessions,
      limitSubmit: createSubmitLimiter(config.rateLimitSubmit),
      appExists: services.appExists,
    },
  );
  app.use(createDocsRouter(createOpenApiDocument(allEndpoints, config.sessionCookieName)));
  app.use(createDashboardRouter());

  app.use(() => {
    throw new NotFound('Not found');
  });
  app.use(createErrorHandler(logger));
  return app;
}
