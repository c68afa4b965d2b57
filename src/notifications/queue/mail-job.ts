import pLimit from 'p-limit';
import type { Logger } from '../../core/logger.ts';
import type { Job } from '../../jobs/job-runner.ts';
import { MAX_CONNECTIONS, type Mailer, MailFailure } from '../../mail/mailer.ts';
import type { RenderMail } from '../messages/mail-renderer.ts';
import { MAX_ATTEMPTS, type MailQueue, type MailResult } from './mail-queue.ts';
import type { MailDocument } from './mails.model.ts';

export const MAIL_JOB = 'mails';

/** How long an email waits at most that another server planned. */
const EVERY_MS = 5_000;
/** The emails of one step. */
const BATCH = 50;

/**
 * The job that sends planned emails, a few at a time. A server that dies leaves the emails that it
 * took to the next one (mail-queue.ts). The log names emails by id and purpose, and no person.
 */
export function createMailJob(deps: {
  queue: Pick<MailQueue, 'dueIds' | 'claim' | 'settle'>;
  render: RenderMail;
  mailer: Pick<Mailer, 'send'>;
  logger: Logger;
}): Job {
  const { queue, render, mailer, logger } = deps;

  async function send(mail: MailDocument): Promise<MailResult> {
    if (mail.attempts > MAX_ATTEMPTS) return { state: 'failed', reason: mail.reason ?? 'INTERRUPTED' };
    const message = await render(mail);
    if (!message) return { state: 'dropped' };
    try {
      await mailer.send(mail._id, message);
      return { state: 'sent' };
    } catch (error) {
      const { reason, isPermanent } = error instanceof MailFailure ? error : { reason: 'UNKNOWN', isPermanent: false };
      const { _id, purpose, attempts } = mail;
      logger.warn({ mail: _id, purpose, attempts, reason, isPermanent }, 'an email was not sent');
      return { state: isPermanent ? 'failed' : 'retry', reason };
    }
  }

  return {
    name: MAIL_JOB,
    everyMs: EVERY_MS,
    async run({ signal, stillOwner }) {
      const ids = await queue.dueIds(BATCH);
      const limit = pLimit(MAX_CONNECTIONS);
      let sent = 0;
      const all = ids.map((id) =>
        limit(async () => {
          if (signal.aborted || !stillOwner()) return;
          const mail = await queue.claim(id);
          if (!mail) return;
          const result = await send(mail);
          if (result.state === 'sent') sent += 1;
          await queue.settle(mail, result);
        }),
      );
      // All of them, also when one fails because the database is away.
      const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
      if (sent > 0) logger.info({ mails: sent }, 'sent emails');
      if (failed) throw failed.reason;
      return ids.length === BATCH;
    },
  };
}
