import './no-eval.ts';

// The service's own rules: what the editor and its preview accept is what the service accepts.
export { compileSchema } from '../../../src/fields/compile.ts';
export {
  completeDefinition,
  definitionIssues,
  type FieldDefinition,
  FieldDefinitionInput,
  MAX_FIELDS,
} from '../../../src/fields/definition.ts';
export type { FieldOption } from '../../../src/fields/kind.ts';
export { FIELD_KINDS, kindOf } from '../../../src/fields/kinds/registry.ts';
export { formControl, sampleData } from '../../../src/fields/presentation.ts';
