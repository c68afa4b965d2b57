import express, { type Express } from 'express';
import { createSession } from './access/sessions/session.ts';
import { createSessionCookie } from './access/sessions/session-cookie.ts';
import { createBodyReaders } from './api/body/readers.ts';
import type { Route } from './api/endpoint.ts';
import { routesOf } from './apps/feature.ts';
import { createAuthStrategies } from './http/auth.ts';
import { createCors } from './http/cors.ts';
import { createDashboardRouter } from './http/dashboard.ts';
import { createDocsRouter } from './http/docs.ts';
import type { Embed } from './http/embed.ts';
import { answerError, createErrorConversion, createRefusalHandler } from './http/error-handlers.ts';
import { createMetricsRouter } from './http/metrics-router.ts';
import { createNetworkTurns } from './http/network-turns.ts';
import { readForwardedFor, refuseAmbiguous } from './http/request-headers.ts';
import { createRequestLog, createRequestMetrics } from './http/request-log.ts';
import { addRoutes, createMethodCheck, createRouter, type Edge } from './http/router.ts';
import { createSecurityHeaders } from './http/security-headers.ts';
import { systemRoutes } from './http/system.ts';
import { createSubmitLimiter } from './intake/submissions/submit-limiter.ts';
import type { Config } from './platform/core/config.ts';
import { NotFound } from './platform/core/errors.ts';
import type { Logger } from './platform/core/logger.ts';
import { NO_METRICS } from './platform/metrics/metrics.ts';
import type { Services, Timings } from './services.ts';

/**
 * Creates the Express application. Every request passes the middleware in this order; a router
 * checks a request as its declaration says (http/router.ts).
 *
 * @param deps.readMetrics resolves with the metrics of all processes of the server; the default is
 *   those of this process
 */
export function createApp(deps: {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Services;
  embed: Embed;
  isStopping?: () => boolean;
  timings?: Pick<Timings, 'deadlineMs'>;
  readMetrics?: () => Promise<string>;
}): Express {
  const { config, logger, services, embed, timings, isStopping = () => false } = deps;
  const metrics = services.metrics ?? NO_METRICS;
  const edge: Edge = {
    auth: createAuthStrategies(
      services.sessions,
      services.features.flatMap(({ callers }) => callers ?? []),
      createSessionCookie(config),
    ),
    readers: createBodyReaders(
      config.bodyLimit,
      services.features.flatMap(({ bodies }) => bodies ?? []),
    ),
    load: services.load,
    limitSubmit: createSubmitLimiter(config.rateLimitSubmit, config.workers),
    findApp: services.findApp,
    scope: services.scope,
    recordAudit: async (...event) => {
      for (const { audit } of services.features) await audit?.record(...event);
    },
    until: services.clock.until,
    deadlineMs: timings?.deadlineMs,
  };
  const isReady = async (): Promise<boolean> => !isStopping() && (await services.ping());
  const routesOfFeatures = [...services.features.map(routesOf), systemRoutes(isReady, services.warnings)];
  const routes = routesOfFeatures.flat();
  const methodCheck = createMethodCheck(routes);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');

  app.use(createRequestLog(logger, createRequestMetrics(metrics)));
  app.use(createSecurityHeaders(config.production));
  app.use(refuseAmbiguous);
  if (config.trustProxy !== false) app.use(readForwardedFor);
  app.use(createCors(config, services.appOrigins));

  // First the endpoints of public clients, of all features: most requests are theirs. A router of
  // their own would cost each a microsecond, 3 % of the shortest.
  addRoutes(app, routes.filter(isPublic), edge);
  // Before the routers, of which each would answer with the methods of its own endpoints.
  app.use((req, res, next) => (req.method === 'OPTIONS' ? methodCheck(req, res, next) : next()));
  app.use(
    '/auth',
    createNetworkTurns(services.load, timings?.deadlineMs),
    createSession(config, services.sessionStore),
  );
  for (const own of routesOfFeatures) {
    const others = own.filter((route) => !isPublic(route));
    app.use(createRouter(others, edge));
  }
  app.use(methodCheck);
  if (services.metrics && config.metricsToken !== undefined) {
    const { contentType, text } = services.metrics;
    app.use(createMetricsRouter({ contentType, text: deps.readMetrics ?? text }, config.metricsToken));
  }
  app.use('/embed', embed.router);
  app.use(createDocsRouter(config.sessionCookieName));
  app.use(createDashboardRouter());

  app.use(() => {
    throw new NotFound('notFound');
  });
  app.use(createErrorConversion(logger));
  for (const [path, refuse] of services.refusals) app.use(path, createRefusalHandler(refuse, logger));
  app.use(answerError);
  return app;
}

const isPublic = ({ spec }: Route): boolean => spec.path.startsWith('/v1/');
