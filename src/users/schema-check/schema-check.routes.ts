import { type Route, routes } from '../../api/endpoint.ts';
import { schemaCheckEndpoints } from './schema-check.contract.ts';
import type { SchemaCheckService } from './schema-check.service.ts';

/** The routes of `schemaCheckEndpoints`. */
export const schemaCheckRoutes = (check: SchemaCheckService): Route[] =>
  routes(schemaCheckEndpoints, {
    checkSchema: async ({ principal, params, body, audit }) => {
      const result = await check.run(params.sourceAppId, body, { canRead: principal.scopes.has('users:read') });
      audit({ detail: { examples: result.examples.length } });
      return result;
    },
  });
