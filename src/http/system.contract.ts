import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';

export const systemEndpoints = {
  getHealth: {
    method: 'get',
    path: '/health',
    auth: 'none',
    tag: 'Operation',
    summary: 'Whether the service runs',
    description: 'Answers without asking the database.',
    response: z.strictObject({ status: z.literal('ok') }),
    errors: [],
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
