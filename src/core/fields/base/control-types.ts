/** The controls that a form shows for fields. `list` adds one item to an appending list. */
export const CONTROL_TYPES = [
  'text',
  'textarea',
  'tel',
  'url',
  'email',
  'checkbox',
  'select',
  'radio',
  'checkboxes',
  'stars',
  'scale',
  'number',
  'date',
  'time',
  'list',
  'file',
] as const;
export type ControlType = (typeof CONTROL_TYPES)[number];

/** Whether a control is a group of radio buttons. */
export const isRadio = (type: ControlType): boolean => type === 'radio' || type === 'stars' || type === 'scale';
