import express, { type Express } from 'express';
import { createBodyReaders } from '../api/body/readers.ts';
import { createCursors } from '../api/cursors.ts';
import { createOpenApiDocument } from '../api/openapi.ts';
import { createOperatorLoad } from '../api/operator-load.ts';
import { apiKeyRoutes } from '../api-keys/api-keys.endpoints.ts';
import { appRoutes } from '../apps/apps.routes.ts';
import { formSettingsRoutes } from '../apps/form-settings.endpoints.ts';
import { auditRoutes } from '../audit/audit.endpoints.ts';
import { createAuditRecorder } from '../audit/audit-recorder.ts';
import type { Services } from '../container/container.ts';
import type { Config } from '../core/config.ts';
import { NotFound } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { exportRoutes } from '../exports/export.endpoints.ts';
import { importRoutes } from '../imports/imports.routes.ts';
import { NO_METRICS } from '../metrics/metrics.ts';
import { confirmationRoutes, createConfirmationPages } from '../notifications/confirmation.endpoints.ts';
import { mailStatusRoutes } from '../notifications/mail-status.ts';
import { editingRoutes } from '../people/editing.ts';
import { peopleRoutes } from '../people/people.endpoints.ts';
import { retentionRoutes } from '../people/retention.ts';
import { schemaRoutes } from '../schemas/schemas.endpoints.ts';
import { breakdownRoutes } from '../search/breakdown.endpoints.ts';
import { indexSlotRoutes } from '../search/indexes.ts';
import { schemaCheckRoutes } from '../search/schema-check.ts';
import { userStatsRoutes } from '../search/statistics.ts';
import { userRoutes } from '../search/users.endpoints.ts';
import { createSessionLoader } from '../sessions/session-store.ts';
import { sessionRoutes } from '../sessions/sessions.endpoints.ts';
import { challengeRoutes } from '../submissions/challenges.endpoints.ts';
import { formRoutes } from '../submissions/forms.endpoints.ts';
import { heldRoutes } from '../submissions/held.ts';
import { createFormPages } from '../submissions/pages/form-pages.ts';
import { formPageRoutes } from '../submissions/pages/pages.endpoints.ts';
import { submissionRoutes } from '../submissions/submissions.endpoints.ts';
import { createSubmitLimiter } from '../submissions/submit-limiter.ts';
import { deliveryRoutes } from '../webhooks/deliveries.ts';
import { webhookRoutes } from '../webhooks/webhooks.endpoints.ts';
import { createAuthStrategies } from './auth.ts';
import { createCors } from './cors.ts';
import { createDashboardRouter } from './dashboard.ts';
import { createDocsRouter } from './docs.ts';
import { createEmbed } from './embed.ts';
import { allEndpoints } from './endpoints.ts';
import { createErrorHandler } from './error-handler.ts';
import { createMetricsRouter } from './metrics-router.ts';
import { mount } from './mount.ts';
import { createRequestLog, createRequestMetrics } from './request-log.ts';
import { createSecurityHeaders } from './security-headers.ts';
import { systemRoutes } from './system.ts';

interface AppDeps {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Services;
  /** Whether the service is stopping. */
  isStopping?: () => boolean;
}

/**
 * Creates the Express application. Every request passes the handlers in the order of this function.
 */
export function createApp({ config, logger, services, isStopping = () => false }: AppDeps): Express {
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
  const cursors = createCursors(config.sessionSecret);
  const cors = createCors(config.corsOrigins, services.appOrigins);
  const embed = createEmbed();
  const pages = createFormPages(embed.assets);

  mount(
    http,
    [
      // Routes are tried in this order: the most frequent requests first.
      ...submissionRoutes(services.submissions),
      ...schemaRoutes(services.schemas),
      ...challengeRoutes(services.challenges, services.findApp),
      ...formRoutes({
        ...{ submissions: services.submissions, leases: services.leases, pages },
        ignoredRedirects: services.ignoredRedirects,
      }),
      ...breakdownRoutes(services.users, services.appScope),
      ...exportRoutes(services.users, services.appScope),
      ...userRoutes(services.users, services.appScope, cursors),
      ...editingRoutes(services.editor, services.appScope),
      ...peopleRoutes(services.people, services.appScope),
      ...retentionRoutes(services.retention, services.appScope),
      ...importRoutes(services.imports, services.appScope),
      ...userStatsRoutes(services.userStats, services.appScope),
      ...schemaCheckRoutes(services.schemaCheck),
      ...indexSlotRoutes(services.indexSlots),
      ...sessionRoutes(services.sessions, config.sessionCookieName),
      ...appRoutes(services.apps, services.removal, services.sessions.confirmPassword, cursors),
      ...apiKeyRoutes(services.apiKeys, services.appScope),
      ...auditRoutes(services.audit, cursors),
      ...formSettingsRoutes(services.formSettings, services.appScope),
      ...mailStatusRoutes(services.abilities),
      ...heldRoutes(services.held, services.appScope),
      ...webhookRoutes(services.webhooks, services.appScope),
      ...deliveryRoutes(services.deliveries, services.appScope),
      ...formPageRoutes(services.findForm, pages),
      ...confirmationRoutes(services.confirmations, services.findForm, createConfirmationPages(embed.assets)),
      ...systemRoutes(async () => !isStopping() && (await services.ping()), services.warnings),
    ],
    {
      auth: createAuthStrategies({
        loadSession: createSessionLoader(config, services.sessionStore),
        sessions: services.sessions,
        keys: services.apiKeys,
        cookieName: config.sessionCookieName,
      }),
      cors,
      readers: createBodyReaders(config.bodyLimit),
      load: createOperatorLoad(metrics),
      limitSubmit: createSubmitLimiter(config.rateLimitSubmit),
      findApp: services.findApp,
      recordAudit: createAuditRecorder(services.audit, services.findApp),
    },
  );
  http.use(embed.router);
  // Origin check for pages and unknown paths; endpoints declare their own policies.
  http.use(...cors.trusted);
  if (services.metrics && config.metricsToken !== undefined) {
    http.use(createMetricsRouter(services.metrics, config.metricsToken));
  }
  http.use(createDocsRouter(createOpenApiDocument(allEndpoints, config.sessionCookieName)));
  http.use(createDashboardRouter());

  http.use(() => {
    throw new NotFound('Not found');
  });
  http.use(createErrorHandler(logger));
  return http;
}
