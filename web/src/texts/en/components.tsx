import type { ReactNode } from 'react';
import { plural } from '../format.ts';

export const components = {
  actions: 'Actions',
  actionsFor: (name: string) => `Actions for ${name}`,

  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The text was not copied. Select and copy it',

  pages: 'Pagination',
  newer: 'Newer',
  older: 'Older',
  previous: 'Previous',
  rowsPerPage: 'Rows per page',
  rows: (count: number) => plural(count, { one: '# row', other: '# rows' }),

  notLoaded: 'Could not load the data',
  loading: 'Loading',
  clear: 'Clear',
  dismiss: 'Dismiss',

  secretOnce: "You won't see this again",
  copySecret: { password: 'Copy password', link: 'Copy link', key: 'Copy key', secret: 'Copy secret' },
  savedSecret: {
    password: "I've saved this password",
    link: "I've saved this link",
    key: "I've saved this key",
    secret: "I've saved this secret",
    'these codes': "I've saved these codes",
  },
  done: 'Done',

  leave: 'Discard what you changed?',
  stay: 'Keep editing',
  discard: 'Discard',
  leavePage: 'What you changed is not saved. Leave this page and discard it?',

  typeToConfirm: (expected: ReactNode) => (
    <>
      This cannot be undone. Type <strong className="breaks">{expected}</strong> to confirm.
    </>
  ),

  seconds: (count: number) => plural(count, { one: '# second', other: '# seconds' }),
  minutes: (count: number) => plural(count, { one: '# minute', other: '# minutes' }),
  justNow: 'just now',
  yes: 'Yes',
  no: 'No',
  noValue: 'No value',
  files: (count: number) => plural(count, { one: '# file', other: '# files' }),
  infected: 'Infected',

  export: 'Export',
  exportFailed: 'Export failed',

  language: 'Language',
  broken: 'Something went wrong',
  brokenNote: 'The dashboard could not show this page. Your stored data is not affected.',
  reload: 'Reload page',

  // Messages about requests. They are shown with a full stop.
  unreachable: 'Could not reach the service',
  errorStatus: (status: number) => `The service responded with status ${status}`,

  logInFailed: 'Log-in failed',
};
