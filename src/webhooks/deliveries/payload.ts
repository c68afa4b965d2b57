import type { RecordId } from '../../users/record-id.ts';
import { shownRecord } from '../../users/renames/record-moves.ts';
import type { RecentRenames } from '../../users/renames/shown-pages.ts';
import type { UserCollection, UserDocument } from '../../users/users.model.ts';
import type { DeliveryDocument, WebhookDocument } from '../webhooks.model.ts';

/** The records whose bodies are made at once have up to 1 MB each. */
const BATCH_SIZE = 20;

/** The values of a record that a body shows. */
export interface ShownRecord {
  _id: RecordId;
  email: string;
  data: Record<string, unknown>;
}

export type RecordReader = ReturnType<typeof createRecordReader>;

/**
 * Creates what reads the records of deliveries.
 *
 * @param recentRenames the pending renames of all apps
 */
export function createRecordReader(users: UserCollection, recentRenames: RecentRenames) {
  /** Resolves with those of the records that exist, by id. */
  return async (deliveries: readonly DeliveryDocument[]): Promise<Map<string, ShownRecord>> => {
    const [first] = deliveries;
    if (!first) return new Map();
    const ids = deliveries.filter(({ type }) => type !== 'user.erased').map(({ recordId }) => recordId);
    const options = { projection: { email: 1, data: 1, schemaVersion: 1 }, batchSize: BATCH_SIZE };
    const renames = (await recentRenames()).get(first.appId.toHexString());
    const found = await users
      .find<ShownRecord & Pick<UserDocument, 'schemaVersion'>>({ _id: { $in: ids }, appId: first.appId }, options)
      .toArray();
    return new Map(found.map((record) => [record._id.toHexString(), shownRecord(record, renames)]));
  };
}

/**
 * The body of a delivery (spec 4.11): the record as it is now; of an erased one its id only.
 * Undefined when the record of a change is gone.
 */
export function bodyOf(
  { type, at, recordId, revision, changed }: DeliveryDocument,
  { sourceAppId }: Pick<WebhookDocument, 'sourceAppId'>,
  record: ShownRecord | undefined,
): string | undefined {
  if (!record && type !== 'user.erased') return undefined;
  const shown = type === 'user.erased' ? {} : { email: record?.email, data: record?.data };
  const data = { id: recordId.toString(), sourceAppId, ...shown, revision, ...(changed && { changed }) };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
