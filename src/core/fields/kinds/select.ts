import { z } from 'zod';
import { code, problem } from '../../../platform/languages/problems.ts';
import { foldCase, includesText } from '../../../platform/text/comparison.ts';
import { indexText } from '../../../platform/text/index-value.ts';
import { lastOf } from '../../../platform/text/plain-texts.ts';
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
import { defineKind, indexed } from '../base/kind.ts';
import { TEXT_VALUES } from '../base/queries.ts';

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
  staysHidden: false,
  indexValue: indexText,
  queried: TEXT_VALUES,
  conditionChecks(definition) {
    let folded: string | undefined;
    return {
      contains(part) {
        if (typeof part !== 'string') return 'notText';
        folded ??= foldCase(definition.enum.join('\0'));
        return includesText(folded, foldCase(part)) ? undefined : 'notChoice';
      },
    };
  },
  cell: 'text',
  inWords: (value, { name }) => name(value),
  repliedTo: 'everyone',
  fromTexts: (texts, { enum: choices = [] }) => lastOf(texts, (text) => ({ value: choiceOf(text, choices) })),
  sample: (definition) => definition.enum[0] ?? '',
  valueType: (definition) => ({ oneOf: definition.enum }),
  control: 'select',
  controlOf: (definition) => definition.ui ?? 'select',
  choices: labelledChoices,
  isClearable: (definition) => definition.ui === 'radio' && !definition.required && !definition.enum.includes(''),
});
