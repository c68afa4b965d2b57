import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { Logger } from '../../platform/core/logger.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import { failureOfReason, mailFailureOf, type ShownFailure } from '../../platform/mail/failure.ts';
import { MAX_CONNECTIONS, type Mailer, type Message } from '../../platform/mail/mailer.ts';
import { type Metrics, NO_METRICS } from '../../platform/metrics/metrics.ts';
import {
  attemptNumber,
  CLAIM_MS,
  MAX_ATTEMPTS,
  type MailDocument,
  type MailQueue,
  type MailResult,
} from './mail-queue.ts';
import type { RenderMail } from './messages.ts';
import { shownPurpose, shownState } from './shown-mail.ts';

export const MAIL_JOB = 'mails';

/** The most time that an email waits that another server planned. */
const EVERY_MS = 5_000;
const BATCH = 50;

/** The job that sends planned emails. The log names emails by id and purpose, and no person. */
export function createMailJob(deps: {
  queue: Pick<MailQueue, 'anyDue' | 'dueIds' | 'claim' | 'extendClaim' | 'settle'>;
  render: RenderMail;
  mailer: Pick<Mailer, 'send'>;
  /** The time of the queue. */
  now: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
}): Job {
  const { queue, render, mailer, now, logger, metrics = NO_METRICS } = deps;
  const countAttempt = metrics.counter('mails_total', {
    help: 'Attempts of this server to send an email about an app, by the state that follows',
    labels: ['purpose', 'result'],
  });

  /** Resolves with the failure, or with the status with which the email was taken. */
  async function trySending({ _id, purpose, attempts, createdAt }: MailDocument, message: Message) {
    try {
      // A later reply to a record has the id of one that was removed after 30 days.
      const status = await mailer.send(`${_id} ${createdAt.getTime()} ${message.to}`, message);
      return { status };
    } catch (error) {
      const failure = mailFailureOf(error);
      const { reason, isPermanent } = failure;
      logger.warn({ mail: _id, purpose, attempts, reason, isPermanent }, 'an email was not sent');
      return { failure };
    }
  }

  /**
   * Sends a message to each address, so that it does not show other addresses, and is retried
   * alone. Resolves with undefined when the attempt ended early, because the runner stops or
   * another server took the email.
   */
  async function send(mail: MailDocument, signal: AbortSignal): Promise<MailResult | undefined> {
    let isTaken = mail.taken !== undefined;
    let reason = mail.reason;
    let bounced: true | undefined;
    let attempt: { at: Date; status?: number; error?: string } | undefined;
    const ended = (): MailResult => {
      const end = isTaken ? { state: 'sent' as const } : { state: 'failed' as const, reason, bounced };
      return { ...end, attempt };
    };
    if (attemptNumber(mail) > MAX_ATTEMPTS) {
      reason ??= 'INTERRUPTED';
      if (!isTaken) attempt = { at: new Date(now()), ...failureOfReason('INTERRUPTED') };
      return ended();
    }
    const rendered = await render(mail);
    if (!rendered) return isTaken ? ended() : { state: 'dropped' };
    const settled = new Set([...(mail.taken ?? []), ...(mail.refused ?? [])]);
    let needsRetry = false;
    let takenUntil = mail.nextAt.getTime();
    for (const to of rendered.to) {
      const hash = mailHash(mail, to);
      if (settled.has(hash)) continue;
      // Later another server may take it, if this one stalled.
      if (signal.aborted || now() >= takenUntil) return undefined;
      const { failure, status } = await trySending(mail, { ...rendered, to });
      if (failure) reason = failure.reason;
      else isTaken = true;
      // The failure of one address stays, whatever follows.
      if (failure || attempt?.error === undefined) attempt = attemptOf(failure?.shown, status);
      const isOpen = failure !== undefined && !failure.isPermanent;
      needsRetry ||= isOpen;
      // A server that does not answer, or refuses the service, does so for all addresses.
      if (failure && !failure.isOfMessage) break;
      // The result of the only address is the one of the email.
      if (rendered.to.length === 1) {
        bounced = failure?.isPermanent || undefined;
        break;
      }
      const settledAs = failure ? 'refused' : 'taken';
      const extendedAt = now();
      if (!(await queue.extendClaim(mail, isOpen ? {} : { [settledAs]: hash }))) return undefined;
      takenUntil = extendedAt + CLAIM_MS;
    }
    return needsRetry ? { state: isTaken ? 'sent' : 'failed', reason, needsRetry, attempt } : ended();
  }

  const attemptOf = (failure: ShownFailure | undefined, status: number | undefined) => ({
    at: new Date(now()),
    ...(failure ?? (status !== undefined && { status })),
  });

  return {
    name: MAIL_JOB,
    everyMs: EVERY_MS,
    hasWork: (hasAny) => hasAny([queue.anyDue()]),
    async run({ signal, stillOwner }) {
      const ids = await queue.dueIds(BATCH);
      const limit = pLimit(MAX_CONNECTIONS);
      let sent = 0;
      const all = ids.map((id) =>
        limit(async () => {
          if (signal.aborted || !stillOwner()) return;
          const mail = await queue.claim(id);
          if (!mail) return;
          const result = await send(mail, signal);
          if (!result) return;
          if (result.state === 'sent' && !result.needsRetry) sent += 1;
          const state = await queue.settle(mail, result);
          const shown = state && shownState(state);
          if (shown) countAttempt({ purpose: shownPurpose(mail), result: shown });
        }),
      );
      // Waits for all, also when one fails because the database is unavailable.
      const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
      if (sent > 0) logger.info({ mails: sent }, 'sent emails');
      if (failed) throw failed.reason;
      return ids.length === BATCH;
    },
  };
}

/** Identifies an address in a stored email, which contains none. */
function mailHash({ _id }: MailDocument, address: string): string {
  return createHash('sha256').update(`${_id} ${address}`).digest('base64url').slice(0, 22);
}
