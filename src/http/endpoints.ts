import type { Route } from '../api/endpoint.ts';
import { loadConfig } from '../core/config.ts';
import { createLogger } from '../core/logger.ts';
import { createClosedConnection } from '../database/client.ts';
import { createServices } from '../services.ts';
import { systemRoutes } from './system.ts';

/** Lists all endpoints without a database, for the OpenAPI document and tests of declarations. */
export function listEndpoints(): Pick<Route, 'name' | 'spec'>[] {
  const services = createServices(loadConfig({}), createClosedConnection(), createLogger({ logLevel: 'silent' }));
  return [
    ...services.features.flatMap(({ routes = [] }) => routes),
    ...systemRoutes(
      async () => false,
      () => [],
    ),
  ].map(({ name, spec }) => ({ name, spec }));
}
