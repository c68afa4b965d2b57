import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';

export const systemEndpoints = {
  getHealth: {
    method: 'get',
    path: '/health',
    access: 'public',
    tag: 'Operation',
    summary: 'Whether the service runs',
    description: 'Answers without asking the database.',
    response: z.strictObject({ status: z.literal('ok') }),
    errors: [],
  },
  getReadiness: {
    method: 'get',
    path: '/ready',
    access: 'public',
    tag: 'Operation',
    summary: 'Whether the service can take submissions',
    description: 'Asks the database. 503 when it is away, and while the service stops.',
    response: z.strictObject({ status: z.literal('ready') }),
    errors: [503],
  },
} as const satisfies Endpoints;
