import { fill, numberRules, type Text } from '#src/platform/languages/texts.ts';
import { type Control, controlsOf, type Problem } from './problems.ts';

// What is wrong with the entries of a form of the service, in the language of the form. Browsers say
// it in theirs.

/** The texts of problems by their codes. */
export type ProblemTexts = Readonly<Record<string, Text>>;

/** Returns a function that fills in the texts of a form. */
export function sayer(form: Element, texts: ProblemTexts): (code: string, params?: object) => string {
  const numbers = numberRules((form.closest('[lang]') as HTMLElement | null)?.lang || 'en');
  return (code, params = {}) => fill(texts[code] ?? code, params as Record<string, number>, numbers);
}

/** @param isRequired whether the field of a control must have an answer now */
export function problemsIn(
  form: HTMLFormElement,
  texts: ProblemTexts,
  isRequired: (control: Control) => boolean = ({ required }) => required,
): Problem[] {
  const say = sayer(form, texts);
  return controlsOf(form).flatMap((control) => {
    const message = problemOf(control, isRequired(control), say);
    return message === undefined ? [] : [{ path: control.name, message }];
  });
}

/** Whether a control is one of several boxes of a field. */
export const isMany = (control: Element): boolean => control.matches('[type=checkbox][name$="[]"]');

function problemOf(control: Control, isRequired: boolean, say: ReturnType<typeof sayer>): string | undefined {
  if (isMany(control)) {
    const isChosen = control.closest('.field,[data-field]')?.querySelector('[type=checkbox]:checked');
    return !isChosen && isRequired ? say('required') : undefined;
  }
  const { validity, type, min = '', max = '', minLength = 0, value, checked } = control as HTMLInputElement;
  // The empty choice takes an answer back.
  if (type === 'radio' && checked && value === '' && isRequired) return say('required');
  // The browser counts UTF-16 units.
  const { maxLength } = control.dataset;
  const length = maxLength || minLength > 0 ? [...value].length : 0;
  if (length > Number(maxLength)) return say('tooLong', { max: Number(maxLength) });
  if (length > 0 && length < minLength) return say('tooShort', { min: minLength });
  if (validity.valid) return undefined;
  if (validity.badInput) return say({ number: 'notNumber', date: 'notDate' }[type] ?? 'invalid');
  if (validity.valueMissing) return say(type === 'checkbox' ? 'mustBeTrue' : 'required');
  if (validity.typeMismatch && type === 'email') return say('notEmail');
  if (type === 'date' && validity.rangeUnderflow) return say('tooEarly', { min });
  if (type === 'date' && validity.rangeOverflow) return say('tooLate', { max });
  if (validity.rangeUnderflow) return say('tooSmall', { min: Number(min) });
  if (validity.rangeOverflow) return say('tooLarge', { max: Number(max) });
  return say('invalid');
}
