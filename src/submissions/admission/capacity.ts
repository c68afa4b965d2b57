import { setTimeout as sleep } from 'node:timers/promises';
import { Forbidden, Unavailable } from '../../core/errors.ts';
import type { UserCollection } from '../../users/users.model.ts';
import type { Submission } from '../store/submission.ts';
import { NoRecord, type StoredSubmission } from '../store/submission-store.ts';
import type { Seats } from './seats.ts';

/** Below the deadline of a request (api/deadline.ts). */
const MAX_WAIT_MS = 2_000;
const RETRY_MS = 20;

type Write = (requiresRecord: boolean) => Promise<StoredSubmission>;

export type Capacity = ReturnType<typeof createCapacity>;

/**
 * Stores submissions of apps with `maxRecords` (spec 4.5, decision 20): a new person needs a seat,
 * and a person with a record does not.
 */
export function createCapacity(deps: { users: UserCollection; seats: Seats }) {
  const { users, seats } = deps;

  const findRecord = ({ appId, email }: Submission) => users.findOne({ appId, email }, { projection: { _id: 1 } });

  return {
    /**
     * Calls `write` when the person has a record or the app has room for one more.
     *
     * @param limit the most records that the app may have
     * @param write stores the submission; with `requiresRecord` it rejects with {@link NoRecord}
     *   instead of creating a record
     * @throws {Forbidden} when the app is full
     * @throws {Unavailable} when others compete for the last seats for too long
     */
    async store(submission: Submission, limit: number, write: Write): Promise<StoredSubmission> {
      const giveUpAt = performance.now() + MAX_WAIT_MS;
      while (performance.now() < giveUpAt) {
        const existing = await findRecord(submission);
        if (existing) {
          const stored = await changed(write);
          if (stored) return stored;
          continue;
        }
        const seat = await seats.take(submission.appId, limit);
        if (seat === 'full') {
          // A concurrent submission of the same person may have created the record.
          if (!(await findRecord(submission))) throw formFull();
          continue;
        }
        if (seat === 'contended') {
          await sleep(RETRY_MS);
          continue;
        }
        try {
          const stored = await write(false);
          // The server was suspended: others may have used the seat.
          if (seat.isExpired()) throw new Unavailable();
          return stored;
        } finally {
          seat.release();
        }
      }
      throw new Unavailable('Too many submissions to this form at once; try again shortly', 1);
    },
  };
}

/** Changes the record of a person; resolves with undefined when it was erased meanwhile. */
async function changed(write: Write): Promise<StoredSubmission | undefined> {
  try {
    return await write(true);
  } catch (error) {
    if (error instanceof NoRecord) return undefined;
    throw error;
  }
}

function formFull(): Forbidden {
  return new Forbidden('This form is full');
}
