import { plural } from '../format.ts';

export const overview = {
  title: 'Overview',
  note: 'What fails comes first, then the latest submissions',
  table: 'Table of what happens',
  tasks: 'Needs attention',
  noTasks: 'Nothing fails, and nothing waits for you.',
  held: (count: number) => plural(count, { one: '# held submission', other: '# held submissions' }),
  webhooksFailing: (count: number) => plural(count, { one: '# webhook fails', other: '# webhooks fail' }),
  mailsFailing: (count: number) =>
    plural(count, { one: '# email could not be sent', other: '# emails could not be sent' }),
  submissions: 'Submissions',
  chart: 'Submissions per day (UTC)',
  today: 'Today',
  week: '7 days',
  days: (count: number) => plural(count, { one: '# day', other: '# days' }),
  last: 'Last submission',
  stored: 'Stored',
  people: 'People',
  files: 'Files',
  nothing: 'No submission yet',
  nothingNote: 'Share the link of the form, or put it on your website. What people send is counted here.',
  noApps: 'No app yet',
  noAppsNote: 'An overview of each app appears here.',
  partial: 'Counting took too long, so some numbers are missing. They appear when the counts are ready.',
};
