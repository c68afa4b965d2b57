import type { RecordId } from '../../users/record-id.ts';
import type { DeliveryCollection, DeliveryDocument } from '../webhooks.model.ts';

/** The deliveries that are due and examined for one look at an endpoint. */
const DUE_BATCH = 500;

/**
 * Creates the function that reads which deliveries are due, in the order of the events of each
 * record (spec 4.11): for each record at most the first that waits, and none that waits behind an
 * earlier one of its record.
 */
export function createDueDeliveries(deliveries: DeliveryCollection) {
  /**
   * @param limit the most deliveries that the result has
   * @param busy records with an attempt in progress
   */
  return async (
    webhookId: RecordId,
    { now, limit, busy }: { now: number; limit: number; busy: RecordId[] },
  ): Promise<DeliveryDocument[]> => {
    const isDue = { state: 'waiting', webhookId, nextAt: { $lte: new Date(now) } } as const;
    const found = await deliveries
      .find({ ...isDue, recordId: { $nin: busy } }, { limit: DUE_BATCH })
      .sort({ nextAt: 1 })
      .toArray();
    const firsts = await firstOfEach(
      webhookId,
      found.map(({ recordId }) => recordId),
    );
    const due: DeliveryDocument[] = [];
    for (const delivery of found) {
      const first = firsts.get(delivery.recordId.toHexString());
      if (!first || first.revision >= delivery.revision) due.push(delivery);
      // Not read again before the one in front of it.
      else if (first.nextAt.getTime() > now) {
        // Unless it was replayed meanwhile.
        const { _id, nextAt } = delivery;
        await deliveries.updateOne(
          { _id, state: 'waiting', ...(nextAt && { nextAt }) },
          { $set: { nextAt: first.nextAt } },
        );
      }
      if (due.length === limit) break;
    }
    return due;
  };

  /** For each record the first waiting delivery, by the id of the record. */
  async function firstOfEach(webhookId: RecordId, recordIds: RecordId[]) {
    const found = await deliveries
      .aggregate<{ _id: RecordId; first: { revision: number; nextAt: Date } }>([
        { $match: { recordId: { $in: recordIds }, webhookId, state: 'waiting' } },
        { $group: { _id: '$recordId', first: { $min: { revision: '$revision', nextAt: '$nextAt' } } } },
      ])
      .toArray();
    return new Map(found.map(({ _id, first }) => [_id.toHexString(), first]));
  }
}
