import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/core/logger.ts';
import { type Block, renderContent } from '../../platform/mail/content.ts';
import { MailFailure } from '../../platform/mail/failure.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';

const PAUSES_MS = [2_000, 15_000];
const MAX_IN_PROGRESS = 100;

/** What an account is told of, because somebody else may have done it. */
export type AccountChange =
  | 'password'
  | 'authenticator app added'
  | 'authenticator app removed'
  | 'passkey added'
  | 'passkey removed'
  | 'single sign-on added';

/** The emails of the service to its staff. Each kind has its own text and at most one link. */
export type AccountEmail =
  | { kind: 'invitation'; link: string; app: string | undefined; role: string }
  | { kind: 'reset'; link: string }
  | { kind: 'changed'; what: AccountChange };

export type AccountMail = ReturnType<typeof createAccountMail>;

export function createAccountMail(mailer: Mailer | undefined, logger: Logger) {
  let inProgress = 0;

  async function deliver(mailer: Mailer, to: string, email: AccountEmail): Promise<void> {
    const id = randomUUID();
    const { subject, blocks } = compose(email);
    const message = { to, subject, ...renderContent(subject, blocks) };
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      try {
        await mailer.send(id, message);
        return;
      } catch (error) {
        const isFinal = pauseMs === undefined || (error instanceof MailFailure && error.isPermanent);
        const reason = error instanceof MailFailure ? error.reason : 'unknown';
        if (isFinal) return void logger.warn({ kind: email.kind, reason }, 'an email to an account was not sent');
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  return {
    isOn: mailer !== undefined,

    /** Sends an email in the background; it is tried again twice. Does nothing without a mailer. */
    send(to: string, email: AccountEmail): void {
      if (!mailer || inProgress >= MAX_IN_PROGRESS) return;
      inProgress += 1;
      void deliver(mailer, to, email).finally(() => {
        inProgress -= 1;
      });
    },
  };
}

function compose(email: AccountEmail): { subject: string; blocks: Block[] } {
  switch (email.kind) {
    case 'invitation': {
      const { app, role, link } = email;
      const place = app === undefined ? 'the whole service' : `the app ${app}`;
      return {
        subject: 'Your invitation',
        blocks: [
          { text: `You are invited to work on ${place}, as ${role}.` },
          { link, label: 'Accept the invitation' },
          { text: 'The link works once, for 7 days. If you did not expect this invitation, ignore this email.' },
        ],
      };
    }
    case 'reset':
      return {
        subject: 'Choose a new password',
        blocks: [
          { text: 'Somebody asked for a new password for the account with this email.' },
          { link: email.link, label: 'Choose a new password' },
          {
            text: 'The link works once, for one hour. If you did not ask for it, ignore this email: your password stays as it is.',
          },
        ],
      };
    case 'changed':
      return {
        subject: 'Your account was changed',
        blocks: [
          { text: `Changed: ${email.what}.` },
          { text: 'If you did not make this change, ask an administrator to end all your sessions.' },
        ],
      };
  }
}
