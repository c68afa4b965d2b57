import { BSON } from 'mongodb';
import { parsePageUrl } from '../core/web-origin.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import type { ConsentEntry, ConsentState } from './record.ts';

/** The most entries that a record keeps (spec 8). */
const MAX_CONSENT_ENTRIES = 1_000;
/**
 * Entries that are left for withdrawals: one for each field of a schema. Anybody can fill the
 * history of a person whose email they know, and the person can still withdraw what was given.
 */
const RESERVED_FOR_WITHDRAWALS = 100;

/** The consents of a submission, in the form in which a record keeps them. */
export interface SentConsents {
  /** One entry for each consent field that was sent. */
  entries: readonly ConsentEntry[];
  /** The most bytes that they add to a record. */
  bytes: number;
}

/**
 * Returns the consents that valid `data` gives or refuses, or undefined when it has no consent
 * field (spec 2.8).
 *
 * @param page the URL of the page that sent the submission, as it was sent
 */
export function sentConsents(
  { validator, schema }: Pick<Lease, 'validator' | 'schema'>,
  data: Record<string, unknown>,
  at: Date,
  page: string | undefined,
): SentConsents | undefined {
  const fields = validator.consentFields.filter(({ key }) => Object.hasOwn(data, key));
  if (fields.length === 0) return undefined;
  const url = page === undefined ? undefined : parsePageUrl(page);
  const entries = fields.map(({ key, label, version }) => ({
    key,
    given: data[key] === true,
    at,
    version,
    schemaVersion: schema.version,
    label,
    ...(url !== undefined && { page: url }),
  }));
  const bytes = BSON.calculateObjectSize({ entries, state: stateAfter(entries) });
  return { entries, bytes };
}

/** The state of the consent fields after a submission that sent these entries. */
export function stateAfter(entries: readonly ConsentEntry[]): ConsentState {
  return Object.fromEntries(entries.map(({ key, given, version }) => [key, given && version]));
}

/** How a submission changes the consents of a record whose last state is known or assumed. */
export interface ConsentChange {
  /** The conditions under which exactly `entries` differ from the record's state. */
  filter: Record<string, unknown>;
  /** The entries that are appended. */
  entries: ConsentEntry[];
  /**
   * Whether the change is right only for a record that exists: a new record has no consents, so
   * `entries` would differ.
   */
  requiresRecord: boolean;
}

/**
 * Compares the consents of a submission with the last state of the record. A consent is appended
 * when it is given and was not given for this version, or when it is withdrawn.
 *
 * No condition is an equality, because an upsert would copy it to the record that it creates.
 */
export function consentChange({ entries }: SentConsents, last: ConsentState = {}): ConsentChange {
  const change: ConsentChange = { filter: {}, entries: [], requiresRecord: false };
  for (const entry of entries) {
    const { key, given, version } = entry;
    const was = Object.hasOwn(last, key) && last[key];
    const isChange = given ? was !== version : was !== false;
    if (isChange) change.entries.push(entry);
    if (isChange !== given) change.requiresRecord = true;
    change.filter[`consentState.${key}`] = stateCondition(entry, isChange);
  }
  const room = maxEntriesBefore(change.entries);
  if (change.entries.length > 0) change.filter[`consents.${room}`] = { $exists: false };
  return change;
}

/** Whether these entries withdraw consents only. They have room whatever the record holds. */
export function onlyWithdraws(entries: readonly ConsentEntry[]): boolean {
  return entries.length > 0 && entries.every(({ given }) => !given);
}

/** Returns the most entries of a record to which these may be appended (spec 2.8, rule 7). */
export function maxEntriesBefore(entries: readonly ConsentEntry[]): number {
  const reserved = entries.some(({ given }) => given) ? RESERVED_FOR_WITHDRAWALS : 0;
  return MAX_CONSENT_ENTRIES - reserved - entries.length;
}

/** The state holds the version of a consent that is given, else `false` or nothing. */
function stateCondition({ given, version }: ConsentEntry, isChange: boolean): Record<string, unknown> {
  if (given) return isChange ? { $ne: version } : { $gte: version, $lte: version };
  return isChange ? { $type: 'string' } : { $not: { $type: 'string' } };
}
