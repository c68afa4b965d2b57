import { z } from 'zod';

/**
 * `schema.safeParse` for values of clients. Zod's own checks of lengths run on whatever has a
 * `length`, also after `invalid_type`, and throw when that is an object without a primitive value.
 */
export function safeParse<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  checkTypesFirst(schema);
  return schema.safeParse(value);
}

const checked = new WeakSet<z.core.$ZodType>();
const LENGTH_CHECKS = new Set(['min_length', 'max_length', 'length_equals']);

/**
 * Restricts the checks of lengths in a schema, and in those within it, to values of their type.
 * `_zod` is the interface of zod for libraries (zod/v4/core); `min` and `max` have no option
 * `when`.
 */
function checkTypesFirst(schema: z.core.$ZodType): void {
  if (checked.has(schema)) return;
  checked.add(schema);
  const { def } = schema._zod;
  const isOfType = def.type === 'array' ? Array.isArray : (value: unknown) => typeof value === 'string';
  for (const check of def.checks ?? []) {
    if (LENGTH_CHECKS.has(check._zod.def.check)) check._zod.def.when = ({ value }) => isOfType(value);
  }
  if (schema instanceof z.ZodLazy) checkTypesFirst(schema.unwrap());
  visitSchemas(Object.values(def), checkTypesFirst);
}

/** Visits the schemas in a definition of zod, such as those of a shape, a union or a list. */
function visitSchemas(part: unknown, visit: (schema: z.core.$ZodType) => void): void {
  if (part instanceof z.core.$ZodType) visit(part);
  else if (Array.isArray(part)) for (const inner of part) visitSchemas(inner, visit);
  else if (isPlainObject(part)) visitSchemas(Object.values(part), visit);
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
