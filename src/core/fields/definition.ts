import { z } from 'zod';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { code, toIssues } from '../../platform/languages/problems.ts';
import { type Given, type Issue, MAX_ISSUES, type Reason, say, toReason } from '../../platform/languages/reasons.ts';
import { checkIn } from '../../platform/text/check-context.ts';
import type { FileTypeName } from '../../platform/text/file-types.ts';
import { MAX_PATTERN_INSTRUCTIONS, MAX_PATTERN_STEPS } from '../../platform/text/regex.ts';
import { BROWSER_KINDS, CONDITION_OPERATORS, type KindName } from './base/browser-kinds.ts';
import {
  type DefinitionReport,
  FIELD_KEY_PATTERN,
  type FieldKind,
  type FieldOptions,
  type OptionShape,
  printable,
  WRITERS,
} from './base/kind.ts';
import {
  type Condition,
  type ConditionalField,
  type Conditions,
  MAX_CONDITIONS,
  MAX_PAGES,
  pagesOf,
} from './conditions.ts';
import { FIELD_KINDS, getKind } from './kinds/registry.ts';

/** The most indexed fields of a schema (spec 8): a record has as many index slots. */
export const MAX_INDEXED = 8;
/** The most fields of a schema (spec 2.3). */
export const MAX_FIELDS = 100;

const Key = z.string().regex(FIELD_KEY_PATTERN, code('fieldKeyFormat'));
const Label = z.string().max(200);
const Writers = z.enum(WRITERS).optional().meta({ description: 'Who may set the field. Default: `everyone`' });

/** The most values of `in`, and the most characters of a text, as in `where` (spec 4.3). */
const MAX_IN = 100;
const MAX_VALUE_LENGTH = 1_000;

const ConditionValue = z.union([z.string().max(MAX_VALUE_LENGTH), z.number(), z.boolean()]);

const ConditionOnField = z
  .strictObject({
    field: z.string(),
    op: z.enum(CONDITION_OPERATORS),
    value: z.union([ConditionValue, z.array(ConditionValue).min(1).max(MAX_IN)], code('notConditionValue')).optional(),
  })
  .meta({ id: 'FieldCondition' });

const ConditionList = z.array(ConditionOnField).min(1).max(MAX_CONDITIONS).optional();

// Not a union: the problems of one have its path alone.
export const FieldConditions = z
  .strictObject({ all: ConditionList, any: ConditionList })
  .refine(({ all, any }) => (all === undefined) !== (any === undefined), code('notAllOrAny'))
  .meta({ id: 'FieldConditions', description: 'Either `all` or `any`' });

/** The properties of every definition that say when the field counts (spec 2.12). */
const WHEN = {
  showIf: FieldConditions.optional(),
  requiredIf: FieldConditions.optional(),
  keepHidden: z
    .boolean()
    .optional()
    .meta({ description: 'Whether a submission that does not show the field keeps its stored value' }),
  page: z.int().min(1).max(MAX_PAGES).optional(),
};

/** @param label the schema of `label` @param required that of `required` */
function definition<
  Name extends KindName,
  Options extends FieldOptions,
  FormOptions extends FieldOptions,
  LabelSchema extends z.ZodType,
  RequiredSchema extends z.ZodType,
>(kind: FieldKind<Name, Options, FormOptions>, label: LabelSchema, required: RequiredSchema) {
  return z.strictObject({
    key: Key,
    label,
    kind: z.literal(kind.name),
    required,
    writers: Writers,
    ...WHEN,
    ...optionShape(kind.options),
    ...optionShape(kind.formOptions),
  });
}

function optionShape<Options extends FieldOptions>(options: Options): OptionShape<Options> {
  const schemas = Object.entries(options).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(schemas) as OptionShape<Options>;
}

type Definitions<Kinds, LabelSchema extends z.ZodType, RequiredSchema extends z.ZodType> = {
  -readonly [Index in keyof Kinds]: Kinds[Index] extends FieldKind<infer Name, infer Options, infer FormOptions>
    ? ReturnType<typeof definition<Name, Options, FormOptions, LabelSchema, RequiredSchema>>
    : never;
};

function definitions<LabelSchema extends z.ZodType, RequiredSchema extends z.ZodType>(
  label: LabelSchema,
  required: RequiredSchema,
) {
  const ofKinds = FIELD_KINDS.map((kind: FieldKind) => definition(kind, label, required));
  return ofKinds as unknown as Definitions<typeof FIELD_KINDS, LabelSchema, RequiredSchema>;
}

/** A field definition as stored and sent in responses (spec 2.3 and 2.6). */
export const FieldDefinition = z
  .discriminatedUnion('kind', definitions(Label, z.boolean()))
  .meta({ id: 'FieldDefinition' });
export type FieldDefinition = z.output<typeof FieldDefinition>;

const names = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(FIELD_KINDS.map(({ name }) => name));

/** A field definition in a request. `label` defaults to the key and `required` to false. */
export const FieldDefinitionInput = z
  .discriminatedUnion('kind', definitions(Label.optional(), z.boolean().optional()), code('noKind', { values: names }))
  .meta({ id: 'FieldDefinitionInput' });
export type FieldDefinitionInput = z.output<typeof FieldDefinitionInput>;

/** What a field of the staff cannot have: it is of what a person sends, or of the form. */
export const NOT_OF_STAFF = ['required', 'showIf', 'requiredIf', 'page', 'prefill', 'source', 'consent'] as const;

function reportNotOfStaff(field: FieldDefinitionInput, report: DefinitionReport): void {
  if (!isOfStaff(field)) return;
  const options: Partial<Record<string, unknown>> = field;
  for (const name of NOT_OF_STAFF) if (options[name]) report('notOfStaff', name);
}

/** What only a field of the staff can have. */
export const ONLY_OF_STAFF = ['resetOnSubmit'] as const;

function reportReset(field: FieldDefinitionInput, report: DefinitionReport): void {
  if (!('resetOnSubmit' in field) || !field.resetOnSubmit) return;
  if (!isOfStaff(field)) report('onlyOfStaff', 'resetOnSubmit');
  else if (field.default === undefined) report('needsDefault', 'resetOnSubmit');
}

/** A field that later conditions may name. */
interface EarlierField {
  field: FieldDefinitionInput;
  /** Why the field can never have a value. */
  problemsOf: (value: unknown) => Reason[];
  /** Made once, because many conditions may name a field with many choices. */
  checks?: ReturnType<NonNullable<FieldKind['conditionChecks']>>;
}

type ConditionProblem = [problem: Given, at: keyof Condition];

/** Reports conditions of a field that name no earlier field, or compare it as it cannot be. */
function reportConditions(
  field: FieldDefinitionInput,
  earlier: ReadonlyMap<string, EarlierField>,
  report: DefinitionReport,
): void {
  const problemOf = (condition: Condition): ConditionProblem | undefined => {
    const named = earlier.get(condition.field);
    if (!named) return ['notEarlierField', 'field'];
    return isOfStaff(named.field) ? ['fieldOfStaff', 'field'] : comparisonProblem(condition, named);
  };
  for (const name of ['showIf', 'requiredIf'] as const) {
    reportEach(field[name] ?? {}, problemOf, (problem, at) => report(problem, `${name}.${at}`));
  }
}

function reportEach(
  conditions: Conditions,
  problemOf: (condition: Condition) => ConditionProblem | undefined,
  report: (problem: Given, at: string) => void,
): void {
  for (const [group, list = []] of Object.entries(conditions) as [string, Conditions['all']][]) {
    for (const [index, condition] of list.entries()) {
      const [problem, at] = problemOf(condition) ?? [];
      if (problem !== undefined) report(problem, `${group}.${index}.${at}`);
    }
  }
}

function comparisonProblem({ op, value }: Condition, named: EarlierField): ConditionProblem | undefined {
  const { kind } = named.field;
  const { operators } = BROWSER_KINDS[kind];
  if (!operators.includes(op)) return [say('notConditionOperator', { values: operators.join(', '), kind }), 'op'];
  const problem = valueProblem(op, value, named);
  return problem && [problem, 'value'];
}

/** The email of a record, as conditions on records name it. */
export const EMAIL_FIELD = { key: 'email', label: 'Email', kind: 'text', required: false } as const;

function emailProblem(given: unknown): Given | undefined {
  if (typeof given !== 'string') return 'notText';
  return normalizeEmail(given) === undefined ? 'notEmail' : undefined;
}

/**
 * Returns a check of conditions on records that have these fields (spec 2.13). It returns their
 * problems, with paths such as `all.0.value`. Unlike `showIf`, they may name any field, those of
 * the staff included, and `email`.
 */
export function createConditionCheck(fields: readonly FieldDefinition[]): (conditions: Conditions) => Issue[] {
  const defined = new Map<string, FieldDefinition>(fields.map((field) => [field.key, field]));
  defined.set(EMAIL_FIELD.key, EMAIL_FIELD);
  const named = new Map<string, EarlierField>();
  const matching = { steps: MAX_PATTERN_STEPS };

  function namedField(key: string): EarlierField | undefined {
    const field = defined.get(key);
    const known = named.get(key);
    if (!field || known) return known;
    let schema: z.ZodType | undefined;
    const found: EarlierField = {
      field,
      problemsOf(value) {
        schema ??= getKind(field.kind).schema(field);
        return reasonsOf(checkIn(matching, () => schema?.safeParse(value))?.error);
      },
    };
    if (field === EMAIL_FIELD) found.checks = { eq: emailProblem, ne: emailProblem, in: emailProblem };
    named.set(key, found);
    return found;
  }

  return (conditions) => {
    const issues: Issue[] = [];
    const problemOf = (condition: Condition): ConditionProblem | undefined => {
      const field = namedField(condition.field);
      return field ? comparisonProblem(condition, field) : ['unknownField', 'field'];
    };
    reportEach(conditions, problemOf, (problem, path) => issues.push({ path, ...toReason(problem) }));
    return issues;
  };
}

/** Returns the reasons of the problems that the schema of a field found in a value. */
const reasonsOf = (error: z.ZodError | undefined): Reason[] =>
  toIssues(error?.issues ?? [], '', printable).map(({ path: _, ...problem }) => problem);

function valueProblem(op: Condition['op'], value: Condition['value'], named: EarlierField): Given | undefined {
  if (op === 'exists') return value === undefined || typeof value === 'boolean' ? undefined : 'notBoolean';
  if (value === undefined) return 'notConditionValue';
  if (op === 'in' && !Array.isArray(value)) return 'notConditionValues';
  if (op !== 'in' && Array.isArray(value)) return 'notConditionValue';
  named.checks ??= getKind(named.field.kind).conditionChecks?.(named.field) ?? {};
  const check = named.checks[op];
  for (const one of [value].flat()) {
    const problem = check ? check(one) : named.problemsOf(one)[0];
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns the problems of well-formed definitions together, with paths such as `fields.0.min`. It
 * ends at a field when there are as many as an answer has.
 */
export function definitionIssues(fields: readonly FieldDefinitionInput[]): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const budget = { instructions: MAX_PATTERN_INSTRUCTIONS };
  const matching = { steps: MAX_PATTERN_STEPS };
  const earlier = new Map<string, EarlierField>();
  const pages = pagesOf(fields);
  let indexed = 0;
  for (const [index, field] of fields.entries()) {
    if (issues.length >= MAX_ISSUES) break;
    const before = issues.length;
    const report: DefinitionReport = (given, at) => issues.push({ path: `fields.${index}.${at}`, ...toReason(given) });
    if (seen.has(field.key)) report('keyInUse', 'key');
    seen.add(field.key);
    if (isIndexed(field)) indexed += 1;
    if (isIndexed(field) && indexed > MAX_INDEXED) report(say('tooManyIndexed', { max: MAX_INDEXED }), 'indexed');
    reportNotOfStaff(field, report);
    reportReset(field, report);
    if (index > 0 && Number(pages[index]) < Number(pages[index - 1])) report('pageBefore', 'page');
    reportConditions(field, earlier, report);
    getKind(field.kind).checkDefinition?.(field, report, budget);
    // A field with another problem may have a pattern that does not compile.
    const schema = issues.length > before ? undefined : getKind(field.kind).schema(completeDefinition(field));
    const problemsOf = (value: unknown): Reason[] => {
      return reasonsOf(schema && checkIn(matching, () => schema.safeParse(value)).error);
    };
    if (!earlier.has(field.key)) earlier.set(field.key, { field, problemsOf });
    if (!('default' in field) || field.default === undefined) continue;
    for (const problem of problemsOf(field.default)) report(problem, 'default');
  }
  return issues;
}

/** Returns the problems of fields that take larger files than the service. @param limit in bytes */
export function fileLimitIssues(fields: readonly FieldDefinitionInput[], limit: number): Issue[] {
  return fields.flatMap((field, index) =>
    holdsFiles(field) && field.maxBytes !== undefined && field.maxBytes > limit
      ? [{ path: `fields.${index}.maxBytes`, ...say('aboveFileLimit', { max: limit }) }]
      : [],
  );
}

/** Returns whether the values of a field are files (spec 4.14). */
export function holdsFiles<Field extends Pick<FieldDefinitionInput, 'kind'>>(
  field: Field,
): field is Extract<Field, { types: FileTypeName[] }> {
  return getKind(field.kind).holdsFiles === true;
}

/** Returns whether an index serves filters and sorting by the field (spec 2.3). */
export function isIndexed(field: FieldDefinitionInput): boolean {
  return 'indexed' in field && field.indexed === true;
}

/** Returns whether only the staff sets the field (spec 2.11). */
export function isOfStaff({ writers }: Pick<FieldDefinitionInput, 'writers'>): boolean {
  return writers === 'staff';
}

/** Returns whether a public submission of a known person sets the field back (spec 2.11). */
export function resets(field: FieldDefinitionInput): boolean {
  return 'resetOnSubmit' in field && field.resetOnSubmit === true;
}

/** Returns the conditions of a field. */
export function conditionsOf({ showIf, requiredIf }: ConditionalField): readonly Condition[] {
  return [showIf, requiredIf].flatMap((given) => given?.all ?? given?.any ?? []);
}

/** Returns whether it depends on other fields whether a submission must have the field. */
export function isConditional({ showIf, requiredIf }: ConditionalField): boolean {
  return showIf !== undefined || requiredIf !== undefined;
}

/** Returns the fields that the public knows and may set; `fields` itself if it may set all. */
export function publicFields<Field extends Pick<FieldDefinition, 'writers'>>(
  fields: readonly Field[],
): readonly Field[] {
  return fields.some(isOfStaff) ? fields.filter((field) => !isOfStaff(field)) : fields;
}

export function completeDefinition(field: FieldDefinitionInput): FieldDefinition {
  const { key, label = key, kind, required = false, writers, ...options } = field;
  return { key, label, kind, required, ...(writers === 'staff' && { writers }), ...options } as FieldDefinition;
}
