import { z } from 'zod';
import { code, problem } from '../../../platform/languages/problems.ts';
import { CHOICE_SEPARATOR, choicesIn } from '../../../platform/text/choice-list.ts';
import { checkLabels, choiceOf, enumLabels, enumLabelsByLanguage, labelledChoices, values } from '../base/choices.ts';
import { help, hidden, initialValue, prefill } from '../base/form-options.ts';
import { Count, defineKind, type FieldBase } from '../base/kind.ts';

// `z.array` copies the value.
const Value = z.custom<unknown[]>(Array.isArray, code('notChoices'));

/**
 * Several strings of a list. A value is kept in the order of `enum`, so that lists of the same
 * choices are equal. It has no index: decision 8.
 */
export const multiselect = defineKind({
  name: 'multiselect',
  options: {
    enum: values,
    minItems: { schema: Count.optional(), control: 'number', stricter: 'higher' },
    maxItems: { schema: Count.optional(), control: 'number', stricter: 'lower' },
  },
  formOptions: { help, enumLabels, enumLabelsByLanguage, default: initialValue(z.array(z.string())), hidden, prefill },

  checkDefinition(definition, report) {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = definition;
    if (definition.enum.some((value) => value === '' || value.includes(CHOICE_SEPARATOR))) {
      report('separatorInValue', 'enum');
    }
    if (minItems > maxItems) report('aboveMaxItems', 'minItems');
    else if (minItems > new Set(definition.enum).size) {
      report('aboveValueCount', 'minItems');
    }
    checkLabels(definition, report);
  },

  schema({ required, minItems = 0, maxItems = Number.POSITIVE_INFINITY, ...definition }) {
    const allowed: ReadonlySet<unknown> = new Set(definition.enum);
    const least = required ? Math.max(1, minItems) : minItems;
    // `z.enum` builds a table of all choices.
    return Value.check(({ value, issues }) => {
      if (!value.every((choice) => allowed.has(choice))) issues.push(problem('otherChoice'));
      else if (new Set(value).size < value.length) issues.push(problem('choiceTwice'));
      else if (value.length < least) issues.push(problem('tooFewChoices', { min: least }));
      else if (value.length > maxItems) issues.push(problem('tooManyChoices', { max: maxItems }));
    });
  },

  describe: (definition) => ({
    type: 'array',
    items: { type: 'string', enum: [...new Set(definition.enum)] },
    uniqueItems: true,
    ...bounds(definition),
  }),

  toStored(definition) {
    const places = new Map([...new Set(definition.enum)].map((value, index) => [value, index]));
    const placeOf = (choice: string): number => places.get(choice) ?? 0;
    return (value) => [...(value as string[])].sort((one, other) => placeOf(one) - placeOf(other));
  },

  staysHidden: false,
  queried: {
    name: 'multiselect',
    operators: ['contains', 'in', 'exists', 'empty'],
    ask: (_, choices) => ({ test: { is: 'chosen', choices }, isNot: false }),
    chart: 'choices',
  },
  conditionChecks(definition) {
    const known: ReadonlySet<unknown> = new Set(definition.enum);
    const isKnown = (choice: unknown) => (known.has(choice) ? undefined : 'notChoice');
    return { contains: isKnown, in: isKnown };
  },
  conditionText: () => 'valueContains',
  cell: 'choices',
  inWords(value, { name }) {
    const names = Array.isArray(value) ? value.map(name) : [name(value)];
    return names.includes(undefined) ? undefined : names.join(', ');
  },
  repliedTo: 'everyone',
  // A form sends an empty text when a person removes all choices.
  fromTexts(texts, { required, minItems = 0, enum: known = [] }) {
    const choices = [...new Set(choicesIn(texts).map((text) => choiceOf(text, known)))];
    const mayBeEmpty = texts.length > 0 && required === false && minItems === 0;
    return choices.length > 0 || mayBeEmpty ? { value: choices } : undefined;
  },
  sample({ minItems = 1, ...definition }) {
    return [...new Set(definition.enum)].slice(0, Math.max(1, minItems));
  },
  valueType: (definition) => ({ someOf: definition.enum }),
  control: 'checkboxes',
  choices: labelledChoices,
  // HTML has no rule for the number of choices.
  ruleText(definition, text) {
    const { minItems: min, maxItems: max = Number.POSITIVE_INFINITY } = bounds(definition);
    if (max >= new Set(definition.enum).size) return min === 0 ? undefined : text('chooseAtLeast', { min });
    if (min === 0) return text('chooseAtMost', { max });
    return min === max ? text('chooseExactly', { min }) : text('chooseBetween', { min, max });
  },
});

interface Bounds {
  minItems?: number | undefined;
  maxItems?: number | undefined;
}

function bounds({ required, minItems = 0, maxItems }: Pick<FieldBase, 'required'> & Bounds) {
  return { minItems: Math.max(required ? 1 : 0, minItems), maxItems };
}
