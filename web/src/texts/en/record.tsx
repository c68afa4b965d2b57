import type { ReactNode } from 'react';
import { formatNumber, plural } from '../format.ts';

export const record = {
  users: 'Users',
  neighbours: 'Users of the list',
  previous: 'Previous user',
  next: 'Next user',
  erase: 'Erase user',
  editTitle: (email: string) => `Edit ${email}`,
  notFound: 'User not found',
  noSuchUser: 'No user has this ID',
  goToUsers: 'Go to users',
  notFoundNote: 'The user may have been erased or may belong to another app.',

  facts: 'About this record',
  schemaVersion: 'Schema version',
  olderVersion: (version: number, newest: number) => `${version} (newest: ${newest})`,
  confirmation: 'Confirmation',
  confirmed: (time: ReactNode) => <>Email confirmed {time}</>,
  notConfirmed: 'Email not confirmed',
  notAskedFor: 'Not asked for',
  consents: 'Consents',
  noConsents: 'None recorded',

  data: 'Data',
  ofSchemaVersion: (version: number) => `Schema version ${version}`,
  ofOlderVersion: (version: number, newest: number) => `Schema version ${version} (newest: ${newest})`,
  noSingleValues: 'This schema version has no single-value fields.',
  otherData: 'Other data',
  notInVersion: (version: number) => `Not in schema version ${version}`,
  removeKey: (key: string) => `Remove ${key}`,
  recordId: (id: string) => `Record ID: ${id}`,
  requiredField: (key: string) => `${key} · required`,

  noItems: 'No items yet',
  showMore: (count: number, total: number) => `Show ${formatNumber(count)} more of ${formatNumber(total)}`,
  unknownTime: 'Unknown time',
  removeItem: (time: string) => `Remove the item of ${time}`,
  emptyItem: 'Empty item',

  change: 'Change',
  agreed: (consent: string, version: string) => `Agreed to “${consent}” (version ${version})`,
  withdrew: (consent: string, version: string) => `Withdrew “${consent}” (version ${version})`,
  keyInVersion: (key: string, version: number) => `${key} · schema version ${version}`,
  onPage: (page: string) => `On ${page}`,

  showLess: 'Show less',
  showAll: (characters: number) => `Show all ${formatNumber(characters)} characters`,

  erased: 'User erased',
  erasedNote: (email: string) => `All data of ${email} was deleted`,
  erasePermanently: 'Erase permanently',
  eraseNote:
    'This deletes the record and all its list items from the database. A later submission with the same email ' +
    'creates a new record.',

  editing: {
    saved: 'Saved',
    saveMine: 'Save my values',
    conflict: 'This user was changed meanwhile',
    otherFields: 'The changes concern other fields. Save again to add yours.',
    nowStored: 'Now stored:',
    takeStored: (count: number) => plural(count, { one: 'Take the stored value', other: 'Take the stored values' }),
    changedMeanwhile: 'The user was changed meanwhile',

    leave: 'Discard what you changed?',
    stay: 'Keep editing',
    discard: 'Discard',

    noValue: 'No value',
    yes: 'Yes',
    no: 'No',
    dateNote: 'A date, or a date and time with its zone',

    removed: 'Removed',
    removeTitle: (key: string) => `Remove ${key}?`,
    removeItemTitle: (list: string) => `Remove the item of ${list}?`,
    removeNote: 'This removes it from the record. The history keeps it, so it can be undone.',
    removeAnyway: 'Remove it anyway?',
  },

  history: {
    title: 'History',
    nothing: 'No changes by people or imports are kept',
    undoChange: (revision: number) => `Undo change ${revision}`,
    showEarlier: 'Show earlier changes',
    omitted: 'Too large to keep',
    notShown: 'Not shown',
    removed: 'Removed',
    added: 'Added',
    before: 'Before:',
    after: 'After:',
    nothingUndone: (reasons: string) => `Nothing was undone: ${reasons}`,
    submitted: 'Submitted',
    import: 'Import',
    scan: 'Virus scanner',
    sharedLogIn: 'Shared log-in',
    undidChanges: (who: string) => `${who} undid changes`,
    undidChange: (who: string, revision: number) => `${who} undid change ${revision}`,
    manyAtOnce: (who: string) => `${who}, many users at once`,

    undone: 'Undone',
    undoneNote: 'The values before the change are stored',
    tooManyFollowed: 'Too many changes followed; see the history of the user',
    notUndone: 'Not undone',
    changeStored: (email: string) => `The change of ${email} is stored`,
  },
};
