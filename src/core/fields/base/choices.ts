import { z } from 'zod';
import { code } from '../../../platform/languages/problems.ts';
import { forTag } from '../../../platform/languages/tags.ts';
import { withLineFeeds } from '../../../platform/text/plain-texts.ts';
import { byLanguage, type Choice, type DefinitionReport, type FieldOption } from './kind.ts';

// The options of the kinds whose values are in a list (spec 2.3 and 2.6).

export const values = {
  schema: z.array(z.string()).min(1, code('noValues')),
  control: 'choices',
  initial: ['first', 'second'],
} as const satisfies FieldOption;

const Labels = z.record(z.string(), z.string().max(200));

export const enumLabels = {
  schema: Labels.optional(),
  control: 'labels',
} as const satisfies FieldOption;

export const enumLabelsByLanguage = {
  schema: byLanguage(Labels).optional(),
  control: 'labelsByLanguage',
} as const satisfies FieldOption;

/** Keys that the driver would misread, such as those of a reference. */
const UNSTORABLE = new Set(['_bsontype', '$ref', '$id', '$db']);

type Labels = Readonly<Record<string, string>>;

interface Choices {
  enum: readonly string[];
  enumLabels?: Labels | undefined;
  enumLabelsByLanguage?: Readonly<Record<string, Labels>> | undefined;
}

export function checkLabels(definition: Choices, report: DefinitionReport): void {
  const known = new Set(definition.enum);
  const isUnusable = (value: string): boolean => UNSTORABLE.has(value) || value.includes('\0');
  const translated = Object.entries(definition.enumLabelsByLanguage ?? {});
  const lists = [
    ['enumLabels', definition.enumLabels ?? {}] as const,
    ...translated.map(([tag, labels]) => [`enumLabelsByLanguage.${tag}`, labels] as const),
  ];
  for (const [at, labels] of lists) {
    const wrong = Object.keys(labels).find((value) => !known.has(value) || isUnusable(value));
    if (wrong !== undefined) {
      report(known.has(wrong) ? 'labelNotAllowed' : 'labelOfNoValue', at);
      break;
    }
  }
}

/**
 * Returns the values that a form offers: each once, with its label.
 * @param tag the language of the labels; those that are not in it are as in `enumLabels`
 */
export function labelledChoices(definition: Choices, tag = ''): Choice[] {
  const translated = forTag(definition.enumLabelsByLanguage, tag);
  const labelIn = (labels: Labels = {}, value: string) => (Object.hasOwn(labels, value) ? labels[value] : undefined);
  return [...new Set(definition.enum)].map((value) => ({
    value,
    label: labelIn(translated, value) || labelIn(definition.enumLabels, value) || value,
  }));
}

const LINE_BREAK = /[\r\n]/;

/** The choices with line breaks, by themselves and with LF, made once for a list. */
const lists = new WeakMap<readonly string[], ReadonlyMap<string, string>>();

/** Returns the choice that the text of a form names: browsers send each line break as CR LF. */
export function choiceOf(text: string, choices: readonly string[]): string {
  if (!LINE_BREAK.test(text)) return text;
  let known = lists.get(choices);
  if (!known) {
    const broken = choices.filter((choice) => LINE_BREAK.test(choice));
    const same = broken.map((choice) => [choice, choice] as const);
    known = new Map([...broken.map((choice) => [withLineFeeds(choice), choice] as const), ...same]);
    lists.set(choices, known);
  }
  return known.get(text) ?? known.get(withLineFeeds(text)) ?? text;
}
