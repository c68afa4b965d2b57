import { readFileSync } from 'node:fs';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';

/**
 * Fields, values and what is shown of them. The server, the hosted form and the embed run the same
 * table; `data` is a JSON body and `form` the texts of an HTML form, each left out where the two
 * differ.
 */
interface ConditionVector {
  name: string;
  fields: FieldDefinitionInput[];
  data?: Record<string, unknown>;
  form?: Record<string, string[]>;
  shown: string[];
  required?: string[];
}

export const conditionVectors: ConditionVector[] = JSON.parse(
  readFileSync(new URL('./condition-vectors.json', import.meta.url), 'utf8'),
);
