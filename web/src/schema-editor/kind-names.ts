import type { Kind } from '../api/endpoints.ts';

/** The display names of the kinds. */
export const KIND_NAMES: Record<Kind, string> = {
  text: 'Text',
  number: 'Number',
  select: 'Single choice',
  checkbox: 'Checkbox',
  date: 'Date',
  array: 'Appending list',
};
