import { type Route, routes } from '../../api/endpoint.ts';
import { schemaCheckEndpoints } from './schema-check.contract.ts';
import type { SchemaCheckService } from './schema-check.service.ts';

/** The routes of `schemaCheckEndpoints`. */
export const schemaCheckRoutes = (check: SchemaCheckService): Route[] =>
  routes(schemaCheckEndpoints, {
    checkSchema: ({ params, body }) => check.run(params.sourceAppId, body),
  });
