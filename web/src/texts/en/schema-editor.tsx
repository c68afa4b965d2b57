import type { ReactNode } from 'react';
import { formatNumber, plural } from '../format.ts';

export const schemaEditor = {
  goToApps: 'Go to apps',
  liveVersionNote: (version: number) => `Schema version ${version} · live`,
  connectForm: 'Share the form',
  titles: {
    fields: 'Fields',
    texts: 'Texts',
    design: 'Design',
    json: 'Fields as JSON',
    versions: 'Versions',
  },
  mode: 'What you do with the form',
  edit: 'Edit',
  tryIt: 'Try it',
  properties: 'Properties of the field',
  closeProperties: 'Close the properties',
  chooseField:
    'Choose a field of the form to edit it. The title, the description and the button are edited in the form.',
  addDescription: 'Add a description',
  emailIsFixed: 'Every form asks for the email address',
  more: 'More options',
  hidden: 'Hidden',

  preview: 'Preview',
  noChanges: 'No changes',
  savedToo: (names: string) => `Saved too: ${names}`,
  invalidFields: (count: number) => plural(count, { one: '# invalid field', other: '# invalid fields' }),
  review: 'Review and save',

  otherVersionSaved: (version: number, own: number) =>
    `Someone else saved version ${version} while you were editing version ${own}.`,
  merge: 'Merge…',
  mergeTitle: (version: number) => `Merge your draft with version ${version}`,
  sameFields: 'Both have the same fields.',
  mergeNote: 'Choose for each field. Nothing is saved until you review the result.',
  discardDraft: 'Discard my draft',
  mergeIntoDraft: 'Merge into my draft',
  changedByBoth: 'Changed by both',
  sides: { mine: 'Mine', theirs: 'Theirs' },
  notChanged: 'Not changed',
  unknownFields: 'Unknown fields',
  areRejected: 'are rejected',
  areAccepted: 'are accepted',

  moved: (label: string, position: number, count: number) => `${label} moved to position ${position} of ${count}`,
  noFields: 'No fields yet. The form asks only for the email.',
  removed: (label: string) => `“${label}” was removed.`,
  addField: 'Add field',
  rejectUnknown: 'Reject unknown fields',

  unnamed: 'Unnamed field',
  invalid: 'Invalid',
  required: 'Required',
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  duplicate: (name: string) => `Duplicate ${name}`,
  remove: (name: string) => `Remove ${name}`,
  copyOf: (label: string) => `${label} copy`,

  label: 'Label',
  labelNote: 'Shown in forms and in the dashboard',
  checkboxLabelNote: 'Shown in forms and in the dashboard. **bold**, *italic*, [link](https://…)',
  key: 'Key',
  keyNote: 'Property name in the submitted data',
  type: 'Type',
  mustBeChecked: 'Must be checked',
  staffOnly: 'Only your team can set this',
  staffOnlyNote: 'It is not in the form. A new record begins with the default value.',
  staff: 'Your team',
  choicesNote: 'Type a choice and press Enter, or paste a list with one in each line',
  standard: 'Standard',
  noLimit: 'No limit',
  consentVersion: 'Version',
  consentPage: 'Page with the text',
  noDefault: 'None',
  checked: 'Checked',
  notChecked: 'Not checked',
  endOf: (end: string): string => (end === 'min' ? 'Lowest value' : 'Highest value'),
  labelOfEmpty: 'Label of the empty value',
  labelOf: (choice: string) => `Label of ${choice}`,

  invalidNotShown: 'Invalid fields are not shown.',
  previewNote: 'Test what the form accepts. Nothing is sent.',
  accepted: 'This submission would be accepted.',
  rejected: (problems: number) =>
    plural(problems, {
      one: 'This submission would be rejected: # problem.',
      other: 'This submission would be rejected: # problems.',
    }),

  jsonNote: (request: ReactNode) => <>The request body of {request}. Edit it, paste a schema or copy it.</>,
  schemaAsJson: 'Schema as JSON',
  notApplied: 'The schema is invalid and was not applied',
  invalidJson: 'Invalid JSON',
  jsonNotApplied: 'JSON not applied',
  jsonFirst: 'The text in the JSON tab is not a valid schema yet. Correct it or discard it to edit the fields.',
  goToJson: 'Go to the JSON tab',
  notAnObject: 'The schema must be an object',
  unknownProperty: (name: string) => `${name} is not a known property`,
  notBoolean: 'rejectUnknown must be true or false',
  // Follows "fields: ".
  tooManyFields: (max: number) => `must have at most ${formatNumber(max)} entries`,

  version: (version: number) => `Version ${version}`,
  liveVersion: (version: number) => `Version ${version} · live`,
  by: (author: string) => `by ${author}`,
  loaded: (version: number) => `Version ${version} loaded into the editor`,
  loadedNote: 'Review and save to make it live',
  changesFrom: (version: number) => `Changes from version ${version}`,
  firstVersion: 'First version',
  load: 'Load into editor',

  saveVersion: (version: number) => `Save version ${version}`,
  valuesOf: (key: string) => `Stored values of ${key}`,
  keepData: 'Keep the data',
  keepDataNote: (key: string) => `The values move to ${key} in the background`,
  startEmpty: 'Start empty',
  startEmptyNote: (key: string) => `The values stay under ${key}, which is then no longer a field`,
  checking: 'Checking stored records…',
  mustWait: 'This rename has to wait',
  mustWaitNote: 'The values of an earlier rename are still being moved. Save the version when they have moved.',
  notSaved: 'Could not save the schema',
  keepEditing: 'Keep editing',
  saved: (version: number) => `Schema version ${version} is live`,
  savedNote: 'New submissions are validated against it',
  moving: 'While values are being moved, no other field can be renamed with its data. Other changes can be saved.',
  movingFrom: (keys: string) =>
    `While values are being moved, no other field can be renamed with its data, and no field can have the key ${keys}. Other changes can be saved.`,

  noRecords: 'This app has no stored records yet.',
  onlyMatches: 'The stored record matches the new schema.',
  allMatch: (checked: number) =>
    plural(checked, {
      one: 'The only stored record matches the new schema.',
      other: 'All # stored records match the new schema.',
    }),
  newestMatch: (checked: number) =>
    plural(checked, {
      one: 'The newest stored record matches the new schema.',
      other: 'The newest # stored records match the new schema.',
    }),
  olderNotChecked: 'Only the newest records were checked, because the check ended after its time.',
  alreadyFailing: (count: number) =>
    plural(count, {
      one: '# other record already fails the live schema.',
      other: '# other records already fail the live schema.',
    }),
  recordsStay: 'Stored records are not changed, but later submissions must match the new schema.',
  onlyFails: 'The only stored record would become invalid',
  allFail: (checked: number) =>
    plural(checked, {
      one: 'The only stored record would become invalid',
      other: 'All # stored records would become invalid',
    }),
  allNewestFail: (checked: number) =>
    plural(checked, {
      one: 'The newest stored record would become invalid',
      other: 'All of the newest # stored records would become invalid',
    }),
  noneFails: (checked: number) =>
    plural(checked, {
      one: 'The only stored record would not become invalid',
      other: 'None of # stored records would become invalid',
    }),
  noneOfNewestFails: (checked: number) =>
    plural(checked, {
      one: 'The newest stored record would not become invalid',
      other: 'None of the newest # stored records would become invalid',
    }),
  someFail: (failing: number, checked: number) =>
    plural(failing, {
      one: `# of ${formatNumber(checked)} stored records would become invalid`,
      other: `# of ${formatNumber(checked)} stored records would become invalid`,
    }),
  someOfNewestFail: (failing: number, checked: number) =>
    plural(failing, {
      one: `# of the newest ${formatNumber(checked)} stored records would become invalid`,
      other: `# of the newest ${formatNumber(checked)} stored records would become invalid`,
    }),

  breaking: 'Breaking',
  // `field` is a key, or a label with its key, such as “Name” (name).
  changes: {
    removedRejected: (field: string) =>
      `${field} removed: submissions that still send it are rejected; stored values are kept`,
    removedAccepted: (field: string) =>
      `${field} removed: submissions can still send it, but it is not validated; stored values are kept`,
    added: (field: string, kind: string) => `${field} added (${kind})`,
    addedRequired: (field: string, kind: string) =>
      `${field} added (${kind}, required): submissions without it are rejected`,
    keyMoved: (field: string, from: string, to: string) =>
      `${field} key changed: ${from} → ${to}; stored values move to the new key`,
    keyChanged: (field: string, from: string, to: string) =>
      `${field} key changed: ${from} → ${to}; stored values stay under the old key`,
    label: (field: string, from: string, to: string) => `${field} label changed: “${from}” → “${to}”`,
    type: (field: string, from: string, to: string) => `${field} type changed: ${from} → ${to}`,
    required: (field: string) => `${field} is now required`,
    notRequired: (field: string) => `${field} is no longer required`,
    staffOnly: (field: string) => `${field} can now be set by your team only: submissions that send it are rejected`,
    everyone: (field: string) => `${field} can now be set by everyone`,
    limit: (field: string, limit: string, from: string, to: string) => `${field} ${limit} changed: ${from} → ${to}`,
    limits: {
      minLength: 'min length',
      maxLength: 'max length',
      minItems: 'min choices',
      maxItems: 'max choices',
      min: 'min value',
      max: 'max value',
      earliest: 'earliest date',
      latest: 'latest date',
    },
    noLimit: 'no limit',
    pattern: (field: string, from: string, to: string) => `${field} pattern changed: ${from} → ${to}`,
    indexed: (field: string) => `${field} is now indexed`,
    notIndexed: (field: string) => `${field} is no longer indexed`,
    choicesRemoved: (field: string, choices: string) => `${field} no longer allows ${choices}`,
    choicesAdded: (field: string, choices: string) => `${field} now also allows ${choices}`,
    option: (field: string, option: string) => `${field} form option “${option}” changed`,
    optionValue: (field: string, option: string, from: string, to: string) =>
      `${field} form option “${option}” changed: ${from} → ${to}`,
    order: 'Field order changed',
    unknownRejected: 'Unknown fields are now rejected',
    unknownAccepted: 'Unknown fields are now accepted and stored',
    none: 'none',
    yes: 'yes',
    no: 'no',
  },
  quoted: (text: string) => `“${text}”`,
  labelAndKey: (label: string, key: string) => `“${label}” (${key})`,
};
