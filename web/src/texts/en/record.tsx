import type { ReactNode } from 'react';
import { formatNumber, plural } from '../format.ts';

export const record = {
  users: 'People',
  neighbours: 'People of the list',
  previous: 'Previous person',
  next: 'Next person',
  erase: 'Erase person',
  editTitle: (email: string) => `Edit ${email}`,
  notFound: 'Person not found',
  noSuchUser: 'No person has this ID',
  goToUsers: 'Go to people',
  notFoundNote: 'The person may have been erased or may belong to another app.',

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
  addFile: (field: string) => `Add a file to ${field}`,
  fileAdded: (name: string) => `${name} was added`,
  fileRefused: 'The file was not added',
  removeFile: (name: string) => `Remove the file ${name}`,
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

  erased: 'Person erased',
  erasedNote: (email: string) => `All data of ${email} was deleted`,
  erasePermanently: 'Erase permanently',
  eraseNote:
    'This deletes the record and all its list items from the database. A later submission with the same email ' +
    'creates a new record.',

  email: {
    title: 'Change the email',
    label: 'New email',
    action: 'Change email',
    changed: 'Email changed',
    note:
      'The record keeps its data, consents and history. Links that were sent to the old email end, and the new ' +
      'email counts as not confirmed.',
    taken: 'Another person has this email.',
    openOther: 'Open that record',
    changeAnyway: 'Change the email anyway?',
  },

  editing: {
    saved: 'Saved',
    saveMine: 'Save my values',
    conflict: 'This person was changed meanwhile',
    otherFields: 'The changes concern other fields. Save again to add yours.',
    nowStored: 'Now stored:',
    takeStored: (count: number) => plural(count, { one: 'Take the stored value', other: 'Take the stored values' }),
    changedMeanwhile: 'The person was changed meanwhile',

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
    nothing: 'No changes by your team or by imports are kept',
    undoChange: (revision: number) => `Undo change ${revision}`,
    showEarlier: 'Show earlier changes',
    omitted: 'Too large to keep',
    emailChanged: 'Changed. The history does not keep emails.',
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
    undidImport: (who: string) => `${who} undid an import`,
    undidChange: (who: string, revision: number) => `${who} undid change ${revision}`,
    manyAtOnce: (who: string) => `${who}, many people at once`,

    undone: 'Undone',
    undoneNote: 'The values before the change are stored',
    tooManyFollowed: 'Too many changes followed; see the history of the person',
    notUndone: 'Not undone',
    changeStored: (email: string) => `The change of ${email} is stored`,
  },
};
