import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ObjectId } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { SubmissionOptions } from '../../core/users/acceptance.ts';
import type { Submission } from '../../core/users/submission.ts';
import { NoRecord, type StoredSubmission } from '../../core/users/submission-writes.ts';
import { isWithin, systemClock } from '../../platform/core/clock-readings.ts';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { Forbidden, Unavailable } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import { type MembersOf, schema } from '../../platform/database/mongoose.ts';
import { say } from '../../platform/languages/reasons.ts';
import {
  DEFAULT_FORM_SETTINGS,
  type FormSettings,
  isCaptchaProvider,
  isClosed,
} from '../form-settings/form-settings.ts';
import type { HoldReason } from '../held/held.model.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { CheckCaptcha } from './captcha.ts';
import type { Challenges, SpendChallenge } from './challenges.ts';

/** The decision about a valid submission. */
export interface Admission {
  /** Hold it instead of storing it. */
  hold?: HoldReason;
  /** Uses up its proof. @returns a reason to hold it @throws {Forbidden} @throws {Unavailable} */
  prove?(email: string, idempotencyKey?: string): Promise<HoldReason | undefined>;
}

const ADMITTED: Admission = {};

export type CheckAdmission = ReturnType<typeof createAdmissionCheck>;

/**
 * Decides before the validation whether an app takes a submission: by `closesAt`, its bot
 * protection and the metadata of the submission (spec 4.5). For an app without settings the result
 * is no promise.
 * @returns a function that throws or rejects with {@link Forbidden}
 */
export function createAdmissionCheck(deps: {
  challenges: Pick<Challenges, 'verify'>;
  spendChallenge: SpendChallenge;
  checkCaptcha: CheckCaptcha;
}) {
  const { challenges, spendChallenge, checkCaptcha } = deps;
  return (app: Pick<App, 'id' | 'form'>, options: SubmissionOptions): Admission | Promise<Admission> => {
    const { form = DEFAULT_FORM_SETTINGS } = app;
    if (options.isApproved) return ADMITTED;
    if (isClosed(form)) throw new Forbidden(say('closed'));
    // Bot protection is for senders who do not prove who they are.
    if (options.hasKey) return ADMITTED;
    if (form.botProtection === 'proof-of-work') return checkProof(app, options);
    if (isCaptchaProvider(form.botProtection)) return checkToken(form.botProtection, app.id, form, options);
    return options.isTrapped && form.botProtection === 'honeypot' ? { hold: 'honeypot' } : ADMITTED;
  };

  async function checkProof(
    { id }: Pick<App, 'id'>,
    { via = 'json', proof = '', isTrapped }: SubmissionOptions,
  ): Promise<Admission> {
    const trapped = isTrapped && ({ hold: 'honeypot' } as const);
    if (proof !== '') {
      const challengeId = await challenges.verify(id, proof);
      const prove = async (email: string, key?: string) => void (await spendChallenge(id, challengeId, email, key));
      return { ...trapped, prove };
    }
    if (via === 'json') throw new Forbidden('proofRequired');
    return trapped || { hold: 'no-proof' };
  }

  /** The provider is not asked about a submission of a program. */
  function checkToken(
    provider: CaptchaProvider,
    appId: ObjectId,
    form: FormSettings,
    { via = 'json', captcha = {}, host, isTrapped }: SubmissionOptions,
  ): Admission {
    if (isTrapped) return { hold: 'honeypot' };
    const given = typeof captcha === 'string' ? captcha : captcha[provider];
    // A form of Friendly Captcha sends its state while it has no token, such as `.SOLVING`.
    const token = given?.startsWith('.') ? '' : given;
    if (!token && via === 'json') throw new Forbidden('captchaRequired');
    if (!token) return { hold: 'no-captcha' };
    return {
      async prove(email, idempotencyKey) {
        const { captcha: settings } = form;
        // The settings of an app with a provider have them.
        if (!settings) throw new Unavailable('captchaAway');
        const sent = { appId, token, host, email, idempotencyKey };
        return checkCaptcha(provider, { ...form, captcha: settings }, sent);
      },
    };
  }
}

/** Below the deadline of a request (platform/http/deadline.ts). */
const MAX_WAIT_MS = 2_000;
const RETRY_MS = 20;

type Write = (requiresRecord: boolean) => Promise<StoredSubmission>;

export type Capacity = ReturnType<typeof createCapacity>;

/**
 * Stores submissions of apps with `maxRecords` (spec 4.5, decision 20): a new person needs a seat,
 * and a person with a record does not.
 */
export function createCapacity(deps: { records: Pick<RecordReader, 'exists'>; seats: Seats }) {
  const { records, seats } = deps;

  return {
    /**
     * Calls `write` when the app has room for one more, whether the person has a record or not: the
     * answers of a full app tell nothing about people (spec 4.5.5). Throws as `store`.
     */
    async storeAny<T>({ appId }: Submission, limit: number, write: () => Promise<T>): Promise<T> {
      const giveUpAt = performance.now() + MAX_WAIT_MS;
      while (performance.now() < giveUpAt) {
        const seat = await seats.take(appId, limit);
        if (seat === 'full') throw new Forbidden(say('full'));
        if (seat === 'contended') {
          await sleep(RETRY_MS);
          continue;
        }
        return await withSeat(seat, write);
      }
      throw new Unavailable('submissionsToForm', 1);
    },

    /**
     * Calls `write` when the person has a record or the app has room for one more.
     *
     * @param write with `requiresRecord` it rejects with {@link NoRecord} instead of creating one
     * @throws {Forbidden} when the app is full
     * @throws {Unavailable} when others compete for the last seats for too long
     */
    async store({ appId, email }: Submission, limit: number, write: Write): Promise<StoredSubmission> {
      const giveUpAt = performance.now() + MAX_WAIT_MS;
      while (performance.now() < giveUpAt) {
        if (await records.exists(appId, email)) {
          try {
            return await write(true);
          } catch (error) {
            // The record was erased meanwhile.
            if (error instanceof NoRecord) continue;
            throw error;
          }
        }
        const seat = await seats.take(appId, limit);
        if (seat === 'full') {
          // A concurrent submission of the same person may have created the record.
          if (!(await records.exists(appId, email))) throw new Forbidden(say('full'));
          continue;
        }
        if (seat === 'contended') {
          await sleep(RETRY_MS);
          continue;
        }
        return await withSeat(seat, () => write(false));
      }
      throw new Unavailable('submissionsToForm', 1);
    },
  };
}

async function withSeat<T>(seat: Seat, write: () => Promise<T>): Promise<T> {
  try {
    const stored = await write();
    // The server was suspended: others may have used the seat.
    if (seat.isExpired()) throw new Unavailable();
    return stored;
  } finally {
    seat.release();
  }
}

/** Seats of a server that stopped are taken again after this time. No write takes as long. */
const SEAT_MS = 30_000;
/** The submissions of one reservation, and the waiting ones of an app, at most. */
const MAX_BATCH = 200;
const MAX_WAITING = 1_000;

/** With this much room a valid count suffices: servers do not create as many records meanwhile. */
const AMPLE_ROOM = 100_000;
/** How long a count decides that an app is full or has ample room. */
const COUNT_VALID_MS = 1_000;
const MAX_COUNTED_APPS = 10_000;

/** The reservation of one server for new records of an app with `maxRecords`. */
const seatsSchema = schema({
  token: { type: ObjectId, required: true },
  count: { type: Number, required: true },
  /** By MongoDB's clock. */
  until: { type: Date, required: true },
});

const members = {
  /** Reservations of records that are being created. */
  seats: [seatsSchema],
} as const;

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
}

/** The seats of an app. */
export const seatPart: AppPart = { members };

/** Permission to create one record. */
interface Seat {
  isExpired(): boolean;
  /** Call it when the record is stored or was refused. */
  release(): void;
}

/** `full`: the app has that many records. `contended`: others hold the last seats; try again. */
type SeatAnswer = Seat | 'full' | 'contended';

interface Waiting {
  limit: number;
  resolve(answer: SeatAnswer): void;
  reject(error: unknown): void;
}

const UNRESERVED: Seat = { isExpired: () => false, release: () => undefined };

export type Seats = ReturnType<typeof createSeats>;

/**
 * Limits the records of an app over all servers (decision 20). A server reserves seats in the app's
 * document, then counts the records, and gives a seat only if the records, the seats reserved
 * before its own and its own stay within the limit. So the last to reserve has counted all others.
 * Each server makes one reservation per app at a time, for all submissions that wait for one. By
 * the collection: a pipeline, on the path of a submission.
 *
 * @param countOf resolves with the number of records of an app
 */
export function createSeats(apps: AppModel, countOf: (appId: ObjectId) => Promise<number>) {
  const queues = new Map<string, Waiting[]>();
  const counts = new LRUCache<string, number>({ max: MAX_COUNTED_APPS, ttl: COUNT_VALID_MS });

  /** Reserves seats. Resolves with the number of seats that were reserved before. */
  async function reserve(appId: ObjectId, token: ObjectId, count: number): Promise<number> {
    const valid = {
      $filter: { input: { $ifNull: ['$seats', []] }, as: 'one', cond: { $gt: ['$$one.until', '$$NOW'] } },
    };
    const own = { token, count: { $literal: count }, until: { $add: ['$$NOW', SEAT_MS] } };
    const app = await apps.collection.findOneAndUpdate(
      { _id: appId, ...NOT_BEING_DELETED },
      [{ $set: { seats: { $concatArrays: [valid, [own]] } } }],
      { returnDocument: 'after', projection: { seats: 1 } },
    );
    if (!app) throw new Unavailable();
    const ahead = (app.seats ?? []).filter((one) => !one.token.equals(token));
    return ahead.reduce((sum, one) => sum + one.count, 0);
  }

  async function serve(appId: ObjectId, batch: readonly Waiting[]): Promise<void> {
    const token = new ObjectId();
    const begun = systemClock();
    const isExpired = (): boolean => !isWithin(SEAT_MS, begun, systemClock());
    try {
      const ahead = await reserve(appId, token, batch.length);
      const records = await countOf(appId);
      counts.set(appId.toHexString(), records);
      let taken = records + ahead;
      const given: Promise<void>[] = [];
      for (const { limit, resolve } of batch) {
        if (records >= limit) resolve('full');
        else if (taken >= limit) resolve('contended');
        else {
          taken += 1;
          given.push(new Promise((release) => resolve({ isExpired, release })));
        }
      }
      await withTimeout(Promise.all(given), SEAT_MS, () => new Unavailable());
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      // If this fails, the reservation expires.
      await apps.collection.updateOne({ _id: appId }, { $pull: { seats: { token } } }).catch(() => undefined);
    }
  }

  async function run(appId: ObjectId, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await serve(appId, queue.splice(0, MAX_BATCH));
    queues.delete(appId.toHexString());
  }

  return {
    /** Asks for a seat of an app. Release the seat. @throws {Unavailable} */
    async take(appId: ObjectId, limit: number): Promise<SeatAnswer> {
      const app = appId.toHexString();
      const records = counts.get(app);
      if (records !== undefined && records >= limit) return 'full';
      if (records !== undefined && limit - records >= AMPLE_ROOM) return UNRESERVED;
      const queue = queues.get(app) ?? [];
      if (queue.length >= MAX_WAITING) throw new Unavailable('submissionsAtOnce', 1);
      const answer = new Promise<SeatAnswer>((resolve, reject) => queue.push({ limit, resolve, reject }));
      if (!queues.has(app)) {
        queues.set(app, queue);
        void run(appId, queue);
      }
      return answer;
    },
  };
}
