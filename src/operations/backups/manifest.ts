import { z } from 'zod';

/**
 * A manifest says what a database held when a backup began. It is a file of JSON lines, so that its
 * length takes no memory: a header, the collections, the apps by id, the days of the audit log, and
 * an end with a digest of all lines before it.
 *
 * Everything in it is of records and events that were created before `until`, and that no write in
 * flight can add to: a copy of a dump that began later holds exactly these, except those that were
 * erased or expired since. It has no personal data and no secret.
 */
const Digest = z.string().regex(/^[\w-]{16,43}$/);
const Count = z.int().min(0);
const Time = z.iso.datetime().nullable();

const Header = z.strictObject({
  kind: z.literal('manifest'),
  format: z.literal(1),
  /** The version of the service that wrote it. */
  version: z.string(),
  database: z.string(),
  /** When it was written, and the time before which it covers what was created: MongoDB's. */
  at: z.iso.datetime(),
  until: z.iso.datetime(),
});

const CollectionLine = z.strictObject({
  kind: z.literal('collection'),
  name: z.string(),
  documents: Count,
  indexes: z.array(z.strictObject({ keys: z.string(), options: z.string(), unique: z.boolean() })),
});

const AppLine = z.strictObject({
  kind: z.literal('app'),
  id: z.string().regex(/^[0-9a-f]{24}$/),
  sourceAppId: z.string(),
  records: Count,
  newestCreatedAt: Time,
  newestUpdatedAt: Time,
  /** Of the ids of the records, newest first. */
  digest: Digest,
  /** The days on which records were created, newest first, with their number. */
  days: z.array(z.tuple([z.iso.date(), Count])),
  /** The number of each schema version with the digest of its content. */
  versions: z.array(z.tuple([Count, Digest])),
});

const AuditLine = z.strictObject({
  kind: z.literal('audit'),
  day: z.iso.date(),
  events: Count,
  digest: Digest,
  /** When the first of its events expires. */
  expiresAt: z.iso.datetime(),
});

const EndLine = z.strictObject({ kind: z.literal('end'), lines: Count, digest: Digest });

export const ManifestLine = z.discriminatedUnion('kind', [Header, CollectionLine, AppLine, AuditLine, EndLine]);

export type Header = z.infer<typeof Header>;
export type CollectionLine = z.infer<typeof CollectionLine>;
export type AppLine = z.infer<typeof AppLine>;
export type AuditLine = z.infer<typeof AuditLine>;
export type ManifestLine = z.infer<typeof ManifestLine>;
