import { type ObjectId, UUID } from 'mongodb';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { RecordId, UserCollection } from '../../core/users/users.model.ts';
import { unset } from '../../core/users/write-part.ts';
import { type DocumentOf, schema } from '../../platform/database/mongoose.ts';
import { Timestamp } from '../../platform/http/validation.ts';
import type { EditPart } from './edit-part.ts';

/** A confirmation email: the event that caused it, and when it may be sent. */
const confirmationMailSchema = schema({
  event: { type: String, required: true },
  at: { type: Date, required: true },
  /** The language of the person; absent: that of the app. */
  lang: String,
});
export type ConfirmationMail = DocumentOf<typeof confirmationMailSchema>;

const confirmationSchema = schema({ mails: { type: [confirmationMailSchema], required: true } });

declare module '../../core/users/users.model.ts' {
  interface UserDocument {
    /** When the person confirmed the email address (spec 4.12). */
    confirmedAt?: Date;
    /** The confirmation emails of an unconfirmed record (notifications/confirmation). */
    confirmation?: DocumentOf<typeof confirmationSchema>;
    /**
     * The id of the last change of the email, in the order of time. Links that were sent to the
     * email name it.
     */
    emailChange?: UUID;
  }
}

/** The members that lists and exports show of it. */
export const CONFIRMATION_MEMBERS = {
  confirmedAt: Timestamp.optional().meta({
    description: 'When the person confirmed the email address; only in records of which it was confirmed',
  }),
};

/** A change of the email ends what was asked and confirmed of the former one. */
const edits: EditPart = {
  name: 'confirmation',
  add(statement, { isReaddressed }) {
    if (!isReaddressed) return undefined;
    statement.update.$set.emailChange = statement.newId;
    unset(statement, 'confirmedAt');
    unset(statement, 'confirmation');
    return undefined;
  },
};

/** The confirmation of the email of a record. Besides its emails and links, edits write it. */
export const confirmationPart: RecordPart = {
  name: 'confirmation',
  members: { confirmedAt: Date, confirmation: confirmationSchema, emailChange: UUID },
  listed: CONFIRMATION_MEMBERS,
  ofPersons: ['confirmedAt', 'confirmation', 'emailChange'],
  under: () => ({ edits }),
};

/** What a record holds of the confirmation of its email (spec 4.12). */
export interface Confirmation {
  email: string;
  /** The last change of the email; undefined: it is the first one. */
  emailChange: UUID | undefined;
  isConfirmed: boolean;
  mails: readonly ConfirmationMail[];
}

type Address = Pick<Confirmation, 'email' | 'emailChange'>;

/** Matches a record that has had this email since it was read. */
const addressed = ({ email, emailChange }: Address) => ({ email, emailChange: emailChange ?? { $exists: false } });

export type ConfirmationStore = ReturnType<typeof createConfirmationStore>;

/** Reads and writes the confirmation of records. */
export function createConfirmationStore(users: UserCollection) {
  return {
    /** Resolves with the confirmation of a record, unless it is gone. */
    async find(appId: ObjectId, id: RecordId): Promise<Confirmation | undefined> {
      const projection = { email: 1, emailChange: 1, confirmedAt: 1, confirmation: 1 };
      const record = await users.findOne({ _id: id, appId }, { projection });
      if (!record) return undefined;
      const { email, emailChange, confirmedAt, confirmation } = record;
      return { email, emailChange, isConfirmed: confirmedAt !== undefined, mails: confirmation?.mails ?? [] };
    },

    /** Resolves with the record of an email, and with the last change of that; undefined: none. */
    async ofEmail(
      appId: ObjectId,
      email: string,
    ): Promise<{ id: RecordId; emailChange: UUID | undefined } | undefined> {
      const record = await users.findOne({ appId, email }, { projection: { emailChange: 1 } });
      return record ? { id: record._id, emailChange: record.emailChange } : undefined;
    },

    /**
     * Confirms the email of a record as it was read. The first time stays. Resolves with whether
     * the record has that email.
     */
    async confirm(appId: ObjectId, id: RecordId, address: Address, at: Date): Promise<boolean> {
      const record = { _id: id, appId, ...addressed(address) };
      const update = { $set: { confirmedAt: at }, $unset: { confirmation: 1 as const } };
      const { matchedCount } = await users.updateOne({ ...record, confirmedAt: { $exists: false } }, update);
      return matchedCount > 0 || (await users.findOne(record, { projection: { _id: 1 } })) !== null;
    },

    /** Adds a planned email to a record in the state that was read, and to no other. */
    async addMail(
      appId: ObjectId,
      id: RecordId,
      { mails: { length }, ...address }: Confirmation,
      mail: ConfirmationMail,
    ): Promise<boolean> {
      const unchanged = {
        _id: id,
        appId,
        ...addressed(address),
        confirmedAt: { $exists: false },
        'confirmation.mails': length === 0 ? { $exists: false } : { $size: length },
      };
      return (await users.updateOne(unchanged, { $push: { 'confirmation.mails': mail } })).matchedCount > 0;
    },
  };
}
