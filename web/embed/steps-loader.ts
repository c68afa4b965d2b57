import type { ConditionalField } from '#src/core/fields/conditions.ts';
import type { StepTitle } from '#src/features/display/form-steps.ts';
import type { Text } from '#src/platform/languages/texts.ts';
import { adopt, part } from './parts.ts';
import { clearProblems, describeWithout, type Problem, showProblems } from './problems.ts';

/** What a form needs to evaluate its conditions and to show one page after the other. */
export interface StepsData {
  fields: readonly ConditionalField[];
  pages?: readonly StepTitle[] | undefined;
  texts: Readonly<Record<string, Text>>;
}

/** A form whose fields appear and disappear, one page after the other (spec 4.5.2). */
export interface Steps {
  /** Goes to the next page, or shows the problems of this one. Returns false on the last page. */
  next(): boolean;
  /** Shows the page of a control. */
  open(control: Element): void;
  /** Returns what is wrong with the entries of all pages. */
  problems(): Problem[];
}

/** The functions that the module of {@link Steps} shares with this script. */
const tools = { clearProblems, describeWithout, showProblems };
export type StepTools = typeof tools;

const steps = new WeakMap<HTMLFormElement, Steps>();

/** Returns the steps of a form that has started; undefined for a form without them. */
export const stepsOf = (form: HTMLFormElement): Steps | undefined => steps.get(form);

/**
 * @param root gets the styles of an embedded form
 * @throws when the module does not load
 */
export async function startSteps(form: HTMLFormElement, data: StepsData, root?: ShadowRoot): Promise<void> {
  const { start, styleSheet } = await part('steps');
  adopt(root, styleSheet);
  if (!steps.has(form)) steps.set(form, start(form, data, tools));
}
