import type { ObjectId } from 'mongodb';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { RecordEvent } from '../outbox/outbox.ts';
import type { MailDocument, MailQueue } from './mail-queue.ts';
import { MAIL_LIMITS, type MailLimits } from './mail-rates.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_PER_DAY = 5;

/** Each further attempt means that another server planned a reply to the same address. */
const MAX_ATTEMPTS = 4;

export type Replies = ReturnType<typeof createReplies>;

/**
 * Plans replies (spec 4.12). Those of a record are numbered, so of servers that plan one at the
 * same time one succeeds, and the others see it. A reply names its event, so a repeated event
 * causes none.
 */
export function createReplies(deps: {
  queue: Pick<MailQueue, 'add' | 'ofRecord'>;
  limits: SharedLimits;
  mailLimits?: Partial<MailLimits> | undefined;
  /** The time of the queue. */
  now: () => number;
}) {
  const { queue, limits, mailLimits, now } = deps;
  const { replies: ofApp, allReplies } = { ...MAIL_LIMITS, ...mailLimits };
  const perApp = limits.create('replies of an app', ofApp, HOUR_MS);
  const perService = limits.create('replies', allReplies, HOUR_MS);

  /** Counts a reply. What is counted and not planned only lowers a limit. */
  async function mayReply(appId: ObjectId): Promise<boolean> {
    const taken = await perApp.take(appId.toHexString());
    if (taken.waitMs > 0) return false;
    if ((await perService.take('')).waitMs === 0) return true;
    await taken.undo?.();
    return false;
  }

  return {
    /** Plans the reply to a submission, unless a limit is reached. */
    async plan({ appId, recordId, id: event, lang }: RecordEvent): Promise<void> {
      let isCounted = false;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const earlier = await queue.ofRecord(recordId, 'reply');
        if (earlier.some((reply) => reply.event === event) || !allowsAnother(earlier, now())) return;
        isCounted ||= await mayReply(appId);
        if (!isCounted) return;
        const number = 1 + Math.max(0, ...earlier.map(numberOf));
        const _id = `reply:${recordId.toString()}:${number}`;
        await queue.add([{ _id, appId, purpose: 'reply', recordId, event, ...(lang !== undefined && { lang }) }]);
      }
    },
  };
}

type EarlierReply = Pick<MailDocument, '_id' | 'state' | 'createdAt' | 'nextAt'>;

/** A reply that waits has the newest values when it is sent. */
function allowsAnother(earlier: readonly EarlierReply[], now: number): boolean {
  // `nextAt` is not before the last attempt.
  if (earlier.some(({ state, nextAt }) => state === 'due' || nextAt.getTime() > now - HOUR_MS)) return false;
  return earlier.filter(({ createdAt }) => createdAt.getTime() > now - DAY_MS).length < MAX_PER_DAY;
}

const numberOf = ({ _id }: EarlierReply): number => Number(_id.slice(_id.lastIndexOf(':') + 1));

/** The mailboxes of programs, to which no automatic reply is sent (RFC 3834, section 2). */
const OF_PROGRAM = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|owner-[^@]*|[^@]*-request)@/;

/** Returns whether an address is one of a program. @param email normalized */
export const isOfProgram = (email: string): boolean => OF_PROGRAM.test(email);
