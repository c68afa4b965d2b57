import type { Route } from '../api/endpoint.ts';
import { routesOf } from '../apps/feature.ts';
import { loadConfig } from '../platform/core/config.ts';
import { createLogger } from '../platform/core/logger.ts';
import { createClosedConnection } from '../platform/database/client.ts';
import { createServices } from '../services.ts';
import { systemRoutes } from './system.ts';

/** Lists all endpoints without a database, for the OpenAPI document and tests of declarations. */
export function listEndpoints(): Pick<Route, 'name' | 'spec'>[] {
  const services = createServices(loadConfig({}), createClosedConnection(), createLogger({ logLevel: 'silent' }));
  return [
    ...routesOf(services.features).flat(),
    ...systemRoutes(
      async () => false,
      () => [],
    ),
  ].map(({ name, spec }) => ({ name, spec }));
}
