import type { mongo } from 'mongoose';
import type { PersonData } from '../../users/people/person-data.ts';
import type { UserCollection, UserDocument } from '../../users/users.model.ts';
import type { MailCollection } from './mails.model.ts';

const BATCH_SIZE = 100;

/**
 * The emails about a person. They name the record and not the person, so they are found by the
 * records of the email and come before these in an erasure.
 */
export function createMailsOfPerson(mails: MailCollection, users: UserCollection): PersonData {
  async function recordIds(filter: mongo.Filter<UserDocument>) {
    const options = { projection: { _id: 1 }, hint: { appId: 1, email: 1 } } as const;
    return (await users.find(filter, options).toArray()).map(({ _id }) => _id);
  }

  return {
    name: 'mails',

    async *entriesOf(appIds, email) {
      const ids = await recordIds({ appId: { $in: [...appIds] }, email });
      const options = { hint: { recordId: 1 }, batchSize: BATCH_SIZE } as const;
      for await (const { _id, appId, purpose, state, createdAt } of mails.find({ recordId: { $in: ids } }, options)) {
        yield { appId, shown: { kind: 'mail', id: _id, purpose, state, at: createdAt.toISOString() } };
      }
    },

    async eraseOf(appIds, email) {
      const ids = await recordIds({ appId: { $in: [...appIds] }, email });
      return (await mails.deleteMany({ recordId: { $in: ids } }, { hint: { recordId: 1 } })).deletedCount;
    },
  };
}
