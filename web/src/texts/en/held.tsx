import type { ReactNode } from 'react';
import { formatNumber, plural } from '../format.ts';

export const held = {
  title: 'Held submissions',
  note: 'Bot protection holds these submissions for 30 days. Release those that a person sent, and delete the others.',
  heldCount: (count: number) => plural(count, { one: '# submission held', other: '# submissions held' }),
  trapped: (count: number) => (
    <>
      <strong>{formatNumber(count)}</strong> filled in a field that people do not see, as programs do.
    </>
  ),
  unproved: (count: number, settings: ReactNode) => (
    <>
      <strong>{formatNumber(count)}</strong> came without a proof of work: the form was sent without JavaScript, or its
      page is not an https page. Embed, Enhanced form and Link on the Share page send a proof of work. To store plain
      forms at once, choose another protection in {settings}. The sender reads that somebody will look at the entries.
    </>
  ),
  unchecked: (count: number) => (
    <>
      <strong>{formatNumber(count)}</strong> came without a solved challenge, or its provider could not be reached.
    </>
  ),
  protectionSettings: 'Bot protection settings',
  settingsOfForm: 'the settings of the form',
  nothing: 'Nothing is held',
  noOlder: 'No older submissions',
  nothingNote:
    'A submission is held when the hidden field of its form was filled in, as programs do, or when the form was ' +
    'sent without JavaScript while proof of work is on. In the second case the sender reads that somebody will ' +
    'look at it.',
  stored: (email: string) => `The submission of ${email} is stored.`,
  notStored: (email: string) => `The submission of ${email} was not stored`,
  deleteTitle: 'Delete this submission?',
  deleteNote: (email: ReactNode) => (
    <>
      The submission of <strong>{email}</strong> is deleted. This cannot be undone.
    </>
  ),

  table: 'Table of held submissions',
  data: 'Data',
  reason: 'Reason',
  reasons: {
    honeypot: 'The hidden field was filled in',
    'no-proof': 'Sent without proof of work',
    'no-captcha': 'Sent without a solved challenge',
    'captcha-away': 'The provider could not be reached',
  },
  release: 'Release',
  releaseOf: (email: string) => `Release ${email}`,
  deleteOf: (email: string) => `Delete ${email}`,
  noData: 'None',
  more: (count: number) => `${formatNumber(count)} more`,
};
