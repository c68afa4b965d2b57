import { type Route, routes } from '../api/endpoint.ts';
import { Unavailable } from '../core/errors.ts';
import { systemEndpoints } from './system.contract.ts';

/**
 * @param isReady whether the database answers and the service is not stopping
 * @param warnings what an operator should mend
 */
export const systemRoutes = (isReady: () => Promise<boolean>, warnings: () => string[]): Route[] =>
  routes(systemEndpoints, {
    getHealth: () => ({ status: 'ok' as const }),
    getReadiness: async () => {
      if (!(await isReady())) throw new Unavailable('Not ready');
      const found = warnings();
      return { status: 'ready' as const, ...(found.length > 0 && { warnings: found }) };
    },
  });
