import express, { type Express } from 'express';
import type { OriginCheck, Route } from './core/api/endpoint.ts';
import { type Feature, routesOf } from './core/feature.ts';
import { createAuthStrategies } from './core/http/auth.ts';
import { createCors } from './core/http/cors.ts';
import { createNetworkTurns } from './core/http/network-turns.ts';
import { addRoutes, createMethodCheck, createRouter, type Edge } from './core/http/router.ts';
import { systemRoutes } from './core/http/system.ts';
import { createSession } from './core/sessions/session.ts';
import { createSubmitLimiter } from './core/users/submit-limiter.ts';
import type { Core } from './core.ts';
import { createDashboardRouter } from './http/dashboard.ts';
import { createDocsRouter } from './http/docs.ts';
import type { Embed } from './http/embed.ts';
import { createMcpRouter } from './http/mcp.ts';
import { createMetricsRouter } from './http/metrics-router.ts';
import type { Config } from './platform/core/config.ts';
import { NotFound } from './platform/core/errors.ts';
import type { Logger } from './platform/core/logger.ts';
import { createBodyReaders } from './platform/http/body-readers.ts';
import { answerError, createErrorConversion, createRefusalHandler } from './platform/http/error-handlers.ts';
import { readForwardedFor, refuseAmbiguous } from './platform/http/request-headers.ts';
import { createRequestLog, createRequestMetrics } from './platform/http/request-log.ts';
import { createSecurityHeaders } from './platform/http/security-headers.ts';
import { createSessionCookie } from './platform/http/session-cookie.ts';
import { type MetricsRegistry, NO_METRICS } from './platform/metrics/metrics.ts';
import type { Timings } from './services.ts';

/** What the application serves. */
interface Served {
  core: Core;
  /** In the order of their routes; those of the core too. */
  features: readonly Feature[];
  metrics?: MetricsRegistry | undefined;
}

/**
 * Creates the Express application. Every request passes the middleware in this order; a router
 * checks a request as its declaration says (core/http/router.ts).
 *
 * @param deps.readMetrics resolves with the metrics of all processes of the server; the default is
 *   those of this process
 */
export function createApp(deps: {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Served;
  embed: Embed;
  isStopping?: () => boolean;
  timings?: Pick<Timings, 'deadlineMs'>;
  readMetrics?: () => Promise<string>;
}): Express {
  const { config, logger, services, embed, timings, isStopping = () => false } = deps;
  const { core, features, metrics } = services;
  const { load, clock, sessions } = core;
  const callers = features.flatMap((feature) => feature.callers ?? []);
  const readers = createBodyReaders(
    config.bodyLimit,
    features.flatMap(({ bodies }) => bodies ?? []),
  );
  const networkTurns = createNetworkTurns(load, timings?.deadlineMs);
  const edge: Edge = {
    auth: createAuthStrategies(sessions.service, callers, createSessionCookie(config)),
    readers,
    load,
    limitSubmit: createSubmitLimiter(config.rateLimitSubmit, config.workers),
    findApp: core.schemas.findApp,
    scope: core.apps.scope,
    isAuditedRead: (event) => features.some(({ audit }) => audit?.isRead(event) ?? false),
    recordAudit: async (...event) => {
      for (const { audit } of features) await audit?.record(...event);
    },
    until: clock.until,
    deadlineMs: timings?.deadlineMs,
  };
  const isReady = async (): Promise<boolean> => !isStopping() && (await core.ping());
  const warnings = async (): Promise<string[]> => {
    const ofFeatures = await Promise.all(features.map((feature) => feature.warnings?.() ?? []));
    return [...clock.warnings(), ...ofFeatures.flat()];
  };
  const routesOfFeatures = [...routesOf(features), systemRoutes(isReady, warnings)];
  const routes = routesOfFeatures.flat();
  const methodCheck = createMethodCheck(routes);
  const headers = features.flatMap((feature) => feature.headers ?? []);
  const isOfApp: OriginCheck = async (req, origin) => {
    for (const { origins } of features) if (await origins?.(req, origin)) return true;
    return false;
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');

  app.use(createRequestLog(logger, createRequestMetrics(metrics ?? NO_METRICS)));
  app.use(createSecurityHeaders(config.production));
  app.use(refuseAmbiguous);
  if (config.trustProxy !== false) app.use(readForwardedFor);
  app.use(createCors(config, isOfApp, headers));

  // First the endpoints of public clients, of all features: most requests are theirs. A router of
  // their own would cost each a microsecond, 3 % of the shortest.
  addRoutes(app, routes.filter(isPublic), edge);
  // Before the routers, of which each would answer with the methods of its own endpoints.
  app.use((req, res, next) => (req.method === 'OPTIONS' ? methodCheck(req, res, next) : next()));
  app.use('/auth', networkTurns, createSession(config, sessions.store));
  for (const own of routesOfFeatures) {
    const others = own.filter((route) => !isPublic(route));
    app.use(createRouter(others, edge));
  }
  if (config.mcp) app.use(createMcpRouter({ app, routes, callers, readJson: readers.json(), turns: networkTurns }));
  app.use(methodCheck);
  if (metrics && config.metricsToken !== undefined) {
    const { contentType, text } = metrics;
    app.use(createMetricsRouter({ contentType, text: deps.readMetrics ?? text }, config.metricsToken));
  }
  app.use('/embed', embed.router);
  app.use(createDocsRouter(config.sessionCookieName));
  app.use(createDashboardRouter());

  app.use(() => {
    throw new NotFound('notFound');
  });
  app.use(createErrorConversion(logger));
  // A later feature may answer below the paths of an earlier one, so it comes first.
  for (const { refusals = {} } of features.toReversed()) {
    for (const [path, refuse] of Object.entries(refusals)) app.use(path, createRefusalHandler(refuse, logger));
  }
  app.use(answerError);
  return app;
}

const isPublic = ({ spec }: Route): boolean => spec.path.startsWith('/v1/');
