import { z } from 'zod';
import { type Endpoints, jsonBody } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';

const MAX_DAYS = 36_500;
const DAYS = `must be a whole number from 1 to ${MAX_DAYS}`;

const Retention = z
  .strictObject({
    days: z.int(DAYS).min(1, DAYS).max(MAX_DAYS, DAYS).meta({ example: 365 }),
    basis: z.enum(['createdAt', 'updatedAt'], 'must be createdAt or updatedAt').meta({ example: 'updatedAt' }),
  })
  .meta({ id: 'Retention' })
  .nullable();

/** The endpoints of the retention of records (spec 4.6). */
export const retentionEndpoints = {
  getRetention: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/retention',
    auth: 'session',
    load: 'light',
    tag: 'People',
    summary: 'When records of an app are erased for their age',
    description: 'For the operators of the app and for admins. Null: never.',
    params: AppPath,
    response: Retention,
    errors: [404],
  },
  replaceRetention: {
    method: 'put',
    path: '/auth/apps/:sourceAppId/retention',
    auth: 'session',
    load: 'light',
    audit: 'retention.replaced',
    tag: 'People',
    summary: 'Set when records of an app are erased for their age',
    description:
      'For the operators of the app and for admins. Records that are older than `days` are erased within an hour, permanently; null ends that.',
    params: AppPath,
    body: jsonBody(Retention, 'Invalid retention'),
    response: Retention,
    errors: [404, 409],
  },
} as const satisfies Endpoints;
