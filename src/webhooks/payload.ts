import type { UserCollection, UserDocument } from '../records/record.ts';
import type { RecordId } from '../records/record-id.ts';
import { type RecentRenames, shownRecord } from '../records/record-moves.ts';
import type { DeliveryDocument, WebhookDocument } from './webhook-store.ts';

/** The size above which a record is large: its body waits for room (dispatcher.ts). */
const LARGE_BYTES = 16 * 1024;
/** JSON has up to six characters for a byte of a record: an escaped control character. */
const MAX_GROWTH = 6;
/** The size of a body without the record. */
const OVERHEAD = 4 * 1024;

/** The values of a record that a body shows. */
interface ShownRecord {
  _id: RecordId;
  email: string;
  data: Record<string, unknown>;
}

/** A large record, which was not read. */
export interface LargeRecord {
  /** An upper bound on the size of its body, in bytes. */
  maxBodyBytes: number;
}

type Found = ShownRecord & Pick<UserDocument, 'schemaVersion'>;

export type RecordReader = ReturnType<typeof createRecordReader>;

/**
 * Creates what reads the records of deliveries.
 *
 * @param recentRenames the pending renames of all apps
 */
export function createRecordReader(users: UserCollection, recentRenames: RecentRenames) {
  const bytes = { $bsonSize: '$$ROOT' };
  const dataIfSmall = { $cond: [{ $gt: [bytes, LARGE_BYTES] }, '$$REMOVE', '$data'] };

  return {
    /** Resolves with the record of a delivery, unless it is gone. */
    async one({ appId, recordId, type }: DeliveryDocument): Promise<ShownRecord | undefined> {
      if (type === 'user.erased') return undefined;
      const options = { projection: { email: 1, data: 1, schemaVersion: 1 } };
      const renames = (await recentRenames()).get(appId.toHexString());
      const found = await users.findOne<Found>({ _id: recordId, appId }, options);
      return found ? shownRecord(found, renames) : undefined;
    },

    /** Resolves with those of the records that exist, by id. The deliveries are of one app. */
    async many(deliveries: readonly DeliveryDocument[]): Promise<Map<string, ShownRecord | LargeRecord>> {
      const [first] = deliveries;
      if (!first) return new Map();
      const ids = deliveries.filter(({ type }) => type !== 'user.erased').map(({ recordId }) => recordId);
      const options = { projection: { email: 1, data: dataIfSmall, schemaVersion: 1, bytes } };
      const renames = (await recentRenames()).get(first.appId.toHexString());
      const found = await users
        .find<Found & { bytes: number }>({ _id: { $in: ids }, appId: first.appId }, options)
        .toArray();
      return new Map(
        found.map(({ bytes: size, ...record }) => [
          record._id.toHexString(),
          size > LARGE_BYTES ? { maxBodyBytes: size * MAX_GROWTH + OVERHEAD } : shownRecord(record, renames),
        ]),
      );
    },
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
