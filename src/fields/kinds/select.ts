import { z } from 'zod';
import { checkLabels, enumLabels, enumLabelsByLanguage, labelledChoices, values } from '../base/choices.ts';
import { autocomplete, help, hidden, initialValue, placeholder, prefill, ui } from '../base/form-options.ts';
import { indexed, indexText } from '../base/index-value.ts';
import { defineKind } from '../base/kind.ts';

/** One string of a list. */
export const select = defineKind({
  name: 'select',
  displayName: 'Single choice',
  options: { enum: values, indexed },
  formOptions: {
    help,
    placeholder,
    ui: ui({ radio: 'Radio buttons' }),
    enumLabels,
    enumLabelsByLanguage,
    default: initialValue(z.string()),
    autocomplete,
    hidden,
    prefill,
  },
  checkDefinition: checkLabels,
  compile(definition) {
    const allowed: ReadonlySet<unknown> = new Set(definition.enum);
    return (value, report) => {
      if (typeof value !== 'string') return report('notText');
      if (!allowed.has(value)) report('notChoice');
    };
  },
  indexValue: indexText,
  fromText: (text) => ({ value: text }),
  sample: (definition) => definition.enum[0] ?? '',
  valueType: (definition) => ({ oneOf: definition.enum }),
  control: 'select',
  controlOf: (definition) => definition.ui ?? 'select',
  choices: labelledChoices,
});
