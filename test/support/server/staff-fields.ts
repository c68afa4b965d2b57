import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';

/** A contact form whose `status` only the staff sets. */
export const CONTACT: FieldDefinitionInput[] = [
  { key: 'message', kind: 'text' },
  {
    key: 'status',
    label: 'Progress of the team',
    kind: 'select',
    enum: ['new', 'in progress', 'done'],
    default: 'new',
    writers: 'staff',
    indexed: true,
  },
];

/** The refusal of a public submission with the key of a field of the staff. */
export const staffOnly = (key = 'status') => ({
  path: `data.${key}`,
  message: 'can only be set by the team of this app',
  code: 'staffOnly',
});
