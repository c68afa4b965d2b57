import pLimit from 'p-limit';
import type { DeliveryDocument, WebhookDocument } from '../webhooks.model.ts';
import { bodyOf, type RecordReader, type ShownRecord } from './payload.ts';
import { createRoom } from './room.ts';

/** Larger records are read one after the other, and only when there is room for their bodies. */
export const MAX_SMALL_BYTES = 16 * 1024;
/** The bodies of large records in memory, beside the first one of each webhook. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export type Bodies = ReturnType<typeof createBodies>;

/**
 * Creates what makes the bodies of deliveries, in bounded memory whatever the size of the records.
 *
 * @param deps.readSmall reads no data of records above {@link MAX_SMALL_BYTES}
 */
export function createBodies(deps: { readRecords: RecordReader; readSmall: RecordReader }) {
  const { readRecords, readSmall } = deps;
  const room = createRoom(MAX_BODY_BYTES);
  const inTurn = pLimit(1);

  return {
    /** Reads the records of deliveries, for `use`. */
    read: readSmall,

    /**
     * Calls `send` with the body of a delivery, or `drop` when its record is gone. Resolves with
     * the result; undefined when `stop` was aborted before.
     *
     * @param found the record as `read` found it
     */
    async use<Result>(
      webhook: WebhookDocument,
      delivery: DeliveryDocument,
      found: ShownRecord | undefined,
      { stop, send, drop }: { stop: AbortSignal; send(body: string): Promise<Result>; drop(): Promise<Result> },
    ): Promise<Result | undefined> {
      if (!found || found.data) {
        const body = bodyOf(delivery, webhook, found);
        return body === undefined ? drop() : send(body);
      }
      const share = await room.enter(webhook._id.toHexString(), found.bytes, stop);
      if (!share) return undefined;
      try {
        const body = await inTurn(async () => {
          const records = await readRecords([delivery]);
          return bodyOf(delivery, webhook, records.get(delivery.recordId.toHexString()));
        });
        if (body === undefined) return await drop();
        share.resize(body.length);
        return await send(body);
      } finally {
        share.release();
      }
    },
  };
}
