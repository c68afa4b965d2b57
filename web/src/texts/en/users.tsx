import { formatNumber, plural } from '../format.ts';
import { common } from './common.tsx';

const matching = (count: number) => plural(count, { one: '# matching person', other: '# matching people' });
const selected = (count: number) => plural(count, { one: '# selected person', other: '# selected people' });

export const users = {
  unread: 'Changed since your last visit',
  title: 'People',
  note: (sourceAppId: string) => `People who submitted to ${sourceAppId}`,
  import: 'Import',
  list: 'List of people',
  notDirectly: 'This page cannot be opened directly',
  notDirectlyNote:
    'In this order the list has too many people. Go to the first page, and open the next pages from there.',
  firstPage: 'Go to first page',
  emptyPage: 'No people on this page',
  fewerPages: 'The list has fewer pages.',
  noMatch: 'No people match',
  noMatchNote:
    'All filters must match. A filter with “is” matches the exact value; the search matches the beginnings of words.',
  showAll: 'Show all people',
  none: 'No people yet',
  noneNote: 'People appear here when a form submits them, or when you import a file.',
  importFile: 'Import a file',
  connect: 'Share the form',

  table: 'Table of people',
  newUsers: (count: number) => plural(count, { one: '# new person', other: '# new people' }),
  select: (email: string) => `Select ${email}`,
  editInTable: 'Edit in table',
  // Read aloud after the value of a cell.
  editCell: (field: string, email: string) => `, edit ${field} of ${email}`,
  editUser: (email: string) => `Edit ${email}`,
  chooseColumns: 'Choose columns',
  shownColumns: 'Columns to show',

  index: (field: string) => `Index ${field}`,
  askForIndex: (field: string) => `An administrator can index ${field}.`,

  // The subjects of a problem of a query: `The filter “Age at least x” must …`.
  places: {
    filter: (words: string) => `The filter “${words}”`,
    parts: { where: 'The filter', sort: 'The order', order: 'The order', q: 'The search', cursor: 'The page' },
    link: 'The link',
  },

  countingMatches: 'Counting the matching people…',
  noMatchLeft: 'No people match now.',

  statistics: {
    title: 'Statistics',
    ofMatching: 'Statistics of the matching people',
    users: 'People',
    matching: 'Matching people',
    newIn: (days: number) => `New in ${formatNumber(days)} days`,
    lastSubmission: 'Last submission',
    // The date follows.
    allOn: 'All created on',
    chart: (timeZone: string) => `New people per day (${timeZone})`,
  },

  search: {
    progress: 'Making search fast',
    progressOf: (done: number, total: number) => `Making search fast: ${formatNumber(done)} of ${common.users(total)}`,
    progressNext: 'Until then a search reads all people. You can leave this page.',
    index: 'Search index',
    note: 'A search reads all people.',
    enable: 'Make search fast',
    isOn: 'Search is fast: it uses an index.',
    disable: 'Remove the search index',
  },

  summary: {
    all: {
      exact: (count: number) => plural(count, { one: '# person', other: 'All # people' }),
      moreThan: (count: number) => `More than ${common.users(count)}`,
      atLeast: (count: number) => `At least ${common.users(count)}`,
    },
    matching: {
      exact: matching,
      moreThan: (count: number) => `More than ${matching(count)}`,
      atLeast: (count: number) => `At least ${matching(count)}`,
    },
    countExactly: 'Count exactly',
    counting: 'Counting…',
    noTime: 'Counting took too long: not all people are counted.',
    searched: (matches: number) =>
      plural(matches, {
        one: 'Searched part of the records: # match on this page so far',
        other: 'Searched part of the records: # matches on this page so far',
      }),
    stop: 'Stop',
    continue: 'Continue',
    sortedInPart:
      'Sorting all people takes too long. This page is sorted among those that were read; the next pages show the others.',
    sortedByText: 'In this order, letters such as ä and é come after z. Capital and small letters count the same.',
    indexSortsAll: 'With an index, all people are sorted.',
    notAPage: 'The service returned the whole list instead of a page',
  },

  pages: {
    of: (range: string, total: number) => `${range} of ${formatNumber(total)}`,
    ofMoreThan: (range: string, total: number) => `${range} of more than ${formatNumber(total)}`,
    number: 'Page number',
    go: 'Go',
  },

  filters: {
    search: 'Search all data',
    add: 'Add filter',
    title: 'Filters',
    remove: (filter: string) => `Remove filter: ${filter}`,
    removeAll: 'Remove all filters',

    field: 'Field',
    condition: 'Condition',
    from: 'From',
    to: 'To',
    apply: 'Apply',
    values: 'Values',
    value: 'Value',
    chooseValue: 'Choose a value',
    commas: 'Separated by commas. Write \\, for a comma in a value',
    separated: { ',': 'Separated by commas', ';': 'Separated by semicolons' },
    date: 'Date',
    daysBegin: 'Days begin at 00:00 UTC',
    number: 'Number',
    notNumber: 'Must be a number',
    text: 'Text',

    schemaVersion: 'Schema version',
    yes: 'Yes',
    no: 'No',
    // Comparisons of one type of field need different texts. A value follows, for example a date.
    comparisons: {
      isEmpty: 'is empty',
      isNotEmpty: 'is not empty',
      is: 'is',
      isNot: 'is not',
      isOneOf: 'is one of',
      contains: 'contains',
      beginsWith: 'begins with',
      includes: 'includes',
      includesOneOf: 'includes one of',
      atLeast: 'at least',
      atMost: 'at most',
      moreThan: 'more than',
      lessThan: 'less than',
      between: 'between',
      on: 'on',
      notOn: 'not on',
      before: 'before',
      onOrBefore: 'on or before',
      after: 'after',
      onOrAfter: 'on or after',
      exists: 'exists',
      doesNotExist: 'does not exist',
    },
    // For example `Age is empty` and `Age at least 18`.
    conditionOf: (field: string, comparison: string) => `${field} ${comparison}`,
    conditionOfValue: (field: string, comparison: string, value: string) => `${field} ${comparison} ${value}`,
  },

  views: {
    title: 'Views',
    current: (view: string) => `Views: ${view}`,
    shared: 'Shared views',
    own: 'My views',
    note: 'A view holds the filters, the search, the order and the columns.',
    copyLink: 'Copy link to this view',
    renameTitle: 'Rename view',
    rename: 'Rename',
    keep: 'Keep for myself',
    share: 'Share with everybody of the app',
    outdated: 'Somebody changed this view meanwhile',
    outdatedNote: 'Open it again to see the change, or save yours over it.',
    overwrite: 'Save mine over it',
    update: (view: string) => `Update “${view}”`,
    saveAs: 'Save this view as',

    unknown: 'This view cannot be opened',
    unknownNote: 'It was deleted, or it belongs to somebody else. Views that are shared open for everybody of the app.',
    incomplete: (view: string) => `“${view}” was opened without a part`,
    incompleteNote: 'The form no longer has these fields, or they have another type:',
    linkIncomplete: 'Parts of this link were left out',
    linkIncompleteNote: 'The form has no such fields: they were renamed or removed. The rest of the link is shown.',
    missing: {
      where: (filter: string) => `Filter: ${filter}`,
      columns: (column: string) => `Column: ${column}`,
      sort: (field: string) => `Order by ${field}`,
      by: (field: string) => `Breakdown by ${field}`,
    },
  },

  breakdown: {
    by: 'Break down by',
    choose: 'Break down by…',
    title: (field: string) => `Breakdown by ${field}`,
    countAll: 'Count all people',
    of: (count: number) => `Of ${common.users(count)}.`,
    ofPart: (count: number) =>
      `Counting all people takes too long: this shows the ${common.users(count)} that were read.`,
    limited: 'There are too many different values to find the most frequent ones with certainty.',
    press: 'Press a bar to filter.',
    timeZone: (timeZone: string) => `Time zone: ${timeZone}.`,
    noMatch: 'No people match.',

    bar: (value: string, count: number, share: string) => `${value}: ${common.users(count)}, ${share}`,
    otherValues: 'Other values',
    noValue: 'No value',
    range: (from: string, to: string) => `${from} – under ${to}`,
  },

  export: {
    selected: 'Export selected',
    users: 'People',
    started: 'Export started',
    startedNote: (users: string) =>
      `Your browser is downloading: ${users}. Its list of downloads shows when the file is complete`,
    saved: 'Export saved',
    savedNote: (users: string) => `Your browser saved: ${users}`,
    spreadsheets: 'CSV for spreadsheets',
    semicolons: 'With semicolons and a byte order mark, as Excel expects in your language',
    commas: 'With commas and a byte order mark, as Excel expects in your language',
    programs: 'CSV for programs',
    json: 'JSON (one array)',
    ndjson: 'NDJSON (one person per line)',
    zip: 'ZIP (CSV and all files)',
    options: 'Options for CSV',
    onlyShown: 'Only the columns of the table',
    labels: 'Labels as headers',
  },

  change: {
    open: 'Change a field',
    title: 'Change a field of many people',
    field: 'Field',
    chooseField: 'Choose a field',
    newValue: 'New value',
    changes: (count: number) => `Changes ${common.users(count)}. It can be undone.`,
    removes: (count: number) => `Removes the value of ${common.users(count)}. It can be undone.`,
    action: (count: number) => `Change ${common.users(count)}`,
    removeAction: (count: number) => `Remove the value of ${common.users(count)}`,

    preview: 'Preview',
    now: 'Now',
    after: 'After',
    more: (count: number) => `and ${formatNumber(count)} more`,

    processed: 'Processed people',
    leftTitle: 'Left as they are',
    refusedTitle: 'Not changed',
    stop: 'Stop',
    failed: (reason: string) => `Failed: ${reason}.`,
    changing: (done: number, total: number) => `Changing: ${formatNumber(done)} of ${common.users(total)}`,
    changingNext: 'You can leave this page: the change continues. You can undo the change when it has ended.',
    undoingNext: 'You can leave this page: the undo continues.',
    stoppingNext: 'The change stops. People who are changed already stay changed until you undo the change.',
    changed: (count: number) => `${common.users(count)} changed.`,
    hadValue: (count: number) =>
      plural(count, { one: '# person had this value already.', other: '# people had this value already.' }),
    hadNone: (count: number) => plural(count, { one: '# person had no value.', other: '# people had no value.' }),
    recent: 'Recent bulk changes',
    removed: 'removed',
    refused: (count: number) => `${common.users(count)} not changed.`,
    stopped: (done: number, total: number, changed: number) =>
      `Stopped after ${formatNumber(done)} of ${common.users(total)}; ${formatNumber(changed)} changed.`,
    undoing: (done: number, total: number) => `Undoing: ${formatNumber(done)} of ${common.users(total)}`,
    undone: (count: number) => `Undone: ${common.users(count)} restored.`,
    left: (count: number) => `${common.users(count)} left.`,
    undoStopped: (done: number, total: number) =>
      `The undo was stopped after ${formatNumber(done)} of ${common.users(total)}.`,
  },

  selection: {
    selectAll: 'Select all people shown',
    selected,
    selectedMost: (count: number, most: number) => `${selected(count)} (at most ${formatNumber(most)})`,
    clear: 'Clear selection',
    erase: 'Erase selected',
  },

  erasure: {
    open: 'Erase matching people',
    title: 'Erase people',
    titleSelected: 'Erase selected people',
    number: 'Number of people',
    action: (count: number) => `Erase ${common.users(count)} permanently`,
    note: (count: number) =>
      `This deletes the records of all ${matching(count)} from the database. People who are added meanwhile are kept.`,
    noteSelected: (count: number, emails: string) =>
      `This deletes the records of ${selected(count)} from the database: ${emails}.`,
    noteMore: (count: number, emails: string, others: number) =>
      `This deletes the records of ${selected(count)} from the database: ${emails} and ${formatNumber(others)} more.`,
    erased: 'People erased',
    erasedNote: (count: number) => plural(count, { one: '# person was erased', other: '# people were erased' }),

    erasing: (count: number) => `Erasing ${common.users(count)}…`,
    erasingNext:
      'Keep this page open until the end. “Cancel” stops the erasure; people who are erased already stay erased.',
    stopped: 'Erasure stopped',
    stoppedNote: 'The list shows the people who are left',

    running: 'Erasing people',
    done: (count: number) => `${common.users(count)} erased`,
    progress: (gone: number, total: number) => `${formatNumber(gone)} of ${formatNumber(total)} people are erased.`,
    keepOpen: 'Keep this page open until the end.',
    notTried: (count: number) =>
      plural(count, {
        one: 'The erasure ended before # other person.',
        other: 'The erasure ended before # other people.',
      }),
    staySelected: 'People who were not erased stay selected: you can try again.',
    bar: 'Erased people',
    failed: (count: number) => `${common.users(count)} could not be erased`,
    stop: 'Stop',
  },
};
