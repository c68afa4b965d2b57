import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';

const Index = z
  .strictObject({
    key: z.string().meta({ example: 'plan' }),
    state: z.enum(['building', 'ready', 'dropping', 'renaming']),
    done: z.int().nonnegative().meta({ example: 12_000 }),
    total: z.int().nonnegative().meta({ example: 50_000 }),
  })
  .meta({ id: 'Index' });

/** The endpoint of indexed fields (spec 4.3). */
export const indexSlotEndpoints = {
  listIndexes: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/indexes',
    auth: 'session or key',
    load: 'light',
    scope: 'users:read',
    tag: 'Schemas',
    summary: 'The indexes of an app',
    description:
      'For the operators of the app and for admins. An index is built for each field with `indexed: true`, and dropped when the newest schema has the field no longer. A renamed field whose values are being moved is `renaming`, under its new key. `done` of `total` records have been dealt with.',
    params: AppPath,
    response: z.array(Index),
    errors: [404],
  },
} as const satisfies Endpoints;
