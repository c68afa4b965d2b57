import type { Kind } from '../api/endpoints.ts';

/** What a kind is to a person who designs a form. */
export const KIND_NAMES: Record<Kind, string> = {
  text: 'Text',
  number: 'Number',
  select: 'Choice of a list',
  checkbox: 'Checkbox',
  date: 'Date',
  array: 'List that grows',
};
