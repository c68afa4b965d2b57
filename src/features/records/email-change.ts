import { ObjectId, UUID } from 'mongodb';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { UserCollection } from '../../core/users/users.model.ts';
import type { RecordTarget } from '../../core/users/write-part.ts';
import { Conflict } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock, Until } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS, STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import type { Job, JobSignal } from '../../platform/jobs/job-runner.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { HistoryAuthor } from '../history/history-entries.ts';
import type { FormerEmails } from '../idempotency/former-emails.ts';
import type { DetailedRecord } from '../record-reads/record-details.ts';
import type { RecordTraces } from './erasure.ts';
import type { EditedRecord, RecordEditor } from './record-edit.ts';

/** A record whose email is changed or was changed just now, without the emails. */
const emailChangeSchema = schema(
  {
    /** The id of the record. */
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    /** When it was last announced, by MongoDB's clock. */
    at: { type: Date, required: true },
  },
  { collection: 'email_changes', placement: 'removed seconds after the change' },
).index({ appId: 1 });

type EmailChangeModel = Model<DocumentOf<typeof emailChangeSchema>>;

/** The model of `email_changes`. */
export const createEmailChangeModel = (connection: Connection): EmailChangeModel =>
  createModel(connection, emailChangeSchema);

const JOB = 'email-changes';
const EVERY_MS = 5_000;
const BATCH = 100;
/**
 * Statements about the email before have ended: those of this change, and those of earlier ones.
 */
const SETTLED_MS = READ_HOLDS_MS + STATEMENT_ENDS_MS;

/**
 * Changes the email of a record (spec 4.3). One statement changes the record. What other
 * collections have of it follows: at once, and again by a job of which the change was announced
 * before, so also after the end of this server, and after statements that read the email before.
 */
export function createEmailChanger(deps: {
  users: UserCollection;
  changes: EmailChangeModel;
  editor: Pick<RecordEditor, 'change'>;
  formerEmails: Pick<FormerEmails, 'keep'>;
  traces: readonly RecordTraces[];
  clock: Pick<DatabaseClock, 'within'>;
  signal: JobSignal;
}) {
  const { users, editor, formerEmails, traces, clock, signal } = deps;
  const changes = deps.changes.collection;

  /** @throws {Conflict} with the id of the record that has the email */
  async function refuseTaken(appId: ObjectId, email: string): Promise<void> {
    const other = await users.findOne({ appId, email }, { projection: { _id: 1 } });
    if (other) throw new Conflict(say('emailTaken', { id: other._id.toString() }));
  }

  async function readdress(record: RecordTarget, until: Until): Promise<void> {
    await Promise.all(traces.map((one) => one.readdress?.(record, until)));
  }

  async function editOf(record: EditedRecord, { app }: Lease, to: string) {
    if (record.email === to) return undefined;
    await refuseTaken(app.id, to);
    const requires = await formerEmails.keep(record);
    const announced = { $set: { appId: app.id }, $currentDate: { at: true as const } };
    await changes.updateOne({ _id: record._id }, announced, { upsert: true });
    return { set: {}, unset: [], removeItems: [], email: { to, requires } };
  }

  return {
    /**
     * Gives a record another email. The same email changes nothing.
     * @param email normalized
     * @throws {Conflict} `emailTaken` with the id of the record that has it
     * @throws {AppError} as `edit` of the editor
     */
    async change(
      app: Pick<Lease['app'], 'id' | 'sourceAppId'>,
      id: string,
      email: string,
      by: HistoryAuthor,
      leftMs: () => number,
      tags?: readonly string[],
    ): Promise<DetailedRecord> {
      const until = clock.within(READ_HOLDS_MS);
      const record = await editor.change(app, id, (read, lease) => editOf(read, lease, email), by, leftMs, tags);
      // The job does what this leaves.
      await readdress({ _id: record._id, appId: app.id, email }, until).catch(() => signal.wake(JOB));
      return record;
    },

    /** Finishes changes, and repeats that until no statement about an email before is left. */
    job: {
      name: JOB,
      everyMs: EVERY_MS,
      hasWork: (hasAny) => hasAny([lookup(changes, {})]),
      async run({ signal: stopping, stillOwner }) {
        const isSettled = { $lt: ['$at', { $subtract: ['$$NOW', SETTLED_MS] }] };
        const options = { projection: { appId: 1, at: 1, isSettled }, sort: { at: 1 }, limit: BATCH } as const;
        type Found = DocumentOf<typeof emailChangeSchema> & { isSettled: boolean };
        const found = await changes.find<Found>({}, options).toArray();
        for (const one of found) {
          if (stopping.aborted || !stillOwner()) return false;
          const { _id, appId, at } = one;
          const until = clock.within(READ_HOLDS_MS);
          const record = await users.findOne({ _id, appId }, { projection: { appId: 1, email: 1 } });
          if (record) await readdress(record, until);
          // Not if it was announced again: that precedes each change.
          if (one.isSettled) await changes.deleteOne({ _id, at });
        }
        return false;
      },
    } satisfies Job,
  };
}
