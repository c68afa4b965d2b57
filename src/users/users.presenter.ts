import type { ConsentEntry, UserDocument } from './users.model.ts';

/** The members of a record in the responses for one app, in their order (spec 4.3). */
export const OWN_MEMBERS = ['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt'] as const;
/** The members in listings across apps (spec 4.4). */
export const MEMBERS_WITH_APP = ['id', 'sourceAppId', ...OWN_MEMBERS.slice(1)] as const;

/** Members that a record has only if they apply to it; they come last in each list of members. */
export const OPTIONAL_MEMBERS = ['confirmedAt'] as const;

type OwnMember = (typeof OWN_MEMBERS)[number];
export type Member = (typeof MEMBERS_WITH_APP)[number];
export type Members = readonly Member[];

type StoredName<Name extends Member> = Name extends 'id' ? '_id' : Exclude<Name, 'id'>;

/** The part of a stored record that responses may contain; every other member is internal. */
export type UserRecord = Pick<UserDocument, StoredName<Member> | (typeof OPTIONAL_MEMBERS)[number]>;

/** A record with the history of its consents, as the response for one record contains it. */
export type DetailedRecord = UserRecord & Pick<UserDocument, 'consents'>;

/** A record as a response contains it. Dates become ISO 8601 strings when it is serialized. */
export type PresentedUser = { [Name in OwnMember]: Name extends 'id' ? string : UserRecord[StoredName<Name>] } & {
  confirmedAt?: Date;
};

/** The name of a member in the stored document. */
export function storedName<Name extends Member>(member: Name): StoredName<Name> {
  return (member === 'id' ? '_id' : member) as StoredName<Name>;
}

/** The projection of a query that reads a {@link UserRecord}. */
export const RECORD_PROJECTION = Object.fromEntries(
  [...MEMBERS_WITH_APP.map(storedName), ...OPTIONAL_MEMBERS].map((name) => [name, 1]),
);

/** The projection of a query that reads a {@link DetailedRecord}. */
export const DETAILS_PROJECTION = { ...RECORD_PROJECTION, consents: 1 };

/** Copies the given members of a record and the optional ones that it has, in their order. */
export function presentMembers(record: UserRecord, members: Members): Record<string, unknown> {
  const presented: Record<string, unknown> = {};
  for (const member of members) presented[member] = member === 'id' ? record._id.toString() : record[member];
  for (const member of OPTIONAL_MEMBERS) if (record[member] !== undefined) presented[member] = record[member];
  return presented;
}

/** Presents a record to the operators of its app (spec 4.3). */
export function presentUser(record: UserRecord): PresentedUser {
  return presentMembers(record, OWN_MEMBERS) as unknown as PresentedUser;
}

/** Presents the history of a record's consents, oldest first (spec 2.8). */
export function presentConsents(entries: readonly ConsentEntry[]) {
  return entries.map(({ key, given, at, version, schemaVersion, label, page }) => ({
    ...{ key, given, at: at.toISOString(), version, schemaVersion, label },
    ...(page !== undefined && { page }),
  }));
}

/** Presents a record with its consents, as the response for one record contains it (spec 4.3). */
export function presentDetails(record: DetailedRecord) {
  const { createdAt, updatedAt, confirmedAt, ...user } = presentUser(record);
  return {
    ...{ ...user, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    ...(confirmedAt && { confirmedAt: confirmedAt.toISOString() }),
    ...(record.consents && { consents: presentConsents(record.consents) }),
  };
}
