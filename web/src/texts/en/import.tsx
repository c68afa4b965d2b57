import type { ReactNode } from 'react';
import type { Import } from '../../api/endpoints.ts';
import type { ColumnSettings } from '../../import/column-draft.ts';
import { formatNumber, plural } from '../format.ts';
import { common } from './common.tsx';

type ColumnSetting = keyof ColumnSettings;

const result = (read: number, created: number, updated: number, unchanged: number, rejected: number): string =>
  plural(read, {
    one: `# line: ${counts(created, updated, unchanged, rejected)}`,
    other: `# lines: ${counts(created, updated, unchanged, rejected)}`,
  });

function counts(created: number, updated: number, unchanged: number, rejected: number): string {
  return (
    `${formatNumber(created)} created, ${formatNumber(updated)} updated, ` +
    `${formatNumber(unchanged)} unchanged, ${formatNumber(rejected)} rejected`
  );
}

export const imports = {
  users: 'People',
  title: 'Import',
  note: (app: string) =>
    `Create and change people of ${app} from a CSV or NDJSON file. A file is deleted when its import ends.`,
  file: 'File',
  fileNote: 'CSV with a header, one JSON object in each line (UTF-8 or UTF-16), or the ZIP archive of an export',
  chooseFile: 'Choose a file',
  removeFile: 'Remove the file',
  unreadable: 'The file cannot be read',
  empty: 'The file is empty',
  fileIsSpreadsheet: 'The file is a spreadsheet. Save it as CSV (in Excel: “CSV UTF-8”), and choose that file',
  fileIsWindows1252:
    'The file is encoded in Windows-1252, not in UTF-8. Save it again in UTF-8 (in Excel: as “CSV UTF-8”), and choose that file',
  noHeader: 'The first line of the file, which names the columns, cannot be read',
  invalidJson: 'The first lines of the file are not valid JSON',
  nothing: 'No imports yet',
  nothingNote:
    'Choose a file above. Before anything is stored, you choose what its columns mean, and can do a dry run.',
  lastImports: 'Imports of the last 30 days',

  isMapped: 'Each line has an email and its data, as an export writes it.',
  modes: {
    upsert: 'Create and update people',
    insert: 'Only create people',
    update: 'Only update people',
  } satisfies Record<Import['settings']['mode'], string>,
  lists: 'Lists',
  arrays: {
    append: 'Append to lists',
    replace: 'Replace lists',
  } satisfies Record<Import['settings']['arrays'], string>,
  invalidLines: 'Invalid lines',
  invalid: {
    skip: 'Leave out invalid lines',
    abort: 'Stop at an invalid line',
  } satisfies Record<Import['settings']['invalid'], string>,
  omitValues: 'Leave out values that do not fit',
  omitValuesNote: 'Other values of the line are imported. Without it, the line is rejected. Not for required fields',
  numbers: 'Numbers',
  proposed: 'Proposed from the values',
  dateFormat: 'Date format',
  dateFormatNote: 'Such as DD/MM/YYYY',
  timeZone: 'Time zone',
  timeZoneOfApp: 'The time zone of the app',
  timeZoneOfBrowser: 'That of your browser, for times without a zone',
  timeZoneNote: 'Such as Europe/Berlin',
  twoDateFormats: 'The dates of the file can be read in two ways',
  chooseFormat: (format: string) => `Use ${format}`,
  sent: 'Sent',
  sending: 'The file is being sent. Keep this page open until the import appears below.',
  dryRun: 'Dry run',
  start: 'Import',
  chooseEmail: 'Choose the column that has the email.',
  notStarted: 'The import was not started',

  columns: 'Columns of the file',
  column: 'Column',
  field: 'Field',
  firstValues: 'First values',
  fieldOf: (column: string) => `Field of ${column}`,
  leaveOut: 'Leave out',
  leftOut: (count: number, columns: string) =>
    `${plural(count, { one: '# column is', other: '# columns are' })} left out: ${columns}.`,
  addFields: (count: number, schema: ReactNode) =>
    count === 1 ? (
      <>To import it too, choose a field for it, or first add a field in {schema}.</>
    ) : (
      <>To import them too, choose a field for each, or first add fields in {schema}.</>
    ),
  askForFields: (count: number) =>
    plural(count, {
      one: 'To import it too, choose a field for it, or ask a manager of the app to add a field.',
      other: 'To import them too, choose a field for each, or ask a manager of the app to add fields.',
    }),
  otherKeys: 'Other data (JSON)',

  settings: 'Settings',
  settingsOf: (column: string) => `Settings of ${column}`,
  ofFile: 'As for the file',
  columnSettings: {
    dateFormat: 'Date format',
    timeZone: 'Time zone',
    decimal: 'Numbers',
    separator: 'Between choices',
    empty: 'Texts that mean no value',
    true: 'Texts that mean yes',
    false: 'Texts that mean no',
  } satisfies Record<ColumnSetting, string>,
  columnNotes: {
    dateFormat: 'Such as MM/DD/YY h:mm A',
    timeZone: 'Such as Europe/Berlin',
    decimal: '',
    separator: 'A semicolon by default',
    empty: 'Separated by commas, such as n/a, unknown',
    true: 'Separated by commas',
    false: 'Separated by commas',
  } satisfies Record<ColumnSetting, string>,
  becomes: 'The first values are read as',
  becomesOf: (column: string) => `How the first values of ${column} are read`,
  unread: (count: number, all: number) =>
    `${formatNumber(count)} of the first ${plural(all, { one: '# value', other: '# values' })} cannot be read`,
  unreadOf: (column: string) => `Further values of ${column} that cannot be read`,
  cannotBeRead: (problem: string) => `cannot be read: ${problem}`,
  noValue: 'no value',

  createField: 'Create a field',
  createFieldOf: (column: string) => `Create a field from ${column}`,
  createFields: (count: number) =>
    plural(count, { one: 'Create a field for # column', other: 'Create fields for # columns' }),
  createCount: (count: number) => plural(count, { one: 'Create # field', other: 'Create # fields' }),
  createNote:
    'Names, kinds and choices are proposed from the first lines of the file. The fields are saved in the schema at once.',
  newName: 'Name',
  newNameOf: (column: string) => `Name of the field for ${column}`,
  newKind: 'Kind',
  newKindOf: (column: string) => `Kind of the field for ${column}`,
  newChoices: 'Choices, one in each line',
  newChoicesOf: (column: string) => `Choices, one in each line, of the field for ${column}`,
  noValues: 'The first lines have no values',
  fieldsOfStaff: 'Only your team can set these fields',
  fieldsOfStaffNote: 'Otherwise forms that show all fields ask people for them.',
  fieldsNotCreated: 'The fields were not created',

  importOf: (name: string) => `Import of ${name}`,
  states: {
    uploading: 'Not started',
    running: 'Running',
    completed: 'Completed',
    aborted: 'Stopped at an invalid line',
    failed: 'Failed',
  } satisfies Record<Import['state'], string>,
  allRejected: 'All lines rejected',
  refused: (count: number) =>
    `Nothing was imported: ${plural(count, { one: 'the only line was', other: 'all # lines were' })} rejected.`,
  dryRunRefused: (count: number) =>
    `Nothing would be imported: ${plural(count, { one: 'the only line', other: 'all # lines' })} would be rejected.`,
  omitted: (count: number) => `${plural(count, { one: '# value was', other: '# values were' })} left out`,
  omittedValues: 'Values left out',
  omit: 'Leave these values out',
  omitNote: 'Imports the rejected lines again, without the values that do not fit.',
  omitDryRunNote: 'Checks the file again, without the values that do not fit.',
  reasons: 'Reasons',
  reasonsOfFirst: (count: number) => `Reasons of the first ${formatNumber(count)} rejected lines`,
  linesOfReason: (count: number, reason: string) => `${plural(count, { one: '# line', other: '# lines' })}: ${reason}`,
  rejectedLines: 'Rejected lines',
  stop: 'Stop and delete',
  deleteEntry: 'Delete this entry',
  progress: 'Progress of the import',
  result,
  dryRunResult: (read: number, created: number, updated: number, unchanged: number, rejected: number) =>
    `An import of ${plural(read, { one: '# line', other: '# lines' })} would have this result: ` +
    `${counts(created, updated, unchanged, rejected)}. Nothing was stored`,
  runningNext: 'You can leave this page: the import continues, and its result appears here.',
  uploadingNext:
    'The service does not have the whole file. If no page is sending it now, delete this entry and import the file again.',
  dryRunNextHere: 'To store the people, press “Import” above.',
  dryRunNext: 'To store the people, choose the file again and press “Import”.',
  usersStay: 'The file is deleted. The people stay, even when you delete this entry.',
  firstRejected: 'First rejected lines',
  problem: (line: number, message: string) => `Line ${line}: ${message}`,
  more: (count: number) => `${formatNumber(count)} more`,
  deleteTitle: 'Delete this import?',
  deleteNote:
    'The file and the rejected lines of the import are deleted. The people that the import created or changed stay.',
  deleteRunningNote:
    'The import stops. Its file and its rejected lines are deleted. The people that it created or changed stay.',
  deleteUndoingNote:
    'The undo stops, and cannot be continued. The file and the rejected lines of the import are deleted.',
  undoTitle: 'Undo this import?',
  undoNote:
    'People whom the import created are erased, unless somebody changed or submitted them since. In other people, ' +
    'values that the import replaced come back where they have not changed since. All others stay.',
  undoOnce: 'This takes place once, and erased people cannot be restored.',
  undoing: (done: number) => `Undoing: ${common.users(done)} processed`,
  undoingNext: 'You can leave this page: the undo continues.',
  undoProgress: 'Progress of the undo',
  undone: (erased: number, restored: number, kept: number) =>
    `Undone: ${common.users(erased)} erased, ${common.users(restored)} restored, ${common.users(kept)} kept.`,

  // Quoted texts are labels and values of the settings above.
  advice: {
    allRejected: (reason: string) => `Every line was rejected because: ${reason}`,
    firstRejected: (count: number, reason: string) => `Every line was rejected, the first ${count} because: ${reason}`,
    exists: 'These people exist. Set “People” to “Create and update people”.',
    missing: 'These people do not exist. Set “People” to “Create and update people”.',
    cells:
      'The lines and the header have different numbers of cells. Correct the header, or quote cells that contain the delimiter.',
    encoding: 'Save the file as UTF-8, and import it again.',
    email: 'Choose the column that has the emails: the chosen column has other values.',
    noDateFormat: (column: string) => `Set “Date format” to the format of ${column}, such as DD/MM/YYYY.`,
    dateFormat: (column: string, format: string) =>
      `The dates of ${column} are not like ${format}. Set another “Date format”.`,
    timeZone: 'Set “Time zone” to the time zone of the file, such as Europe/Berlin.',
    decimalPoint: 'Set “Numbers” to “1.5”.',
    decimalPointOrField: (column: string) => `Set “Numbers” to “1.5”, or choose another field for ${column}.`,
    decimalComma: (column: string) =>
      `Set “Numbers” to “1,5” if ${column} has a decimal comma, or choose another field for it.`,
    required: (column: string) =>
      `Choose the column of the file for ${column}, or set “People” to “Only update people”.`,
    choices: (column: string) =>
      `The field does not have the values of ${column}. Add them to the schema, or change the file.`,
    other: 'Change the file, or the schema.',
  },
};
