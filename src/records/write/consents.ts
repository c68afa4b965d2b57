import { BSON } from 'mongodb';
import { parsePageUrl } from '../../platform/core/web-origin.ts';
import { forTag } from '../../platform/languages/tags.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import type { ConsentEntry, ConsentState } from '../stored/record.ts';

/** The most entries that a record keeps (spec 8). */
const MAX_CONSENT_ENTRIES = 1_000;
/** One for each field of a schema: a full history must not prevent withdrawals. */
const RESERVED_FOR_WITHDRAWALS = 100;

export interface SentConsents {
  entries: readonly ConsentEntry[];
  bytes: number;
}

/** Returns the consents that valid `data` gives or refuses, if it has consent fields (spec 2.8). */
export function sentConsents(
  { validator, schema }: Pick<Lease, 'validator' | 'schema'>,
  data: Record<string, unknown>,
  at: Date,
  { page, lang = '' }: { page?: string | undefined; lang?: string | undefined },
): SentConsents | undefined {
  const fields = validator.consentFields.filter(({ key }) => Object.hasOwn(data, key));
  if (fields.length === 0) return undefined;
  const url = page === undefined ? undefined : parsePageUrl(page);
  const entries = fields.map(({ key, label, labels, version }) => ({
    key,
    given: data[key] === true,
    at,
    version,
    schemaVersion: schema.version,
    // The text that the person saw.
    label: forTag(labels, lang) || label,
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
  entries: ConsentEntry[];
  /** Whether the change is wrong for a new record, which has no consents. */
  requiresRecord: boolean;
}

/** No condition is an equality, because an upsert would copy it to the record that it creates. */
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

/** Whether these entries withdraw consents only. The size limits do not apply to withdrawals. */
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
