import type { FormControl } from '../presentation.ts';

/** A control in a form: how it is named, what it contains, and what is wrong with that. */
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
const EMAIL: FormControl = {
  key: 'email',
  type: 'email',
  attributes: { autocomplete: 'email', maxlength: 254 },
  choices: [],
  label: 'Email',
  required: true,
  hidden: false,
  prefill: false,
};

/**
 * Returns the email and the controls as fields of a form. Fields are sent as `data[key]`, which no
 * key can confuse with `email` or with a control name of the service (spec 4.5).
 */
export function formFields(controls: readonly FormControl[]): FormField[] {
  const fields = controls.map((control) => ({ control, name: `data[${control.key}]`, id: `data-${control.key}` }));
  return [{ control: EMAIL, name: 'email', id: 'email' }, ...fields];
}

/** Whether the form sends the field without showing it. */
export const isHidden = ({ control }: FormField): boolean => control.hidden || control.source !== undefined;

/** Returns the id of the element that tells the problem of a field. */
export const problemId = ({ id }: FormField): string => `${id}-problem`;
