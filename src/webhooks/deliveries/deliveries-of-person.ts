import type { Types } from 'mongoose';
import type { PersonData } from '../../users/people/person-data.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { UserCollection } from '../../users/users.model.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** The deliveries that name a record of a person. Their answers may repeat values of the record. */
export function createDeliveriesOfPerson(users: UserCollection, deliveries: DeliveryStore): PersonData {
  async function recordsOf(appIds: readonly Types.ObjectId[], email: string): Promise<RecordId[]> {
    const options = { projection: { _id: 1 }, hint: { appId: 1, email: 1 } } as const;
    return (await users.find({ appId: { $in: [...appIds] }, email }, options).toArray()).map(({ _id }) => _id);
  }

  return {
    name: 'deliveries',

    async *entriesOf(appIds, email) {
      for await (const delivery of deliveries.ofRecords(await recordsOf(appIds, email))) {
        const { _id, appId, type, at, state, recordId, log } = delivery;
        const attempts = log.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() }));
        yield {
          appId,
          shown: {
            kind: 'delivery',
            id: _id,
            type,
            at: at.toISOString(),
            state,
            record: recordId.toString(),
            attempts,
          },
        };
      }
    },

    eraseOf: async (appIds, email) => deliveries.forget(await recordsOf(appIds, email)),
  };
}
