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
  /** Undefined when the record is larger than the reader reads. */
  data?: Record<string, unknown>;
  /** The size of the record in the database. */
  bytes: number;
}

export type RecordReader = ReturnType<typeof createRecordReader>;

/**
 * Creates what reads the records of deliveries.
 *
 * @param recentRenames the pending renames of all apps
 * @param maxBytes of larger records no data is read
 */
export function createRecordReader(
  users: UserCollection,
  recentRenames: RecentRenames,
  maxBytes = Number.POSITIVE_INFINITY,
) {
  const bytes = { $bsonSize: '$$ROOT' };
  const data = Number.isFinite(maxBytes) ? { $cond: [{ $lte: [bytes, maxBytes] }, '$data', '$$REMOVE'] } : 1;
  const projection = { email: 1, data, schemaVersion: 1, bytes };

  /** Resolves with those of the records that exist, by id. */
  return async (deliveries: readonly DeliveryDocument[]): Promise<Map<string, ShownRecord>> => {
    const [first] = deliveries;
    if (!first) return new Map();
    const ids = deliveries.filter(({ type }) => type !== 'user.erased').map(({ recordId }) => recordId);
    const renames = (await recentRenames()).get(first.appId.toHexString());
    const found = await users
      .find<ShownRecord & Pick<UserDocument, 'data' | 'schemaVersion'>>(
        { _id: { $in: ids }, appId: first.appId },
        { projection, batchSize: BATCH_SIZE },
      )
      .toArray();
    return new Map(
      found.map((record) => [record._id.toHexString(), record.data ? shownRecord(record, renames) : record]),
    );
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
