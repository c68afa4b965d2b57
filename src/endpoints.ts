import { appEndpoints } from './apps/apps.contract.ts';
import type { EndpointSpec } from './http/endpoint.ts';
import { systemEndpoints } from './http/system.contract.ts';
import { schemaEndpoints } from './schemas/schemas.contract.ts';
import { sessionEndpoints } from './sessions/sessions.contract.ts';
import { schemaCheckEndpoints } from './users/schema-check.contract.ts';
import { userStatsEndpoints } from './users/user-stats.contract.ts';
import { userEndpoints } from './users/users.contract.ts';

/** Every endpoint of the service by its name, in the order of the documentation. */
export const allEndpoints: readonly [name: string, spec: EndpointSpec][] = Object.entries({
  ...userEndpoints,
  ...userStatsEndpoints,
  ...schemaEndpoints,
  ...schemaCheckEndpoints,
  ...sessionEndpoints,
  ...appEndpoints,
  ...systemEndpoints,
});
