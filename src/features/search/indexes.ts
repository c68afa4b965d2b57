import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import type { SchemaStore } from '../../core/schemas/schemas.model.ts';
import { component } from '../../platform/http/validation.ts';
import { renamedSlots, shownState } from '../indexes/index-slots.ts';
import { planSlots, wantedFields } from '../indexes/slots.ts';
import type { RenameStore } from '../renames/rename-store.ts';

const Index = component('Index', {
  key: z.string().meta({ example: 'plan' }),
  state: z.enum(['building', 'ready', 'dropping', 'renaming']),
  done: z.int().nonnegative().meta({ example: 12_000 }),
  total: z.int().nonnegative().meta({ example: 50_000 }),
});

export const indexSlotEndpoints = {
  listIndexes: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/indexes',
    auth: 'session or key',
    load: 'light',
    scope: 'users:read',
    scoped: true,
    tag: 'Schemas',
    summary: 'The indexes of an app',
    description:
      'For the operators of the app and for admins. An index is built for each field with `indexed: true`, and dropped when the newest schema has the field no longer. A renamed field whose values are being moved is `renaming`, under its new key. `done` of `total` records have been processed.',
    params: AppPath,
    response: z.array(Index),
  },
} as const satisfies Endpoints;

type IndexView = z.infer<typeof Index>;

export const indexSlotRoutes = (deps: {
  apps: Pick<AppService, 'get'>;
  schemas: Pick<SchemaStore, 'fieldsOf'>;
  renames: Pick<RenameStore, 'progressOf'>;
}): Route[] => {
  const { apps, schemas, renames } = deps;

  /**
   * Resolves with the indexes of the newest schema, in the order of its fields, then those that are
   * being dropped, and the renamed fields whose values are being moved (spec 4.3). A change of the
   * schema is visible at once, before the job starts (slot-job.ts). @throws {NotFound}
   */
  async function list(sourceAppId: string): Promise<IndexView[]> {
    const { id, slots: stored = [] } = await apps.get(sourceAppId);
    const moving = await renames.progressOf(id);
    const { pairs = [] } = moving?.renames ?? {};
    const slots = renamedSlots(stored, pairs);
    const wanted = wantedFields(await schemas.fieldsOf(id));
    const { drop } = planSlots(slots, wanted);
    const ending = slots.filter((slot) => slot.state === 'dropping' || drop.includes(slot));
    return [
      ...wanted.map(({ key }): IndexView => {
        const slot = slots.find((one) => one.key === key && !ending.includes(one));
        return { key, state: slot ? shownState(slot) : 'building', done: slot?.done ?? 0, total: slot?.total ?? 0 };
      }),
      ...ending.map(({ key, state, done, total }): IndexView => {
        return { key, state: 'dropping', done: state === 'dropping' ? done : 0, total };
      }),
      ...pairs.map(({ to }): IndexView => {
        const { done = 0, total = 0 } = moving?.progress ?? {};
        return { key: to, state: 'renaming', done, total };
      }),
    ];
  }

  return routes(indexSlotEndpoints, {
    listIndexes: ({ app }) => list(app.sourceAppId),
  });
};
