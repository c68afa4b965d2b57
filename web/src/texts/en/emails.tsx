import type { ReactNode } from 'react';
import { FAILURE_WORDS, type FailureCause } from '#src/platform/languages/mail-failures.ts';
import type { Mail } from '../../api/endpoints.ts';
import { plural } from '../format.ts';

export const emails = {
  list: 'Sent emails',
  table: 'Table of sent emails',
  state: 'State',
  allStates: 'All states',
  states: { waiting: 'Waiting', sent: 'Sent', failed: 'Failed' } satisfies Record<Mail['state'], string>,
  email: 'Email',
  purposes: {
    confirmation: 'Confirmation of the email address',
    change: 'Confirmation of a change',
    reply: 'Reply to a submission',
    entry: 'Link to an entry',
    notification: 'Notification of your team',
    digest: 'Numbers of a day',
  } satisfies Record<Mail['purpose'], string>,
  to: { person: 'To the person', operators: 'To your team' } satisfies Record<Mail['to'], string>,
  record: 'Record',

  none: 'No emails yet',
  noneInState: 'No emails in this state',
  noneNote: 'Each email of the last 30 days is listed here, with its attempts. No address is kept with it.',

  attempts: (count: number) => plural(count, { one: '# attempt', other: '# attempts' }),
  taken: 'The mail server took it',
  notForAll: (reason: string) => `Not for every address: ${reason}`,
  status: (status: number) => `Status ${status}`,
  nextAttemptAt: (time: ReactNode) => <>Next attempt {time}</>,
  nextAttemptSoon: 'Next attempt in a moment',
  retry: 'Send again',
  retryOf: (email: string) => `Send again: ${email}`,

  test: 'Send test email',
  tested: 'The mail server took the test email',
  testedNote: 'If it does not arrive, look among the unwanted emails.',
  testFailed: 'The test email was not sent',

  failing: (reason: string) => `An email could not be sent: ${reason}`,
  /** Why an email was not sent, as the end of a sentence. */
  reasons: { ...FAILURE_WORDS, unknown: 'the cause is unknown' } as Record<FailureCause, string>,
};
