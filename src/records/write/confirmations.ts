import type { ObjectId } from 'mongodb';
import type { ConfirmationMail, UserCollection } from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';

/** What a record holds of the confirmation of its email (spec 4.12). */
export interface Confirmation {
  email: string;
  isConfirmed: boolean;
  mails: readonly ConfirmationMail[];
}

export type ConfirmationStore = ReturnType<typeof createConfirmationStore>;

/** Reads and writes the confirmation of records. */
export function createConfirmationStore(users: UserCollection) {
  return {
    /** Resolves with the confirmation of a record, unless it is gone. */
    async find(appId: ObjectId, id: RecordId): Promise<Confirmation | undefined> {
      const projection = { email: 1, confirmedAt: 1, confirmation: 1 };
      const record = await users.findOne({ _id: id, appId }, { projection });
      if (!record) return undefined;
      const { email, confirmedAt, confirmation } = record;
      return { email, isConfirmed: confirmedAt !== undefined, mails: confirmation?.mails ?? [] };
    },

    /** Confirms the email of a record. The first time stays. Resolves with whether it exists. */
    async confirm(appId: ObjectId, id: RecordId, email: string, at: Date): Promise<boolean> {
      const record = { _id: id, appId, email };
      const update = { $set: { confirmedAt: at }, $unset: { confirmation: 1 as const } };
      const { matchedCount } = await users.updateOne({ ...record, confirmedAt: { $exists: false } }, update);
      return matchedCount > 0 || (await users.findOne(record, { projection: { _id: 1 } })) !== null;
    },

    /** Adds a planned email to a record in the state that was read, and to no other. */
    async addMail(
      appId: ObjectId,
      id: RecordId,
      { email, mails: { length } }: Confirmation,
      mail: ConfirmationMail,
    ): Promise<boolean> {
      const unchanged = {
        _id: id,
        appId,
        email,
        confirmedAt: { $exists: false },
        'confirmation.mails': length === 0 ? { $exists: false } : { $size: length },
      };
      return (await users.updateOne(unchanged, { $push: { 'confirmation.mails': mail } })).matchedCount > 0;
    },
  };
}
