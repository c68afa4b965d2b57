import pLimit from 'p-limit';
import type { Logger } from '../../core/logger.ts';
import type { Job } from '../../jobs/job-runner.ts';
import { MAX_CONNECTIONS, type Mailer } from '../../mail/mailer.ts';
import type { RenderMail } from '../messages/mail-renderer.ts';
import type { MailQueue } from './mail-queue.ts';
import { createMailSender } from './mail-sender.ts';

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
  queue: Pick<MailQueue, 'dueIds' | 'claim' | 'goOn' | 'settle'>;
  render: RenderMail;
  mailer: Pick<Mailer, 'send'>;
  logger: Logger;
}): Job {
  const { queue, logger } = deps;
  const send = createMailSender(deps);

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
          const result = await send(mail, signal);
          if (!result) return;
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
