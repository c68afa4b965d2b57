import { BSON } from 'mongodb';
import { z } from 'zod';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { SubmissionFacts } from '../../core/users/submission.ts';
import { type Growth, type NewRecord, push, type Statement, type WritePart } from '../../core/users/write-part.ts';
import { Conflict } from '../../platform/core/errors.ts';
import { parsePageUrl } from '../../platform/core/web-origin.ts';
import { type DocumentOf, schema } from '../../platform/database/mongoose.ts';
import { component, Timestamp } from '../../platform/http/validation.ts';
import { forTag } from '../../platform/languages/tags.ts';
import type { EditPart } from '../records/edit-part.ts';

/** The most entries that a record keeps (spec 8). */
const MAX_ENTRIES = 1_000;
/** One for each field of a schema: a full history must not prevent withdrawals. */
const RESERVED_FOR_WITHDRAWALS = 100;
/** The most fields whose state is remembered: bounds memory. */
const MAX_REMEMBERED = 4;

/** One change of a consent (spec 2.8). */
const entrySchema = schema({
  key: { type: String, required: true },
  /** False when the consent was withdrawn. */
  given: { type: Boolean, required: true },
  at: { type: Date, required: true },
  version: { type: String, required: true },
  schemaVersion: { type: Number, required: true },
  label: { type: String, required: true },
  /** Without query and fragment. */
  page: String,
});
type ConsentEntry = DocumentOf<typeof entrySchema>;

/** By key: the last version that was given, or false after a withdrawal. */
type ConsentState = Record<string, string | false>;

/** The members of a stored record with consents. */
export interface WithConsents {
  /** In the order of storage. */
  consents?: ConsentEntry[];
  /** The result of `consents`: the filter of an upsert cannot find the last entry. */
  consentState?: ConsentState;
}

export const ShownEntry = component('ConsentEntry', {
  key: z.string().meta({ description: 'The key of the consent field', example: 'terms' }),
  given: z.boolean().meta({ description: '`true`: given; `false`: withdrawn' }),
  at: Timestamp.meta({ description: 'When the submission was received' }),
  version: z.string().meta({ description: 'The version of the text', example: '2026-01' }),
  schemaVersion: z.int().positive().meta({ example: 1 }),
  label: z.string().meta({ description: 'The label of the field', example: 'I accept the terms' }),
  page: z.string().optional().meta({
    description: 'The page with the form, without query and fragment, if known',
    example: 'https://example.com/sign-up',
  }),
});

/** A change of a consent in the answer about a record. */
export type ShownConsent = z.output<typeof ShownEntry>;

/**
 * The consents that persons give and withdraw by checkboxes with the option `consent` (spec 2.8).
 * Only submissions and edits of persons change them.
 */
export const consentPart: RecordPart = {
  name: 'consents',
  members: { consents: [entrySchema], consentState: Object },
  ofPersons: ['consents', 'consentState'],
  // The state of a consent remains when its value is removed.
  keyed: ['consentState'],

  shown: {
    members: ['consents'],
    schema: {
      consents: z
        .array(ShownEntry)
        .optional()
        .meta({ description: 'The changes of consents, oldest first; only in records that have any' }),
    },
    present: (record: WithConsents) => (record.consents === undefined ? {} : { consents: shownConsents(record) }),
  },

  under({ app, schema: { version, fields } }) {
    const all = fields.flatMap(consentOf);
    if (all.length === 0) return undefined;
    return {
      begin({ by, change, now, facts }) {
        // Only persons themselves give consents.
        if (by !== 'person') return undefined;
        const given = all.filter(({ key }) => Object.hasOwn(change.set, key));
        if (given.length === 0) return undefined;
        const sent = { values: change.set, at: now, ...facts };
        return createConsentWrite(given.map((field) => entryOf(field, sent, version)));
      },
      ...(app.form?.own && { edits: consentEdits(all, version) }),
    };
  },
};

/** Returns the changes of consents that a record has, as answers show them. */
export const shownConsents = (record: object): ShownConsent[] =>
  ((record as WithConsents).consents ?? []).map((entry) => ({ ...entry, at: entry.at.toISOString() }));

/**
 * Whether the value that a person sends is a change of these consents.
 * @param value undefined: none
 */
export function changesConsent(field: FieldDefinition, value: unknown, consents: readonly ShownConsent[]): boolean {
  const [consent] = consentOf(field);
  const last = consents.findLast(({ key }) => key === field.key);
  if (!consent) return false;
  return value === true ? !last?.given || last.version !== consent.version : last?.given === true;
}

type ConsentField = Pick<FieldDefinition, 'key' | 'label' | 'labels'> & { version: string };

function consentOf(field: FieldDefinition): ConsentField[] {
  if (!('consent' in field) || !field.consent) return [];
  return [{ key: field.key, label: field.label, labels: field.labels, version: field.consent.version }];
}

/** What a person sent. */
interface Sent extends Pick<SubmissionFacts, 'page' | 'lang'> {
  values: Readonly<Record<string, unknown>>;
  at: Date;
}

function entryOf(
  { key, label, labels, version }: ConsentField,
  { values, at, page, lang = '' }: Sent,
  schemaVersion: number,
): ConsentEntry {
  const url = page === undefined ? undefined : parsePageUrl(page);
  // The label in the language of the form is the text that the person saw.
  const shown = forTag(labels, lang) || label;
  return {
    key,
    given: values[key] === true,
    at,
    version,
    schemaVersion,
    label: shown,
    ...(url !== undefined && { page: url }),
  };
}

/** What a refused write reads of a record. */
interface Facts {
  state: ConsentState;
  entries: number;
}

/** @param sent one entry for each consent field of the submission, changed or not */
function createConsentWrite(sent: readonly ConsentEntry[]): WritePart<ConsentState, Facts> {
  const bytes = sizeOf(sent);
  const changedFrom = (state: ConsentState = {}) => sent.filter((entry) => isChange(entry, state));

  return {
    name: consentPart.name,
    bytes,

    growth: {
      most: bytes,
      from: (state) => growthBy(sent, changedFrom(state)),
    },

    insert(record: NewRecord & WithConsents) {
      const changed = changedFrom();
      if (changed.length === 0) return;
      record.consents = changed;
      record.consentState = stateAfter(changed);
    },

    upsert(statement, state) {
      const changed = changedFrom(state);
      addEntries(statement, sent, changed);
      // A new record has no consents: only consents that are given are changes of it.
      return sent.some((entry) => changed.includes(entry) !== entry.given);
    },

    facts: () => factsOf(sent),

    explain({ state, entries }) {
      const changed = changedFrom(state);
      if (changed.length > 0 && entries > mostBefore(changed)) throw new Conflict('recordFull');
      return state;
    },

    stored: () => (sent.length <= MAX_REMEMBERED ? stateAfter(sent) : undefined),
  };
}

/** The consents in the edits of a person. A value that is removed is a withdrawal. */
function consentEdits(all: readonly ConsentField[], schemaVersion: number): EditPart<Facts> {
  type Edit = Parameters<NonNullable<EditPart['add']>>[1];
  const entriesOf = ({ sent, keys, after: values, at }: Edit): ConsentEntry[] =>
    sent
      ? all
          .filter(({ key }) => keys.includes(key))
          .map((field) => entryOf(field, { values, at, ...sent }, schemaVersion))
      : [];
  const changedBy = (sent: readonly ConsentEntry[], { state }: Facts) => sent.filter((entry) => isChange(entry, state));

  return {
    name: consentPart.name,
    facts: factsOf(all),

    growth(edit, facts) {
      const sent = entriesOf(edit);
      return growthBy(sent, changedBy(sent, facts));
    },

    add(statement, edit, facts) {
      const sent = entriesOf(edit);
      const changed = changedBy(sent, facts);
      const { entries } = facts;
      if (changed.length > 0 && entries > mostBefore(changed)) throw new Conflict('recordFull');
      addEntries(statement, sent, changed);
      return undefined;
    },
  };
}

const sizeOf = (entries: readonly ConsentEntry[]): number =>
  BSON.calculateObjectSize({ entries, state: stateAfter(entries) });

/** The growth of a record. Its size prevents no withdrawal. */
function growthBy(sent: readonly ConsentEntry[], changed: readonly ConsentEntry[]): Growth {
  if (changed.length === 0) return { bytes: 0, limited: 0 };
  const bytes = sizeOf(sent);
  return { bytes, limited: changed.some(({ given }) => given) ? bytes : 0 };
}

/** Appends changes to a record whose state of all that was sent is as assumed. */
function addEntries(statement: Statement, sent: readonly ConsentEntry[], changed: readonly ConsentEntry[]): void {
  for (const entry of sent) {
    statement.filter[`consentState.${entry.key}`] = stateCondition(entry, changed.includes(entry));
  }
  if (changed.length > 0) {
    statement.filter[`consents.${mostBefore(changed)}`] = { $exists: false };
    push(statement, 'consents', { $each: changed });
  }
  for (const [key, last] of Object.entries(stateAfter(changed))) {
    statement.update.$set[`consentState.${key}`] = last;
  }
}

/** What a write reads of a record: the state of some consents, and the number of all changes. */
const factsOf = (fields: readonly Pick<ConsentField, 'key'>[]) => ({
  state: Object.fromEntries(fields.map(({ key }) => [key, `$consentState.${key}`])),
  entries: { $size: { $ifNull: ['$consents', []] } },
});

/** Whether an entry is another state than the last one of its field. */
function isChange({ key, given, version }: ConsentEntry, state: ConsentState): boolean {
  const last = Object.hasOwn(state, key) && state[key];
  return given ? last !== version : last !== false;
}

const stateAfter = (entries: readonly ConsentEntry[]): ConsentState =>
  Object.fromEntries(entries.map(({ key, given, version }) => [key, given && version]));

/** Returns the most entries of a record to which these may be appended (spec 2.8, rule 7). */
function mostBefore(changed: readonly ConsentEntry[]): number {
  const reserved = changed.some(({ given }) => given) ? RESERVED_FOR_WITHDRAWALS : 0;
  return MAX_ENTRIES - reserved - changed.length;
}

/** The state holds the version of a consent that is given, else `false` or nothing. */
function stateCondition({ given, version }: ConsentEntry, isChanged: boolean): Statement['filter'] {
  if (given) return isChanged ? { $ne: version } : { $gte: version, $lte: version };
  return isChanged ? { $type: 'string' } : { $not: { $type: 'string' } };
}
