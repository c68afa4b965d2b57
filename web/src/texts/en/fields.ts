import type { FIELD_KINDS } from '#src/core/fields/kinds/registry.ts';

type Kind = (typeof FIELD_KINDS)[number];
type NameOf<Options> = Options extends unknown ? keyof Options : never;
type OptionName = NameOf<Kind['options']> | NameOf<Kind['formOptions']>;

export const fields = {
  /** The kinds of fields. */
  kinds: {
    text: 'Text',
    number: 'Number',
    date: 'Date',
    file: 'Files',
    checkbox: 'Checkbox',
    select: 'Single choice',
    multiselect: 'Several choices',
    array: 'Appending list',
  } satisfies Record<Kind['name'], string>,
  kindHelps: {
    file: 'A list of files. Each submission with the field replaces it.',
    multiselect: 'A list of choices. Each submission replaces it.',
    array: 'Each submission appends its items to the stored list, with a timestamp. Items can be any JSON value.',
  },
  /** Their options in the schema editor. */
  options: {
    minLength: 'Min length',
    maxLength: 'Max length',
    regex: 'Pattern',
    min: 'Min value',
    max: 'Max value',
    earliest: 'Earliest date',
    latest: 'Latest date',
    enum: 'Choices',
    minItems: 'Min choices',
    maxItems: 'Max choices',
    types: 'Types of files',
    maxFiles: 'Max files',
    maxBytes: 'Largest size of a file, in bytes',
    indexed: 'Indexed',
    default: 'Default value',
    help: 'Help text',
    placeholder: 'Placeholder',
    ui: 'Control',
    enumLabels: 'Labels of the choices',
    consent: 'Consent',
    hidden: 'Hidden',
    prefill: 'Filled from the address of the form',
    resetOnSubmit: 'Set back by a new submission',
    autocomplete: 'Autofill',
    source: 'Source',
    labels: 'Label in other languages',
    helps: 'Help text in other languages',
    enumLabelsByLanguage: 'Labels of the choices in other languages',
  } satisfies Record<OptionName, string>,
  optionHelps: {
    regex: 'Regular expression. Matches anywhere in the text; use ^ and $ to match the whole text.',
    earliest: 'A date like 2026-01-31, or today',
    latest: 'A date like 2026-01-31, or today',
    indexed: 'Filters and sorting by this field stay fast with many records. At most 8 fields of a schema.',
    help: 'Shown with the field. **bold**, *italic*, [link](https://…)',
    placeholder: 'Shown while the field is empty',
    enumLabels: 'Shown instead of the values',
    consent: 'The version of the text that a person agrees to, and the page that shows it',
    hidden: 'The form sends the value but does not show the field',
    prefill: 'A query parameter with the key of the field sets its value',
    resetOnSubmit: 'A new submission of a known person sets it to the default value',
    autocomplete: 'Autofill tokens of HTML, such as given-name or tel',
    source: 'The form sets the value from the page that shows it',
  },
  /** The values of options of which one is chosen. One without a text is shown as it is. */
  values: {
    textarea: 'Several lines',
    tel: 'Telephone number',
    url: 'URL',
    email: 'Email address',
    radio: 'Radio buttons',
    page: 'Address of the page',
    referrer: 'Referrer of the page',
  },
};
