import type { ConditionOperator } from '#src/core/fields/base/browser-kinds.ts';
import { formatNumber } from '../format.ts';

/** Texts of conditions and pages, which only pages with conditions load. */
export const conditions = {
  showIf: 'Shown only if',
  requiredIf: 'Required only if',
  all: 'all of these are true',
  any: 'one of these is true',
  mode: 'How many conditions',
  add: 'Add condition',
  remove: (place: number) => `Remove condition ${place}`,
  noEarlier: 'A condition compares a field above this one. There is none yet.',
  field: (place: number) => `Field of condition ${place}`,
  operator: (place: number) => `Comparison of condition ${place}`,
  value: (place: number) => `Value of condition ${place}`,
  chooseField: 'Choose a field',
  operators: {
    eq: 'is',
    ne: 'is not',
    in: 'is one of',
    gt: 'is more than',
    gte: 'is at least',
    lt: 'is less than',
    lte: 'is at most',
    contains: 'contains',
    exists: 'is filled in',
  } satisfies Record<ConditionOperator, string>,
  dateOperators: { gt: 'is after', gte: 'is on or after', lt: 'is before', lte: 'is on or before' },
  notExists: 'is not filled in',
  ticked: 'ticked',
  notTicked: 'not ticked',
  severalValues: 'Press Enter after each value',
  keepHidden: 'Keep the stored value when a submission does not show the field',
  section: 'Conditions',
  pageNumber: (page: number) => `Page ${page}`,
  beginPage: (name: string) => `Begin a new page with ${name}`,
  joinPage: (page: number) => `Join with page ${page - 1}`,
  titleOfPage: 'Title of the page',
  pageTitles: 'Texts of the pages',
  pageTitle: (page: number) => `Title of page ${page}`,
  pageTitleIn: (page: number, language: string) => `Title of page ${page} in ${language}`,
  pageDescription: (page: number) => `Description of page ${page}`,
  pageDescriptionIn: (page: number, language: string) => `Description of page ${page} in ${language}`,
  /** Conditions on records: of webhooks and of notifications. */
  ofRecords: {
    onlyIf: 'Only if',
    ofRoute: (place: number) => `Route ${place}: only if`,
    email: 'Email',
    inWords: (conditions: string) => `Only if ${conditions}`,
    matches: (matches: number, of: number) =>
      of === 0
        ? 'There is no record yet to try it on'
        : `Would have matched ${formatNumber(matches)} of the last ${formatNumber(of)}`,
    removed: 'It names a field that was removed, and this part never holds',
    outdated: (reason: string) => `Since a change of the fields, a part of it ${reason}`,
  },
  changes: {
    showIf: (name: string) => `${name}: when it is shown has changed`,
    showIfRemoved: (name: string) => `${name}: it is always shown`,
    requiredIf: (name: string) => `${name}: when it is required has changed`,
    requiredIfRemoved: (name: string) => `${name}: it is no longer required by a condition`,
    keepHidden: (name: string) => `${name}: whether a submission that does not show it keeps its value has changed`,
    page: (name: string) => `${name}: its page has changed`,
  },
};
