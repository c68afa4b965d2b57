import './no-eval.ts';

export { BROWSER_KINDS, type ConditionOperator } from '#src/core/fields/base/browser-kinds.ts';
export { type Choice, FIELD_KEY_PATTERN, type FieldOption, type Writer } from '#src/core/fields/base/kind.ts';
// The editor and its preview validate with the service's own code, so both accept the same schemas.
export { compileSchema } from '#src/core/fields/compile.ts';
export {
  type Condition,
  type Conditions,
  MAX_CONDITIONS,
  MAX_PAGES,
  pagesOf,
} from '#src/core/fields/conditions.ts';
export {
  completeDefinition,
  definitionIssues,
  EMAIL_FIELD,
  type FieldDefinition,
  FieldDefinitionInput,
  isOfStaff,
  MAX_FIELDS,
  NOT_OF_STAFF,
  ONLY_OF_STAFF,
  publicFields,
} from '#src/core/fields/definition.ts';
export { FIRST_TYPED, LAST_TYPED } from '#src/core/fields/kinds/date.ts';
export { MAX_FILES } from '#src/core/fields/kinds/file.ts';
export { FIELD_KINDS, getKind } from '#src/core/fields/kinds/registry.ts';
export {
  type FormControl,
  formControl,
  formControls,
  recordConditionWords,
  sampleData,
  valueFromForm,
} from '#src/features/display/presentation.ts';
export { safeParse } from '#src/platform/http/safe-parse.ts';
export { reasonIn } from '#src/platform/languages/problems.ts';
export { CHOICE_SEPARATOR, choicesIn } from '#src/platform/text/choice-list.ts';
export { FILE_TYPE_NAMES, FILE_TYPES } from '#src/platform/text/file-types.ts';
export { dayOf, isDay } from '#src/platform/text/iso-date.ts';
