import type { PersonData } from '../../users/people/person-data.ts';
import type { HeldCollection } from './held.model.ts';

const BATCH_SIZE = 10;
const BY_EMAIL = { email: 1, appId: 1 } as const;

/** The held submissions of a person. */
export function createHeldOfPerson(held: HeldCollection): PersonData {
  return {
    name: 'held',

    async *entriesOf(appIds, email) {
      for await (const entry of held.find(
        { email, appId: { $in: [...appIds] } },
        { hint: BY_EMAIL, batchSize: BATCH_SIZE },
      )) {
        const { _id, appId, data, reason, at, page } = entry;
        const shown = {
          ...{ kind: 'held', id: _id.toString(), email: entry.email, data, reason, at: at.toISOString() },
          ...(page !== undefined && { page }),
        };
        yield { appId, shown };
      }
    },

    eraseOf: async (appIds, email) =>
      (await held.deleteMany({ email, appId: { $in: [...appIds] } }, { hint: BY_EMAIL })).deletedCount,
  };
}
