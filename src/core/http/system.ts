import { z } from 'zod';
import { Unavailable } from '../../platform/core/errors.ts';
import { type Endpoints, type Route, routes } from '../api/endpoint.ts';

const systemEndpoints = {
  getHealth: {
    method: 'get',
    path: '/health',
    auth: 'none',
    tag: 'Operation',
    summary: 'Whether the service runs',
    description: 'Answers without asking the database.',
    response: z.strictObject({ status: z.literal('ok') }),
  },
  getReadiness: {
    method: 'get',
    path: '/ready',
    auth: 'none',
    tag: 'Operation',
    summary: 'Whether the service can take submissions',
    description:
      'Asks the database. 503 when it is away, and while the service stops. `warnings` says what an operator should mend; the service works without it.',
    response: z.strictObject({
      status: z.literal('ready'),
      warnings: z
        .array(z.string())
        .optional()
        .meta({ example: ['The clock of this server is 600 seconds ahead of the clock of the database.'] }),
    }),
    errors: [503],
  },
} as const satisfies Endpoints;

export const systemRoutes = (isReady: () => Promise<boolean>, warnings: () => Promise<readonly string[]>): Route[] =>
  routes(systemEndpoints, {
    getHealth: () => ({ status: 'ok' as const }),
    getReadiness: async () => {
      if (!(await isReady())) throw new Unavailable('notReady');
      const found = await warnings();
      return { status: 'ready' as const, ...(found.length > 0 && { warnings: [...found] }) };
    },
  });
