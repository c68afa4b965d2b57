import { failureOfReason } from '../../platform/mail/failure.ts';
import {
  attemptNumber,
  KEEP_MS,
  MAIL_PURPOSES,
  type MailAttempt,
  type MailDocument,
  type MailPurpose,
  type MailState,
  RETRY_AFTER_MS,
} from './mail-queue.ts';

/** What emails are for, as operators read it. */
export const SHOWN_PURPOSES = ['confirmation', 'change', 'reply', 'entry', 'notification', 'digest'] as const;
export type ShownPurpose = (typeof SHOWN_PURPOSES)[number];

/** Dropped emails, and changes that a summary counts, are not shown. */
export const SHOWN_STATES = ['waiting', 'sent', 'failed'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

const STATES: Readonly<Record<ShownState, MailState>> = { waiting: 'due', sent: 'sent', failed: 'failed' };

export const shownPurpose = ({ purpose }: Pick<MailDocument, 'purpose'>): ShownPurpose =>
  purpose === 'each' || purpose === 'summary' ? 'notification' : purpose;

/** Returns undefined for a state that is not shown. */
export const shownState = (state: MailState): ShownState | undefined =>
  SHOWN_STATES.find((shown) => STATES[shown] === state);

export const purposesOf = (wanted: ShownPurpose | undefined): MailPurpose[] =>
  MAIL_PURPOSES.filter((purpose) => wanted === undefined || shownPurpose({ purpose }) === wanted);

export const statesOf = (wanted: ShownState | undefined): MailState[] =>
  SHOWN_STATES.filter((state) => wanted === undefined || state === wanted).map((state) => STATES[state]);

const TO_PERSON: readonly MailPurpose[] = ['confirmation', 'change', 'reply', 'entry'];

/** An email as operators see it (spec 4.12): without an address and a value. */
export function presentMail(mail: MailDocument) {
  const { _id, purpose, recordId, createdAt, state, nextAt } = mail;
  const shown = shownState(state);
  return {
    id: _id,
    purpose: shownPurpose({ purpose }),
    to: TO_PERSON.includes(purpose) ? ('person' as const) : ('operators' as const),
    ...(recordId && { userId: recordId.toString() }),
    at: createdAt.toISOString(),
    state: shown ?? ('failed' as const),
    ...(shown === 'waiting' && { nextAt: nextAt.toISOString() }),
    attempts: (mail.log ?? attemptsOfEarlierVersion(mail)).map((attempt) => ({
      ...attempt,
      at: attempt.at.toISOString(),
    })),
  };
}

/** An earlier version stored the last reason only, and no time. */
function attemptsOfEarlierVersion(mail: MailDocument): MailAttempt[] {
  const { state, reason, nextAt, expiresAt } = mail;
  const failure = reason === undefined ? undefined : failureOfReason(reason);
  if (state === 'sent') return [{ at: new Date(expiresAt.getTime() - KEEP_MS) }];
  if (state === 'failed') return [{ at: new Date(expiresAt.getTime() - KEEP_MS), ...failure }];
  const waited = RETRY_AFTER_MS[attemptNumber(mail) - 1];
  return failure && waited !== undefined ? [{ at: new Date(nextAt.getTime() - waited), ...failure }] : [];
}
