import type { Filter, UpdateFilter } from 'mongodb';

/** The members of a document, and the paths within them. */
type Path<Document> = (keyof Document & string) | `${keyof Document & string}.${string}`;
type Logical = '$and' | '$or' | '$nor' | '$expr';
type Operator = '$set' | '$currentDate' | '$setOnInsert' | '$unset' | '$max' | '$inc' | '$push' | '$pull' | '$addToSet';

/**
 * Casts a filter that the type of the driver refuses: with computed paths, or null or operators for
 * members that may be absent. Checks the names of members, not their values.
 */
export function typedFilter<Document>(
  conditions: {
    readonly [Name in Path<Document> | Logical]?: unknown;
  },
): Filter<Document> {
  return conditions as Filter<Document>;
}

/** An update with computed paths. The names of members are checked, their values are not. */
export function changing<Document>(
  update: {
    readonly [Name in Operator]?: { readonly [Member in Path<Document>]?: unknown };
  },
): UpdateFilter<Document> {
  return update as UpdateFilter<Document>;
}
