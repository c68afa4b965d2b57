import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Connection } from '../../platform/database/client.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { apiKeyRoutes } from './api-keys.routes.ts';
import { createApiKeyService } from './api-keys.service.ts';
import { keyInHeader } from './key-text.ts';

/** Creates the API keys. @param deps.failures the refused keys in 15 minutes; 0: no limit */
export function createApiKeys(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service'>;
  failures: number;
  limits: SharedLimits;
  hasMcp: boolean;
}): Feature {
  const service = createApiKeyService({ ...deps, apps: deps.apps.service });
  return {
    routes: apiKeyRoutes(service, deps.hasMcp),
    callers: {
      findKey(req) {
        const key = keyInHeader(req.headers.authorization);
        return key === undefined ? undefined : () => service.authenticate(key, req.ip ?? '');
      },
    },
    models: [service.model],
    owned: [ownedBy(service.model.collection, 'createdAt')],
    names: { keys: service.named },
  };
}
