import type { ReactNode } from 'react';
import { plural } from '../format.ts';

const eraseNote = (place: string) =>
  `This deletes everything that is stored about this person in ${place}: records with their files and consents, messages ` +
  'of the inbox, the history of changes, held submissions, and what imports, emails and webhooks still have. A later ' +
  'submission with the same email creates a new record.';

export const privacy = {
  title: 'Privacy',
  noteOfApp: (sourceAppId: string) => `What is stored about a person in ${sourceAppId}, to export or to erase`,
  noteWithRetention: (sourceAppId: string) =>
    `What is stored about a person in ${sourceAppId}, to export or to erase, and how long it is kept`,
  noteOfAllApps: 'What is stored about a person in all apps, to export or to erase',
  person: 'A person’s data',

  search: {
    label: 'Email, or a part of it',
    find: 'Find',
    searching: 'Searching…',
    found: (count: number) => plural(count, { one: '# person found', other: '# people found' }),
    foundSoFar: (count: number) => plural(count, { one: '# person found so far', other: '# people found so far' }),
    persons: 'People',
    noRecord: 'No record. Other data may exist, such as messages of the inbox or held submissions.',
    searchOn: 'Search on',
    showDataOf: (email: string) => `Show data of ${email}`,
    showData: 'Show data',
  },

  card: {
    dataOf: (email: string) => `Data of ${email}`,
    export: 'Export everything',
    erase: 'Erase everything',
    eraseInAllApps: 'Erase in all apps',
    loading: 'Loading',
    nothing: 'Nothing is stored about this person.',
    data: 'Held data',
    kinds: {
      delivery: 'Event for a webhook',
      mail: 'Email in the queue',
      'import-line': 'Line of an import',
      'import-reject': 'Refused line of an import',
      record: 'Record',
      held: 'Held submission',
      history: 'Change in the history',
      submission: 'Kept submission',
      change: 'Change of many records',
      view: 'Saved view that names the person',
      condition: 'Condition that names the person',
      suppression: 'Block on imports of this person',
    },
    inApp: (kind: string, sourceAppId: string) => `${kind} in ${sourceAppId}`,
    inAllApps: (kind: string) => `${kind} in all apps`,
    open: 'Open',
    eraseInThisApp: 'Erase in this app',
    eraseInThisAppNamed: (sourceAppId: string) => `Erase in this app: ${sourceAppId}`,

    erased: 'Erased',
    erasedCounts: {
      records: (count: number) => plural(count, { one: '# record', other: '# records' }),
      held: (count: number) => plural(count, { one: '# held submission', other: '# held submissions' }),
      deliveries: (count: number) => plural(count, { one: '# delivery', other: '# deliveries' }),
      mails: (count: number) => plural(count, { one: '# email', other: '# emails' }),
      importLines: (count: number) => plural(count, { one: '# line of imports', other: '# lines of imports' }),
      submissions: (count: number) => plural(count, { one: '# kept submission', other: '# kept submissions' }),
      history: (count: number) => plural(count, { one: '# change in the history', other: '# changes in the history' }),
      changes: (count: number) =>
        plural(count, { one: '# change of many records', other: '# changes of many records' }),
      views: (count: number) => plural(count, { one: '# saved view', other: '# saved views' }),
      conditions: (count: number) => plural(count, { one: '# condition', other: '# conditions' }),
    },
    receipt: (id: ReactNode, time: ReactNode, erased: string) => (
      <>
        Receipt {id}, {time}: {erased}. The receipt has no personal data.
      </>
    ),
    receiptText: (id: string, at: string, erased: string) => `Erasure ${id} at ${at}: ${erased}`,
    copyReceipt: 'Copy receipt',
  },

  /** Names of the members of stored data. */
  members: {
    id: 'ID',
    email: 'Email',
    schemaVersion: 'Schema version',
    createdAt: 'Created',
    updatedAt: 'Updated',
    confirmedAt: 'Email confirmed',
    consents: 'Consents',
    reason: 'Reason',
    at: 'Time',
    page: 'Page',
    import: 'Import',
    line: 'Line',
    text: 'Text',
    purpose: 'Purpose',
    state: 'State',
    type: 'Event',
    record: 'Record',
    attempts: 'Attempts',
    ms: 'Milliseconds',
    status: 'Status',
    error: 'Error',
    response: 'Response',
    revision: 'Revision',
    by: 'Origin',
    changes: 'Changes',
    set: 'New values',
    unset: 'Removed values',
    name: 'Name',
    query: 'Filter',
    if: 'Condition',
    webhook: 'Webhook',
  },
  account: 'Somebody with an account',
  key: 'An API key',
  mailPurposes: {
    confirmation: 'Confirmation of the email address',
    change: 'Confirmation of a change',
    reply: 'Reply to a submission',
    entry: 'Link to the entry',
    each: 'Notice of a submission',
    summary: 'Summary of several submissions',
    digest: 'Daily summary',
  },
  mailStates: {
    due: 'Not sent yet',
    summed: 'Part of a summary',
    sent: 'Sent',
    failed: 'Could not be sent',
    dropped: 'Not needed',
  },
  searchFor: (text: string) => `Search for “${text}”`,

  erasing: {
    inAllApps: 'Erase in all apps',
    inApp: (sourceAppId: string) => `Erase in ${sourceAppId}`,
    noteInAllApps: eraseNote('all apps'),
    noteInApp: eraseNote,
    action: 'Erase permanently',
    suppress: 'No import may bring the person back',
    suppressNote: 'Keeps only a keyed hash of the email.',
  },

  retention: {
    title: 'Retention',
    now: (setting: string) => `Now: ${setting}`,
    erase: 'Erase people automatically',
    days: 'Days',
    countedFrom: 'Counted from',
    bases: { updatedAt: 'the last change', createdAt: 'the creation' },
    check: 'Check and save',
    saved: 'Retention saved',
    kept: 'People are kept until somebody erases them.',
    erasedAfter: {
      updatedAt: (days: number) =>
        plural(days, {
          one: 'People are erased # day after the last change.',
          other: 'People are erased # days after the last change.',
        }),
      createdAt: (days: number) =>
        plural(days, {
          one: 'People are erased # day after the creation.',
          other: 'People are erased # days after the creation.',
        }),
    },

    counting: 'Counting the people that this would erase…',
    appId: 'App ID',
    save: 'Save retention',
    noneNow: 'Nobody has reached this age yet. People are erased when they reach it.',
    someNow: (count: number) => (
      <>
        <strong>{plural(count, { one: '# person', other: '# people' })}</strong>{' '}
        {plural(count, { one: 'has', other: 'have' })} reached this age and will be erased permanently within an hour.
        Other people follow when they reach it.
      </>
    ),
    manyNow: (count: number) => (
      <>
        <strong>{plural(count, { one: 'At least # person', other: 'At least # people' })}</strong>{' '}
        {plural(count, { one: 'has', other: 'have' })} reached this age and will be erased permanently within an hour.
        Other people follow when they reach it.
      </>
    ),
  },

  history: {
    title: 'History of changes',
    saved: 'History saved',
    savedNote: 'The settings apply now',
    note: 'Changes by your team and by imports are always kept, with the values before, so that they can be undone.',
    submissions: 'Keep submissions too, as they came: in the inbox and in the history',
    days: 'How long changes and submissions are kept',
    inDays: 'In days',
    save: 'Save history settings',
  },
};
