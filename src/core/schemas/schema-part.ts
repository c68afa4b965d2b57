import { joinMembers, type Members } from '../../platform/database/members.ts';
import type { IndexDeclaration } from '../../platform/database/mongoose.ts';
import type { FieldDefinition, FieldDefinitionInput } from '../fields/definition.ts';
import type { DataRule, Lease } from './schema-leases.ts';
import { CORE_MEMBERS, type SchemaDocument, type StoredSchema } from './schemas.model.ts';

/** A schema that replaces the newest one (spec 4.4). Features add members. */
export interface SchemaChange {
  rejectUnknown: boolean;
  fields: FieldDefinitionInput[];
}

/** What a feature adds to the stored versions of schemas. The core joins the parts. */
export interface SchemaPart {
  /** Its members, which its file also adds to {@link SchemaDocument}. */
  readonly members?: Members;
  readonly indexes?: readonly IndexDeclaration[];
  /** Returns the members of a {@link StoredSchema} that it reads of a stored version. */
  read?(stored: SchemaDocument): Partial<StoredSchema>;
  /** Returns its members of a version that replaces the newest one. @throws {AppError} */
  extend?(change: SchemaChange, next: NextVersion, newest: StoredSchema): Partial<SchemaDocument>;
  /** Returns what it adds to a lease on a version. Called once for each lease. */
  lease?(stored: StoredSchema): Partial<Lease> | undefined;
  /** Returns its rule of the data that is sent under a version. Called once for each lease. */
  rule?(stored: StoredSchema): DataRule | undefined;
}

/** The version that replaces the newest one. */
export interface NextVersion {
  version: number;
  fields: readonly FieldDefinition[];
}

export type SchemaParts = ReturnType<typeof createSchemaParts>;

/** Joins the parts of all features. @throws {Error} when two of them have the same member */
export function createSchemaParts(parts: readonly SchemaPart[] = []) {
  return {
    /** Those of the core too. */
    members: joinMembers([CORE_MEMBERS, ...parts.map(({ members = {} }) => members)]),

    indexes: parts.flatMap(({ indexes = [] }) => indexes),

    read: (stored: SchemaDocument): Partial<StoredSchema> =>
      Object.assign({}, ...parts.map((part) => part.read?.(stored))),

    extend: (...version: Parameters<NonNullable<SchemaPart['extend']>>): Partial<SchemaDocument> =>
      Object.assign({}, ...parts.map((part) => part.extend?.(...version))),

    lease: (stored: StoredSchema): Partial<Lease> => Object.assign({}, ...parts.map((part) => part.lease?.(stored))),

    rules: (stored: StoredSchema): readonly DataRule[] => parts.flatMap((part) => part.rule?.(stored) ?? []),
  };
}
