import type { ObjectId } from 'mongodb';
import type { App } from '../apps/app.ts';
import { type IndexSlot, isCurrentVersion } from '../apps/index-slots.ts';
import type { RecentRenames } from '../records/record-moves.ts';
import type { SlotStore } from '../records/slot-store.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import type { QuerySchema } from './conditions.ts';

/** What the queries of an app depend on. */
interface QueriedApp {
  id: ObjectId;
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

/** An index slot whose values are complete. */
export interface ReadySlot {
  /** The member of the record. */
  slot: string;
  /** Identifies this use of the slot. */
  use: string;
}

/** The slot of a field; undefined while it has none that is complete. */
export type SlotOf = (key: string) => ReadySlot | undefined;

const NO_SLOTS: SlotOf = () => undefined;

/** The slots of an app that serve the queries of its newest schema. */
function readySlots(slots: readonly IndexSlot[], { fields }: QuerySchema): SlotOf {
  const ready = new Map<string, ReadySlot>();
  for (const use of slots) {
    const { slot, key, kind, state, id } = use;
    // A slot of an earlier kind or version has other values.
    const isCurrent = isCurrentVersion(use) && fields.some((field) => field.key === key && field.kind === kind);
    if (state === 'ready' && isCurrent) ready.set(key, { slot, use: String(id) });
  }
  return (key) => ready.get(key);
}
