import type { FormControl } from '../presentation.ts';

/** A control in a form with its content. */
export interface FormField {
  control: FormControl;
  /** The name under which the form sends the control. */
  name: string;
  /** Unique in the page; the first control of a field has this id. */
  id: string;
  /** The texts of the control. Undefined: it begins with its default. */
  texts?: readonly string[] | undefined;
  /** Why the texts were refused. */
  problem?: string | undefined;
}

/** The control of the email, which every form has and no schema declares. */
const EMAIL: Omit<FormControl, 'label'> = {
  key: 'email',
  type: 'email',
  attributes: { autocomplete: 'email', maxlength: 254 },
  choices: [],
  required: true,
  hidden: false,
  prefill: false,
};

/**
 * Returns the email and the controls as fields of a form. `data[key]` equals no other name.
 * @param email the label of the email
 */
export function formFields(controls: readonly FormControl[], email = 'Email'): FormField[] {
  const fields = controls.map((control) => ({ control, name: `data[${control.key}]`, id: `data-${control.key}` }));
  return [{ control: { ...EMAIL, label: email }, name: 'email', id: 'email' }, ...fields];
}

export const isHidden = ({ control }: FormField): boolean => control.hidden || control.source !== undefined;

/** The id of the element with the problem of a field. */
export const problemId = ({ id }: FormField): string => `${id}-problem`;
