import { plural } from '../format.ts';

/** Texts of several pages. */
export const common = {
  cancel: 'Cancel',
  save: 'Save',
  delete: 'Delete',
  remove: 'Remove',
  edit: 'Edit',
  add: 'Add',
  close: 'Close',
  back: 'Back',
  next: 'Next',
  undo: 'Undo',
  tryAgain: 'Try again',
  showRecord: 'Show the record',
  email: 'Email',
  name: 'Name',
  time: 'Time',
  created: 'Created',
  updated: 'Updated',
  users: (count: number) => plural(count, { one: '# user', other: '# users' }),
  fields: (count: number) => plural(count, { one: '# field', other: '# fields' }),
  items: (count: number) => plural(count, { one: '# item', other: '# items' }),
  changes: (count: number) => plural(count, { one: '# change', other: '# changes' }),
  storedRecords: (count: number) => plural(count, { one: '# stored record', other: '# stored records' }),
  unsavedChanges: (count: number) => plural(count, { one: '# unsaved change', other: '# unsaved changes' }),
  recoveryCodes: (count: number) => plural(count, { one: '# recovery code', other: '# recovery codes' }),
};
