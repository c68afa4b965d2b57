import { ObjectId, UUID } from 'mongodb';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { UserCollection } from '../../core/users/users.model.ts';
import type { RecordTarget } from '../../core/users/write-part.ts';
import { Conflict } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type DatabaseClock, type Until } from '../../platform/database/clock.ts';
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
)
  .index({ appId: 1 })
  .index({ at: 1 });

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
 * Changes the email of a record (spec 4.3). One statement changes the record. The documents of
 * other collections that have the email are changed after it: by this server, and by a job. The
 * change is announced to the job first, so the job also finishes it when this server stops, and
 * corrects what statements stored that had read the former email.
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

  async function editOf(record: EditedRecord, to: string) {
    if (record.email === to) return undefined;
    await refuseTaken(record.appId, to);
    const keys = await formerEmails.keep(record);
    // The job forgets the change after a while, so a later statement must change nothing.
    const until = await announce(record);
    return { set: {}, unset: [], removeItems: [], email: { to, requires: { ...keys, ...beginsBefore(until) } } };
  }

  /** Tells the job of a change. Resolves with the time by which the change has to begin. */
  async function announce({ _id, appId }: EditedRecord): Promise<Date> {
    const update = { $set: { appId }, $currentDate: { at: true as const } };
    const announced = await changes.findOneAndUpdate({ _id }, update, { upsert: true, returnDocument: 'after' });
    if (!announced) throw new Error('an upsert returned no document');
    return new Date(announced.at.getTime() + READ_HOLDS_MS);
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
      const record = await editor.change(app, id, (read) => editOf(read, email), by, leftMs, tags);
      // The job does what this leaves.
      await readdress({ _id: record._id, appId: app.id, email }, until).catch(() => signal.wake(JOB));
      return record;
    },

    /** Finishes changes, and repeats that until statements that read a former email have ended. */
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
