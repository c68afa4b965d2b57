import type { RecordReader, RecordValues, UnreadRecord } from '../records/record-reader.ts';
import type { DeliveryDocument, WebhookDocument } from './webhook-store.ts';

/** A larger record is large: its body waits for room (dispatcher.ts). */
const LARGE_BYTES = 16 * 1024;
/** JSON has at most six characters for a byte of a record: an escaped control character. */
const MAX_GROWTH = 6;
const OVERHEAD = 4 * 1024;

/** Returns an upper bound on the size of the body of a large record, in bytes. */
export const maxBodyBytes = ({ bytes }: UnreadRecord): number => bytes * MAX_GROWTH + OVERHEAD;

export type DeliveryRecords = ReturnType<typeof createDeliveryRecords>;

/** Reads the records of deliveries in their current state. */
export function createDeliveryRecords(records: Pick<RecordReader, 'find' | 'findSome'>) {
  return {
    one: async ({ appId, recordId, type }: DeliveryDocument): Promise<RecordValues | undefined> =>
      type === 'user.erased' ? undefined : records.find(appId, recordId),

    /** Resolves with the existing records by id. All deliveries are of one app. */
    async many(deliveries: readonly DeliveryDocument[]): Promise<Map<string, RecordValues | UnreadRecord>> {
      const [first] = deliveries;
      if (!first) return new Map();
      const ids = deliveries.filter(({ type }) => type !== 'user.erased').map(({ recordId }) => recordId);
      return records.findSome(first.appId, ids, LARGE_BYTES);
    },
  };
}

/** Returns a body (spec 4.11); undefined when the record of a change does not exist. */
export function buildBody(
  { type, at, recordId, revision, changed }: DeliveryDocument,
  { sourceAppId }: Pick<WebhookDocument, 'sourceAppId'>,
  record: RecordValues | undefined,
): string | undefined {
  if (!record && type !== 'user.erased') return undefined;
  const shown = type === 'user.erased' ? {} : { email: record?.email, data: record?.data };
  const data = { id: recordId.toString(), sourceAppId, ...shown, revision, ...(changed && { changed }) };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
