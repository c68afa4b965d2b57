import { z } from 'zod';
import { autocomplete, help, hidden, initialValue, placeholder, prefill, ui } from '../base/form-options.ts';
import { indexed, indexText } from '../base/index-value.ts';
import { defineKind } from '../base/kind.ts';

/** Keys that the driver would misread, such as those of a reference. */
const UNSTORABLE = new Set(['_bsontype', '$ref', '$id', '$db']);

/** One string of a list. */
export const select = defineKind({
  name: 'select',
  displayName: 'Single choice',
  options: {
    enum: {
      schema: z.array(z.string()).min(1, 'must list at least one value'),
      label: 'Choices',
      control: 'choices',
      initial: ['first', 'second'],
    },
    indexed,
  },
  formOptions: {
    help,
    placeholder,
    ui: ui({ radio: 'Radio buttons' }),
    enumLabels: {
      schema: z.record(z.string(), z.string().max(200)).optional(),
      label: 'Labels of the choices',
      help: 'Shown instead of the values',
      control: 'labels',
    },
    default: initialValue(z.string()),
    autocomplete,
    hidden,
    prefill,
  },
  checkDefinition({ enumLabels = {}, ...definition }, report) {
    const values = new Set(definition.enum);
    for (const value of Object.keys(enumLabels)) {
      if (!values.has(value)) return report('has a label for a value that is not in enum', 'enumLabels');
      if (UNSTORABLE.has(value) || value.includes('\0')) {
        return report('has a label for a value that cannot have one', 'enumLabels');
      }
    }
  },
  compile(definition) {
    const allowed: ReadonlySet<unknown> = new Set(definition.enum);
    return (value, report) => {
      if (typeof value !== 'string') return report('must be a string');
      if (!allowed.has(value)) report('must be one of the allowed values');
    };
  },
  indexValue: indexText,
  fromText: (text) => ({ value: text }),
  sample: (definition) => definition.enum[0] ?? '',
  control: 'select',
  controlOf: (definition) => definition.ui ?? 'select',
  choices: ({ enumLabels = {}, ...definition }) =>
    [...new Set(definition.enum)].map((value) => ({
      value,
      label: (Object.hasOwn(enumLabels, value) && enumLabels[value]) || value,
    })),
});
