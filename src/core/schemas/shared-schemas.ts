import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { ownSchema, type SchemaOf } from '../fields/compile.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { getKind } from '../fields/kinds/registry.ts';

/** The size of the kept schemas, estimated in bytes. A choice of 100 kB is in its key too. */
const MAX_SIZE = 16_000_000;
const SIZE_OF_SCHEMA = 2_000;

/**
 * Returns a function that gives fields of equal rules one schema, over all apps. Schemas hold no
 * state, and a validator keeps its own when they are evicted here.
 */
export function createSharedSchemas(): SchemaOf {
  const schemas = new LRUCache<string, z.ZodType>({
    maxSize: MAX_SIZE,
    sizeCalculation: (_schema, rules) => SIZE_OF_SCHEMA + rules.length * 4,
  });
  return (field) => {
    const rules = rulesOf(field);
    let schema = schemas.get(rules);
    if (!schema) {
      schema = ownSchema(field);
      schemas.set(rules, schema);
    }
    return schema;
  };
}

/** What the schema of a field depends on: not its key, its label and the options of forms. */
function rulesOf(field: FieldDefinition): string {
  const options: Readonly<Record<string, unknown>> = field;
  const names = Object.keys(getKind(field.kind).options);
  return JSON.stringify([field.kind, field.required, ...names.map((name) => options[name] ?? null)]);
}
