import { z } from 'zod';
import { code, problem } from '../../platform/languages/problems.ts';
import { checkLabels, choiceOf, enumLabels, enumLabelsByLanguage, labelledChoices, values } from '../base/choices.ts';
import {
  autocomplete,
  help,
  hidden,
  initialValue,
  placeholder,
  prefill,
  resetOnSubmit,
  ui,
} from '../base/form-options.ts';
import { indexed, indexText } from '../base/index-value.ts';
import { defineKind } from '../base/kind.ts';

const Value = z.string(code('notText'));

/** One string of a list. */
export const select = defineKind({
  name: 'select',
  options: { enum: values, indexed },
  formOptions: {
    help,
    placeholder,
    ui: ui(['radio']),
    enumLabels,
    enumLabelsByLanguage,
    default: initialValue(z.string()),
    autocomplete,
    hidden,
    prefill,
    resetOnSubmit,
  },
  checkDefinition: checkLabels,
  schema(definition) {
    const allowed: ReadonlySet<string> = new Set(definition.enum);
    // `z.enum` builds a regular expression and a table of all choices.
    return Value.check(({ value, issues }) => {
      if (!allowed.has(value)) issues.push(problem('notChoice'));
    });
  },
  describe: (definition) => ({ enum: [...new Set(definition.enum)] }),
  indexValue: indexText,
  fromText: (text, _context, { enum: choices = [] }) => ({ value: choiceOf(text, choices) }),
  sample: (definition) => definition.enum[0] ?? '',
  valueType: (definition) => ({ oneOf: definition.enum }),
  control: 'select',
  controlOf: (definition) => definition.ui ?? 'select',
  choices: labelledChoices,
});
