import { setTimeout as sleep } from 'node:timers/promises';
import { Forbidden, Unavailable } from '../../core/errors.ts';
import type { UserStore } from '../../users/user-store.ts';
import type { UserCollection } from '../../users/users.model.ts';
import type { Submission } from '../store/submission.ts';
import type { StoredSubmission } from '../store/submission-store.ts';
import type { Seats } from './seats.ts';

/** Below the deadline of a request (api/deadline.ts). */
const MAX_WAIT_MS = 2_000;
const RETRY_MS = 20;

export type Capacity = ReturnType<typeof createCapacity>;

/**
 * Stores submissions of apps with `maxRecords` (spec 4.5, decision 20): a new person needs a seat,
 * and a person with a record none.
 */
export function createCapacity(deps: { users: UserCollection; withdraw: UserStore['withdraw']; seats: Seats }) {
  const { users, withdraw, seats } = deps;

  const findRecord = ({ appId, email }: Submission) => users.findOne({ appId, email }, { projection: { _id: 1 } });

  /**
   * For a submission of a person whose record was erased before the write, which then created a new
   * one without a seat.
   */
  async function confirm(submission: Submission, limit: number): Promise<void> {
    if (await seats.isWithin(submission.appId, limit)) return;
    await withdraw({ appId: submission.appId, email: submission.email, createdAt: submission.now });
    throw formFull();
  }

  return {
    /**
     * Calls `write` when the person has a record or the app has room for one more.
     *
     * @param limit the most records that the app may have
     * @param write stores the submission
     * @throws {Forbidden} when the app is full
     * @throws {Unavailable} when others compete for the last seats for too long
     */
    async store(
      submission: Submission,
      limit: number,
      write: () => Promise<StoredSubmission>,
    ): Promise<StoredSubmission> {
      const giveUpAt = performance.now() + MAX_WAIT_MS;
      while (performance.now() < giveUpAt) {
        const existing = await findRecord(submission);
        if (existing) {
          const stored = await write();
          if (!stored.id.equals(existing._id)) await confirm(submission, limit);
          return stored;
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
          const stored = await write();
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

function formFull(): Forbidden {
  return new Forbidden('This form is full');
}
