import { documentsAsJson, type JsonTexts } from '../../platform/bson/json-lists.ts';
import { decode } from '../../platform/database/collections.ts';
import type { UserDocument } from './users.model.ts';

/** Records as BSON documents, in batches, as the database sent them. */
export type RecordBatches = AsyncIterable<Uint8Array[]>;

/**
 * Writes records as `JSON.stringify` does, without decoding them; by default as the items of an
 * array without brackets.
 * @param listed members that a record has only if they apply to it; they come last
 */
export function recordsAsJson(
  batches: RecordBatches,
  members: Members,
  { listed = [], ...texts }: { listed?: readonly string[] } & JsonTexts = {},
): AsyncGenerator<Uint8Array> {
  const written = [
    ...members.map((name) => ({ name, stored: storedName(name), isOptional: false })),
    ...listed.map((name) => ({ name, stored: name, isOptional: true })),
  ];
  // With a type that the service never stores (a manual edit), the driver decodes the record.
  const decoded = (record: Uint8Array) => presentMembers(decode<UserRecord>(record), members, listed);
  return documentsAsJson(batches, written, decoded, texts);
}

/** The members of a record in the responses for one app (spec 4.3). */
export const OWN_MEMBERS = ['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt'] as const;
/** The members in listings across apps (spec 4.4). */
export const MEMBERS_WITH_APP = ['id', 'sourceAppId', ...OWN_MEMBERS.slice(1)] as const;

type Member = (typeof MEMBERS_WITH_APP)[number];
export type Members = readonly Member[];

type StoredName<Name extends Member> = Name extends 'id' ? '_id' : Exclude<Name, 'id'>;

/** The members of a stored record that responses may contain. */
export type UserRecord = Pick<UserDocument, StoredName<Member>>;

/** The name of a member in the stored document. */
export function storedName<Name extends Member>(member: Name): StoredName<Name> {
  return (member === 'id' ? '_id' : member) as StoredName<Name>;
}

/** Returns these members of a record, and those of `listed` that it has. */
export function presentMembers(
  record: Partial<UserRecord>,
  members: Members,
  listed: readonly string[] = [],
): Record<string, unknown> {
  const stored: Readonly<Record<string, unknown>> = record;
  const presented: Record<string, unknown> = {};
  for (const member of members) presented[member] = member === 'id' ? String(record._id) : stored[member];
  for (const member of listed) if (stored[member] !== undefined) presented[member] = stored[member];
  return presented;
}
