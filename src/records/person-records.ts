import type { Types } from 'mongoose';
import type { PersonData } from '../apps/feature.ts';
import type { RecordEraser } from './erasure.ts';
import type { UserCollection } from './record.ts';
import { DETAILS_PROJECTION, type DetailedRecord, presentDetails } from './record-json.ts';
import { type RecentRenames, shownRecord } from './record-moves.ts';

const BY_EMAIL = { appId: 1, email: 1 } as const;
/** Records have up to 1 MB each. */
const BATCH_SIZE = 10;

/**
 * The records of a person: one at most in each app (invariant 2).
 *
 * @param recentRenames the pending renames of all apps
 * @param erase deletes records with their idempotency keys
 */
export function createPersonRecords(
  users: UserCollection,
  recentRenames: RecentRenames,
  erase: RecordEraser,
): PersonData {
  return {
    name: 'records',

    async *entriesOf(appIds, email) {
      const options = { projection: { ...DETAILS_PROJECTION, appId: 1 }, hint: BY_EMAIL, batchSize: BATCH_SIZE };
      const renames = await recentRenames();
      const found = users.find<DetailedRecord & { appId: Types.ObjectId }>(
        { appId: { $in: [...appIds] }, email },
        options,
      );
      for await (const record of found) {
        const shown = shownRecord(record, renames.get(record.appId.toHexString()));
        yield { appId: record.appId, shown: { kind: 'record', ...presentDetails(shown) } };
      }
    },

    async eraseOf(appIds, email) {
      const options = { projection: { appId: 1 }, hint: BY_EMAIL };
      const found = await users.find({ appId: { $in: [...appIds] }, email }, options).toArray();
      let erased = 0;
      for (const { _id, appId } of found) {
        erased += await erase(appId, [_id], { email });
      }
      return erased;
    },
  };
}
