import express, { type Express } from 'express';
import { createBodyReaders } from '../api/body/readers.ts';
import type { Route } from '../api/endpoint.ts';
import { createOperatorLoad } from '../api/operator-load.ts';
import { createAuditRecorder } from '../audit/audit-recorder.ts';
import type { Config } from '../core/config.ts';
import { NotFound } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { NO_METRICS } from '../metrics/metrics.ts';
import type { Services } from '../services.ts';
import { createSessionLoader } from '../sessions/session-store.ts';
import { createSubmitLimiter } from '../submissions/submit-limiter.ts';
import { createAuthStrategies } from './auth.ts';
import { createCors } from './cors.ts';
import { createDashboardRouter } from './dashboard.ts';
import { createDocsRouter } from './docs.ts';
import type { Embed } from './embed.ts';
import { createErrorHandler } from './error-handler.ts';
import { createMetricsRouter } from './metrics-router.ts';
import { mount } from './mount.ts';
import { readForwardedFor, refuseAmbiguous } from './request-headers.ts';
import { createRequestLog, createRequestMetrics } from './request-log.ts';
import { createSecurityHeaders } from './security-headers.ts';
import { systemRoutes } from './system.ts';

interface AppDeps {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Services;
  embed: Embed;
  isStopping?: () => boolean;
  /** The metrics of all processes of the server; the default is those of this process. */
  readMetrics?: () => Promise<string>;
}

/** Creates the Express application. Every request passes the handlers in this order. */
export function createApp(deps: AppDeps): Express {
  const { config, logger, services, embed, isStopping = () => false } = deps;
  const http = express();
  http.disable('x-powered-by');
  http.disable('etag');
  http.enable('case sensitive routing');
  http.enable('strict routing');
  http.set('trust proxy', config.trustProxy);
  http.set('query parser', 'simple');

  const metrics = services.metrics ?? NO_METRICS;
  http.use(createRequestLog(logger, createRequestMetrics(metrics)));
  http.use(createSecurityHeaders(config.production));
  http.use(refuseAmbiguous);
  if (config.trustProxy !== false) http.use(readForwardedFor);
  const cors = createCors(config.corsOrigins, services.appOrigins);
  const isReady = async (): Promise<boolean> => !isStopping() && (await services.ping());
  const routes = [...services.routes, ...systemRoutes(isReady, services.warnings)];
  // Express compares a request with all routes in order: first those of public clients.
  const byFrequency = routes.toSorted((one, other) => Number(isFrequent(other)) - Number(isFrequent(one)));
  mount(http, byFrequency, {
    auth: createAuthStrategies({
      loadSession: createSessionLoader(config, services.sessionStore),
      sessions: services.sessions,
      keys: services.apiKeys,
      cookieName: config.sessionCookieName,
    }),
    cors,
    readers: createBodyReaders(config.bodyLimit),
    load: createOperatorLoad(metrics),
    limitSubmit: createSubmitLimiter(config.rateLimitSubmit, config.workers),
    findApp: services.findApp,
    recordAudit: createAuditRecorder(services.audit, services.findApp),
    until: services.clock.until,
  });
  http.use(embed.router);
  // Origin check for pages and unknown paths; endpoints declare their own policies.
  http.use(...cors.trusted);
  if (services.metrics && config.metricsToken !== undefined) {
    const { contentType, text } = services.metrics;
    http.use(createMetricsRouter({ contentType, text: deps.readMetrics ?? text }, config.metricsToken));
  }
  http.use(createDocsRouter(config.sessionCookieName));
  http.use(createDashboardRouter());

  http.use(() => {
    throw new NotFound('Not found');
  });
  http.use(createErrorHandler(logger));
  return http;
}

const isFrequent = ({ spec }: Route): boolean => spec.auth === 'app id';
