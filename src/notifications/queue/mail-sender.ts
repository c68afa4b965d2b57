import { createHash } from 'node:crypto';
import type { Logger } from '../../core/logger.ts';
import { type Mailer, MailFailure, type Message } from '../../mail/mailer.ts';
import type { RenderMail } from '../messages/mail-renderer.ts';
import { MAX_ATTEMPTS, type MailQueue, type MailResult, TAKEN_FOR_MS } from './mail-queue.ts';
import type { MailDocument } from './mails.model.ts';

const UNKNOWN = new MailFailure('UNKNOWN', { isPermanent: false, isOfMessage: false });

/**
 * Creates what makes one attempt to send an email. Each address receives a message of its own, so
 * that it sees no other one, and one that is refused for now is tried again without the others.
 *
 * The result is undefined when the attempt ended early, because the runner stops or another server
 * took the email.
 */
export function createMailSender(deps: {
  queue: Pick<MailQueue, 'goOn'>;
  render: RenderMail;
  mailer: Pick<Mailer, 'send'>;
  logger: Logger;
}) {
  const { queue, render, mailer, logger } = deps;

  /** Sends one message; resolves with why it was not sent. */
  async function failureOf({ _id, purpose, attempts }: MailDocument, message: Message) {
    try {
      await mailer.send(`${_id} ${message.to}`, message);
      return undefined;
    } catch (error) {
      const failure = error instanceof MailFailure ? error : UNKNOWN;
      const { reason, isPermanent } = failure;
      logger.warn({ mail: _id, purpose, attempts, reason, isPermanent }, 'an email was not sent');
      return failure;
    }
  }

  return async (mail: MailDocument, signal: AbortSignal): Promise<MailResult | undefined> => {
    let isTaken = mail.taken !== undefined;
    let reason = mail.reason;
    const ended = (): MailResult => (isTaken ? { state: 'sent' } : { state: 'failed', reason });
    if (mail.attempts > MAX_ATTEMPTS) {
      reason ??= 'INTERRUPTED';
      return ended();
    }
    const rendered = await render(mail);
    if (!rendered) return isTaken ? ended() : { state: 'dropped' };
    const settled = new Set([...(mail.taken ?? []), ...(mail.refused ?? [])]);
    let needsRetry = false;
    let takenUntil = mail.nextAt.getTime();
    for (const to of rendered.to) {
      const hash = hashOf(mail, to);
      if (settled.has(hash)) continue;
      // After that another server may take it, if this one stalled.
      if (signal.aborted || Date.now() >= takenUntil) return undefined;
      const failure = await failureOf(mail, { ...rendered, to });
      if (failure) reason = failure.reason;
      else isTaken = true;
      const isOpen = failure !== undefined && !failure.isPermanent;
      needsRetry ||= isOpen;
      // A server that does not answer, or refuses the service, does so for all addresses.
      if (failure && !failure.isOfMessage) break;
      // The result of the only address is the one of the email.
      if (rendered.to.length === 1) break;
      const settledAs = failure ? 'refused' : 'taken';
      const goesOnAt = Date.now();
      if (!(await queue.goOn(mail, isOpen ? {} : { [settledAs]: hash }))) return undefined;
      takenUntil = goesOnAt + TAKEN_FOR_MS;
    }
    return needsRetry ? { state: 'retry', reason, isTaken } : ended();
  };
}

/** Stands for an address in a stored email, which has none. */
function hashOf({ _id }: MailDocument, address: string): string {
  return createHash('sha256').update(`${_id} ${address}`).digest('base64url').slice(0, 22);
}
