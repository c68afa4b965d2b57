import type { Route } from '../core/api/endpoint.ts';
import { routesOf } from '../core/feature.ts';
import { systemRoutes } from '../core/http/system.ts';
import { loadConfig } from '../platform/core/config.ts';
import { createLogger } from '../platform/core/logger.ts';
import { createClosedConnection } from '../platform/database/client.ts';
import { createServices } from '../services.ts';

/** Lists all endpoints without a database, for the OpenAPI document and tests of declarations. */
export function listEndpoints(): Pick<Route, 'name' | 'spec'>[] {
  const services = createServices(loadConfig({}), createClosedConnection(), createLogger({ logLevel: 'silent' }));
  return [
    ...routesOf(services.features).flat(),
    ...systemRoutes(
      async () => false,
      async () => [],
    ),
  ].map(({ name, spec }) => ({ name, spec }));
}
