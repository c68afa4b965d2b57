import express, { type Express } from 'express';
import { createJsonReader } from '../api/body/json-body.ts';
import { createOpenApiDocument } from '../api/openapi.ts';
import { appRoutes } from '../apps/apps.routes.ts';
import type { Services } from '../container.ts';
import type { Config } from '../core/config.ts';
import { NotFound } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { schemaRoutes } from '../schemas/schemas.routes.ts';
import { createSessionLoader } from '../sessions/cookie-session.ts';
import { sessionRoutes } from '../sessions/sessions.routes.ts';
import { submissionRoutes } from '../submissions/submissions.routes.ts';
import { createSubmitLimiter } from '../submissions/submit-limiter.ts';
import { createLongReads } from '../users/long-reads.ts';
import { schemaCheckRoutes } from '../users/schema-check/schema-check.routes.ts';
import { userStatsRoutes } from '../users/stats/stats.routes.ts';
import { userRoutes } from '../users/users.routes.ts';
import { createCors } from './cors.ts';
import { createDashboardRouter } from './dashboard.ts';
import { createDocsRouter } from './docs.ts';
import { allEndpoints } from './endpoints.ts';
import { createErrorHandler } from './error-handler.ts';
import { mount } from './mount.ts';
import { createRequestLog } from './request-log.ts';
import { createSecurityHeaders } from './security-headers.ts';
import { systemRoutes } from './system.routes.ts';

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
  app.use(createCors(config.corsOrigins));

  mount(
    app,
    [
      // First what is asked for most: routes are tried in this order.
      ...submissionRoutes(services.submissions),
      ...userRoutes(services.users, createLongReads()),
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
