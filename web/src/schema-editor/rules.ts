import './no-eval.ts';

// The editor and its preview validate with the service's own code, so both accept the same schemas.
export { compileSchema } from '../../../src/fields/compile.ts';
export {
  completeDefinition,
  definitionIssues,
  type FieldDefinition,
  FieldDefinitionInput,
  MAX_FIELDS,
} from '../../../src/fields/definition.ts';
