import type { PersonData } from '../apps/feature.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { ChangeStore } from './change-store.ts';

/**
 * The changes of at most 1,000 records that have a record of the person. Those of more records, and
 * what a change sets in the records of others, is no data of one person.
 */
export function createPersonChanges(
  store: Pick<ChangeStore, 'ofRecord' | 'forget'>,
  records: Pick<RecordReader, 'recordsOfPerson'>,
): PersonData {
  return {
    name: 'changes',

    async *entriesOf(appIds, email) {
      for (const { appId, _id } of await records.recordsOfPerson(appIds, email)) {
        for await (const { _id: id, set, unset, createdAt } of store.ofRecord(appId, _id)) {
          yield { appId, shown: { kind: 'change', id: id.toHexString(), set, unset, at: createdAt.toISOString() } };
        }
      }
    },

    async eraseOf(appIds, email) {
      let erased = 0;
      for (const { appId, _id } of await records.recordsOfPerson(appIds, email)) {
        for await (const change of store.ofRecord(appId, _id)) if (await store.forget(change, _id)) erased += 1;
      }
      return erased;
    },
  };
}
