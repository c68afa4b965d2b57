import { compileSchema } from '../../../src/fields/compile.ts';
import { completeDefinition, definitionIssues, FieldDefinitionInput } from '../../../src/fields/definition.ts';

/** What is wrong with a field definition as an admin sends it, both its form and its sense; empty when it is taken. */
export function definitionProblems(...fields: unknown[]): string[] {
  const parsed = FieldDefinitionInput.array().safeParse(fields);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return definitionIssues(parsed.data).map(({ path, message }) => `${path} ${message}`);
}

/** The validator of a schema as an admin sends it. */
export function validatorOf(fields: FieldDefinitionInput[], rejectUnknown = false) {
  return compileSchema({ rejectUnknown, fields: fields.map(completeDefinition) });
}

/** What is wrong with `value` for one field named `f`; empty when it conforms. */
export function valueProblems(field: Record<string, unknown>, value: unknown): string[] {
  const definition = FieldDefinitionInput.parse({ key: 'f', ...field });
  return validatorOf([definition])
    .issues({ f: value })
    .map(({ path, message }) => `${path} ${message}`);
}
