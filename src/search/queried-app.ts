import type { Types } from 'mongoose';
import type { App } from '../apps/app.ts';
import type { RecentRenames } from '../records/record-moves.ts';
import type { SlotStore } from '../records/slot-store.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import type { QuerySchema } from './conditions.ts';
import { NO_SLOTS, readySlots, type SlotOf } from './ready-slots.ts';

/** What the queries of an app depend on. */
export interface QueriedApp {
  id: Types.ObjectId;
  /** The newest schema, with the renames whose values have not all been moved. */
  schema: Awaited<ReturnType<SchemaService['ofApp']>> & QuerySchema;
  /** The index of a field, if it is ready. */
  slotOf: SlotOf;
}

/** Resolves with what the queries of an app depend on. @throws {NotFound} when it was deleted */
export type ReadQueriedApp = (app: Pick<App, 'id'>) => Promise<QueriedApp>;

export function createQueriedAppReader(deps: {
  schemas: Pick<SchemaService, 'ofApp'>;
  slotStore: Pick<SlotStore, 'ofApps'>;
  recentRenames: RecentRenames;
}): ReadQueriedApp {
  const { schemas, slotStore, recentRenames } = deps;
  return async ({ id }) => {
    // The renames first: when they are done meanwhile, no record is read under an old key.
    const renames = (await recentRenames()).get(id.toHexString());
    const schema = { ...(await schemas.ofApp({ id })), renames };
    const isIndexed = schema.fields.some((field) => 'indexed' in field && field.indexed);
    const [app] = isIndexed ? await slotStore.ofApps([id]) : [];
    return { id, schema, slotOf: app ? readySlots(app.slots, schema) : NO_SLOTS };
  };
}
