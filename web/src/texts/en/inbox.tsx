import { plural } from '../format.ts';

export const inbox = {
  title: 'Inbox',
  note: 'Every submission as it came, newest first, also when somebody writes again.',
  ends: (days: number) =>
    `Each is deleted after ${plural(days, { one: '# day', other: '# days' })}, a setting of Privacy. Records stay.`,
  list: 'Submissions',
  new: 'New',
  show: (count: string, isLeast: boolean) => `Show ${count}${isLeast ? ' or more' : ''}`,
  nothing: 'No submissions yet',
  nothingNote: 'Submissions appear here as they arrive.',
  noMatch: 'No submissions match',
  noneYet: 'No match so far',
  noneYetNote: 'The search is not finished. Go on with older submissions.',
  keepsNone: 'This app keeps no submissions',
  keepsNoneNote: 'Each record shows the newest values only. Keep submissions to see each one as it came.',
  goToSettings: 'Change what is kept',
};
