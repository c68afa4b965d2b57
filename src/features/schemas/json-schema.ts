import { z } from 'zod';
import { FIELD_KEY_PATTERN, type JsonSchema } from '../../core/fields/base/kind.ts';
import { MAX_EXTRA_KEYS, type Validator } from '../../core/fields/compile.ts';
import type { Conditions } from '../../core/fields/conditions.ts';
import { type FieldDefinition, isConditional } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import { RESERVED_NAMES, STORABLE } from '../../platform/bson/stored-json.ts';
import type { PendingRenames } from '../renames/renames.ts';

/** The media type of a JSON Schema. */
export const JSON_SCHEMA_TYPE = 'application/schema+json';

const STAFF_KEYS = 'keys that only the team of the app sets';

interface SchemaVersion {
  version: number;
  rejectUnknown: boolean;
  fields: readonly FieldDefinition[];
}

/** What is refused beyond the rules of fields (spec 8). */
const LIMITS = [
  'bodies over its size limits',
  'nesting of more than 20 levels',
  'numbers that a double does not represent',
  'texts that take a pattern too long',
];

/**
 * Returns the JSON Schema of `data`, draft 2020-12 (spec 2.10). The zod schemas of the validator
 * give the types, and `describe` of each kind the checks. The dashboard does not load this module.
 *
 * @param renames those whose values are being moved, so that a submission may have the old keys
 * @param isPart whether `fields` are those of the public, and the staff has others
 */
export function toJsonSchema(
  { version, rejectUnknown, fields }: SchemaVersion,
  validator: Pick<Validator, 'schemaOf'>,
  renames?: Pick<PendingRenames, 'pairs'>,
  isPart = false,
): JsonSchema {
  const pairs = rejectUnknown ? [] : (renames?.pairs ?? []);
  const moving = pairs.filter(({ to }) => fields.some(({ key }) => key === to));
  const unknown = [`more than ${MAX_EXTRA_KEYS} keys that are not fields`, ...(isPart ? [STAFF_KEYS] : [])];
  const limits = rejectUnknown ? LIMITS : [...unknown, ...LIMITS];
  const oldKeys = moving.map(({ from, to }) => ` For now ${from} is accepted in place of ${to}.`);
  const required = fields.filter(
    (field) => field.required && !isConditional(field) && !moving.some(({ to }) => to === field.key),
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: `Version ${version}. The service also refuses ${limits.join(', ')}.${oldKeys.join('')}`,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, describeField(field, validator)])),
    required: required.map(({ key }) => key),
    ...(rejectUnknown ? { additionalProperties: false } : extraKeys(fields.length)),
    $defs: { storable: STORABLE_JSON },
  };
}

/** Any JSON that `checkStorable` accepts, as JSON Schema. */
const STORABLE_JSON: JsonSchema = {
  anyOf: [
    { type: 'null' },
    { type: 'boolean' },
    { type: 'number' },
    { type: 'string' },
    { type: 'array', items: STORABLE },
    {
      type: 'object',
      propertyNames: { pattern: '^(?:[^$.\\x00][^.\\x00]*)?$', not: { enum: [...RESERVED_NAMES] } },
      additionalProperties: STORABLE,
    },
  ],
};

/** `maxProperties` is exact for `data` with all fields: the number of some keys cannot be said. */
function extraKeys(fieldCount: number): JsonSchema {
  return {
    propertyNames: { pattern: FIELD_KEY_PATTERN.source },
    additionalProperties: STORABLE,
    maxProperties: fieldCount + MAX_EXTRA_KEYS,
  };
}

/** A schema of JSON Schema cannot say that a field that is not shown counts as absent. */
const when = (what: string, conditions: Conditions | undefined): string | undefined =>
  conditions && `${what} if ${JSON.stringify(conditions)}`;

function describeField(field: FieldDefinition, { schemaOf }: Pick<Validator, 'schemaOf'>): JsonSchema {
  // Of values whose type is tested by a function, `describe` says it.
  const { $schema, ...type } = z.toJSONSchema(schemaOf(field.key), { unrepresentable: 'any' });
  const { $comment, ...checks } = getKind(field.kind).describe(
    isConditional(field) ? { ...field, required: false } : field,
  );
  const comments = [$comment, when('Only', field.showIf), when('Required', field.requiredIf)];
  return {
    title: field.label,
    description: field.help,
    ...type,
    ...checks,
    $comment: comments.filter((one) => one !== undefined).join('. ') || undefined,
    default: 'default' in field ? field.default : undefined,
  };
}
