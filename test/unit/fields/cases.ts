import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../../src/core/fields/base/browser-kinds.ts';
import { compileSchema } from '../../../src/core/fields/compile.ts';
import { completeDefinition, definitionIssues, FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import {
  type FormControl,
  formControl,
  sampleData,
  valueFromForm,
} from '../../../src/features/display/presentation.ts';
import { toJsonSchema } from '../../../src/features/schemas/json-schema.ts';
import { reasonIn } from '../../../src/platform/languages/problems.ts';

/** Returns the problems of field definitions in a request; empty when they are accepted. */
export function definitionProblems(...fields: unknown[]): string[] {
  const parsed = FieldDefinitionInput.array().safeParse(fields);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => `${issue.path.join('.')} ${reasonIn(issue).message}`);
  }
  return definitionIssues(parsed.data).map(({ path, message }) => `${path} ${message}`);
}

/** Returns the validator of a schema in a request. */
export function validatorOf(fields: FieldDefinitionInput[], rejectUnknown = false) {
  return compileSchema({ rejectUnknown, fields: fields.map(completeDefinition) });
}

/** Returns the problems of `value` for one field named `f`; empty when it conforms. */
export function valueProblems(field: Record<string, unknown>, value: unknown): string[] {
  return validatorOf([definitionOf(field)])
    .issues({ f: value })
    .map(({ path, message }) => `${path} ${message}`);
}

type Options = Record<string, unknown>;

/** The test table of one kind (spec 2.3 and 2.4). */
interface KindTable {
  definitions: {
    accepted: Options[];
    /** Each with the path and the beginning of its only problem. */
    refused: [options: Options, problem: string][];
  };
  values: {
    accepted: [options: Options, value: unknown][];
    refused: [options: Options, value: unknown, problem: string][];
  };
  /** Each with what its control has besides the members that every control has. */
  controls: [options: Options, control: Partial<FormControl>][];
  /** The texts of a form. An undefined value counts as absent. */
  texts: {
    converted: [text: string, value: unknown][];
    refused: [text: string, problem: string][];
  };
  samples: [options: Options, sample: unknown][];
  /** Returns the value that a submission has for a stored one, if they differ. */
  asSent?(stored: unknown): unknown;
  /** The effect of a value on the record. */
  change: 'replace' | 'append';
}

export const NOW = '2026-01-31T08:30:00.000Z';

/** Registers the tests of one kind. */
export function describeKind(kind: KindName, table: KindTable): void {
  describe(`the kind ${kind}`, () => {
    const { definitions, values, asSent = (value) => value } = table;

    it.each(definitions.accepted.map((options) => [options]))('accepts the definition %j', (options) => {
      expect(definitionProblems({ key: 'f', kind, ...options })).toEqual([]);
    });

    it.each(definitions.refused)('refuses the definition %j', (options, problem) => {
      const problems = definitionProblems({ key: 'f', kind, ...options });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(problem);
    });

    it.each(values.accepted)('with %j accepts %j, as its JSON Schema does', (options, value) => {
      expect(valueProblems({ kind, ...options }, value)).toEqual([]);
      expect(isValidByJsonSchema({ kind, ...options }, asSent(value))).toBe(true);
    });

    it.each(values.refused)('with %j refuses %j, as its JSON Schema does', (options, value, problem) => {
      expect(valueProblems({ kind, ...options }, value)).toEqual([`data.f ${problem}`]);
      expect(isValidByJsonSchema({ kind, ...options }, asSent(value))).toBe(false);
    });

    it.each(table.controls)('with %j has the control %j, which is plain JSON', (options, control) => {
      const described = formControl(completeDefinition(definitionOf({ kind, ...options })));
      expect(described).toEqual({
        key: 'f',
        label: 'f',
        required: false,
        hidden: false,
        prefill: false,
        attributes: {},
        choices: [],
        ...control,
      });
      expect(JSON.parse(JSON.stringify(described))).toStrictEqual(described);
    });

    it.each(table.texts.converted)('converts the text %j to %j', (text, value) => {
      expect(valueFromForm({ kind }, [text])).toEqual(value === undefined ? undefined : { value });
    });

    it('takes an empty text for an absent value', () => {
      expect(valueFromForm({ kind }, [''])).toBeUndefined();
      expect(valueFromForm({ kind }, [])).toBeUndefined();
    });

    if (table.texts.refused.length > 0) {
      it.each(table.texts.refused)('has no value for the text %j', (text, problem) => {
        expect(valueFromForm({ kind }, [text])).toMatchObject({ problem: { message: problem } });
      });
    }

    it.each(table.samples)('with %j has the sample %j, which conforms', (options, sample) => {
      const field = definitionOf({ kind, required: true, ...options });
      const data = sampleData({ fields: [completeDefinition(field)] });
      expect(data).toEqual({ f: sample });
      if (table.asSent) expect(isValidByJsonSchema(field, sample)).toBe(true);
      else expect(validatorOf([field]).issues(data)).toEqual([]);
    });

    it(`lets a submission ${table.change} the stored value`, () => {
      const [options, value] = values.accepted[0] ?? [{}, undefined];
      const change = validatorOf([definitionOf({ kind, ...options })]).change({ f: value }, new Date(NOW));
      expect(change).toMatchObject({ extraKeys: 0 });
      if (table.change === 'replace') expect(change).toMatchObject({ set: { f: value }, append: {} });
      else expect(change).toMatchObject({ set: {}, append: { f: expect.any(Array) } });
    });
  });
}

const ajv = new Ajv2020({ strict: true });

function isValidByJsonSchema(field: Record<string, unknown>, value: unknown): boolean {
  const schema = { version: 1, rejectUnknown: true, fields: [completeDefinition(definitionOf(field))] };
  return ajv.compile(JSON.parse(JSON.stringify(toJsonSchema(schema, compileSchema(schema)))))({ f: value });
}

function definitionOf(field: Record<string, unknown>): FieldDefinitionInput {
  return FieldDefinitionInput.parse({ key: 'f', ...field });
}
