import type { ObjectId } from 'mongodb';
import type { PersonData } from '../people/person-data.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { RecordTraces } from '../records/erasure.ts';
import type { ChangeStore } from './changes.model.ts';

/**
 * The changes of at most 1,000 records that have a record of the person. Those of more records, and
 * what a change sets in the records of others, is no data of one person.
 */
export function createPersonChanges(
  store: Pick<ChangeStore, 'naming' | 'forget'>,
  records: Pick<RecordReader, 'recordsOfPerson'>,
): PersonData {
  async function* namingPerson(appIds: readonly ObjectId[], email: string) {
    const found = await records.recordsOfPerson(appIds, email);
    const [ofApps, ids] = [found.map(({ appId }) => appId), found.map(({ _id }) => _id)];
    yield* store.naming(ofApps, ids);
  }

  return {
    name: 'changes',

    async *entriesOf(appIds, email) {
      for await (const { change } of namingPerson(appIds, email)) {
        const { _id, appId, set, unset, createdAt } = change;
        yield { appId, shown: { kind: 'change', id: _id.toHexString(), set, unset, at: createdAt.toISOString() } };
      }
    },

    async eraseOf(appIds, email, guard) {
      let erased = 0;
      for await (const { change, ids } of namingPerson(appIds, email)) {
        if (await store.forget(change, ids, guard)) erased += 1;
      }
      return erased;
    },
  };
}

/** What the erasure of records, by whatever way, does to changes. */
export const createChangeTraces = (store: Pick<ChangeStore, 'naming' | 'forget'>): RecordTraces => ({
  async exist(appIds, ids) {
    for await (const _ of store.naming(appIds, ids)) return true;
    return false;
  },

  async remove(appIds, recordIds, guard) {
    for await (const { change, ids } of store.naming(appIds, recordIds)) await store.forget(change, ids, guard);
  },
});
