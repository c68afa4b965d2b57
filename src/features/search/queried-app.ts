import type { ObjectId } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import type { IndexSlot } from '../indexes/index-slots.ts';
import type { SlotStore } from '../indexes/slots.ts';
import type { WordStore } from '../indexes/word-index.ts';
import type { RecentRenames } from '../renames/shown-renames.ts';
import type { QuerySchema } from './conditions.ts';

interface QueriedApp {
  id: ObjectId;
  /** The newest schema, with the renames whose values are being moved. */
  schema: Awaited<ReturnType<SchemaService['ofApp']>> & QuerySchema;
  slotOf: SlotOf;
}

/**
 * With `q` in `request` the schema tells of the index of words.
 * @throws {NotFound} when the app was deleted
 */
export type ReadQueriedApp = (app: Pick<App, 'id'>, request?: { q?: string | undefined }) => Promise<QueriedApp>;

export function createQueriedAppReader(deps: {
  schemas: Pick<SchemaService, 'ofApp'>;
  slotStore: Pick<SlotStore, 'ofApps'>;
  words: Pick<WordStore, 'of' | 'isReady'>;
  recentRenames: RecentRenames;
}): ReadQueriedApp {
  const { schemas, slotStore, words, recentRenames } = deps;
  return async ({ id }, { q } = {}) => {
    // The renames first: when they end meanwhile, no record is read under an old key.
    const renames = (await recentRenames()).get(id.toHexString());
    const index = q === undefined ? undefined : await words.of(id);
    const isSearchReady = index?.state === 'ready' ? () => words.isReady(id, index) : undefined;
    const schema = { ...(await schemas.ofApp({ id })), renames, isSearchReady };
    const isIndexed = schema.fields.some((field) => 'indexed' in field && field.indexed);
    const [app] = isIndexed ? await slotStore.ofApps([id]) : [];
    return { id, schema, slotOf: app ? readySlots(app.slots, schema) : NO_SLOTS };
  };
}

export interface ReadySlot {
  slot: string;
  use: string;
}

/** Undefined while the field has no complete slot. */
export type SlotOf = (key: string) => ReadySlot | undefined;

const NO_SLOTS: SlotOf = () => undefined;

function readySlots(slots: readonly IndexSlot[], { fields }: QuerySchema): SlotOf {
  const ready = new Map<string, ReadySlot>();
  for (const use of slots) {
    const { slot, key, kind, state, id } = use;
    // A slot of another kind has other values.
    const isCurrent = fields.some((field) => field.key === key && field.kind === kind);
    if (state === 'ready' && isCurrent) ready.set(key, { slot, use: String(id) });
  }
  return (key) => ready.get(key);
}
