import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import type { Conditions } from '../../core/fields/conditions.ts';
import { createConditionCheck, type FieldDefinition } from '../../core/fields/definition.ts';
import type { SchemaStore } from '../../core/schemas/schemas.model.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { decode } from '../../platform/database/collections.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import { createBudget, EVERY_ID, type RecordRanges } from '../record-reads/ranges.ts';
import type { RecordReader, StoredValues } from '../record-reads/record-reader.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';
import { shownRecord } from '../renames/shown-renames.ts';
import {
  conditionsText,
  createEvaluation,
  namedKeys,
  type ShownConditions,
  type StoredConditions,
  underPresentKeys,
  withKeys,
  withoutVersion,
} from './stored-conditions.ts';

/** Conditions under the keys of the newest schema. */
interface PresentConditions {
  if: ShownConditions;
  /** Why the service would refuse them now, such as a field that was removed. */
  problem?: Issue;
}

/** What conditions depend on, read at one time. */
interface ReadSchema {
  version: number;
  fields: readonly FieldDefinition[];
  /** The renames whose values are being moved. */
  moving: PendingRenames | undefined;
  /** Those of the versions up to this one, as far back as the conditions that were named. */
  renames: readonly PendingRenames[];
}

export type ConditionRules = ReturnType<typeof createConditionRules>;

/** Checks and shows the conditions on records in settings (spec 2.13), which follow renames. */
export function createConditionRules(deps: {
  store: Pick<SchemaStore, 'newest'>;
  renames: Pick<RenameStore, 'since'>;
}) {
  const { store, renames } = deps;

  /** Undefined when the app was deleted. @param list the conditions whose keys are to follow */
  async function readSchema(appId: ObjectId, list: readonly StoredConditions[]): Promise<ReadSchema | undefined> {
    const newest = await store.newest(appId);
    if (!newest) return undefined;
    const { version, fields } = newest.schema;
    const oldest = Math.min(version, ...list.map((one) => one.version ?? version));
    const later = oldest < version ? await renames.since(appId, oldest) : [];
    // A later version may have been stored meanwhile.
    const known = later.filter((one) => one.version <= version);
    return { version, fields, moving: newest.moving, renames: known };
  }

  return {
    readSchema,

    /** Resolves with conditions as they are under the newest schema. */
    async shown(appId: ObjectId, list: readonly StoredConditions[]): Promise<PresentConditions[]> {
      if (list.length === 0) return [];
      const { fields = [], renames: known = [] } = (await readSchema(appId, list)) ?? {};
      const check = createConditionCheck(fields);
      return list.map((conditions) => {
        const present = underPresentKeys(conditions, known);
        const [first] = check(present);
        return { if: present, ...(first && { problem: { ...first, path: `if.${first.path}` } }) };
      });
    },

    /**
     * Checks sent conditions. Resolves with them as they are stored, and the problems of each, with
     * paths such as `all.0.value`. Conditions that are stored already have none: a response can be
     * sent back, also if a field was removed or renamed since.
     *
     * @param stored the conditions that these replace
     */
    async checked(
      appId: ObjectId,
      sent: readonly Conditions[],
      stored: readonly StoredConditions[],
    ): Promise<{ conditions: StoredConditions; issues: Issue[] }[]> {
      if (sent.length === 0) return [];
      const schema = await readSchema(appId, stored);
      if (!schema) return sent.map((conditions) => ({ conditions, issues: [] }));
      const { version, fields, renames: known } = schema;
      const keys = new Set(fields.map(({ key }) => key));
      const kept = new Set(stored.map((one) => conditionsText(underPresentKeys(one, known))));
      const check = createConditionCheck(fields);
      return sent.map((conditions) => {
        const present = withKeys(conditions, (key) => (keys.has(key) ? key : presentKey(key, known)));
        const isKept = kept.has(conditionsText(present));
        return { conditions: { ...present, version }, issues: isKept ? [] : check(present) };
      });
    },
  };
}

/** The newest records on which conditions are tried (spec 4.3.2). */
const MOST_TRIED = 1_000;
const TRIED_AT_ONCE = 100;
/** Below the deadline of a request. */
const BUDGET_MS = 1_500;
/** The maximum time between two yields to the event loop (invariant 7). */
const MAX_BLOCKING_MS = 10;

export type ConditionReader = ReturnType<typeof createConditionReader>;

/** Evaluates conditions on stored records. @param deps.budgetMs shorter in tests only */
export function createConditionReader(deps: {
  rules: Pick<ConditionRules, 'readSchema' | 'checked'>;
  reader: Pick<RecordReader, 'stored'>;
  ranges: Pick<RecordRanges, 'walk'>;
  budgetMs: number | undefined;
}) {
  const { rules, reader, ranges, budgetMs = BUDGET_MS } = deps;

  return {
    /**
     * Resolves with whether each of the conditions holds for these records as they are now, by the
     * id of the record in hexadecimal. A record that does not exist has no entry.
     */
    async evaluate(
      appId: ObjectId,
      list: readonly StoredConditions[],
      ids: readonly RecordId[],
    ): Promise<Map<string, boolean[]>> {
      if (list.length === 0 || ids.length === 0) return new Map();
      for (let before: number | undefined; ; ) {
        const schema = await rules.readSchema(appId, list);
        if (!schema) return new Map();
        const { version } = schema;
        const { evaluate, members } = evaluationOf(list, schema);
        const projection = Object.fromEntries(members.map((member) => [member, 1 as const]));
        const results = new Map<string, boolean[]>();
        const rest = createRest();
        let isOutdated = false;
        for await (const record of reader.stored(appId, ids, projection)) {
          // Its fields may have been renamed since the schema was read. If the schema is the same
          // when it is read again, a backup or a rollback has brought an earlier one.
          isOutdated ||= record.schemaVersion > version;
          results.set(record._id.toHexString(), evaluate(record));
          await rest();
        }
        if (!isOutdated || version === before) return results;
        before = version;
      }
    },

    /**
     * Resolves with the number of the newest records for which the conditions hold, of those that
     * were read in the time limit. @throws {InvalidInput}
     */
    async test(appId: ObjectId, sent: Conditions): Promise<{ matches: number; of: number; complete: boolean }> {
      const budget = createBudget(budgetMs);
      const [checked] = await rules.checked(appId, [sent], []);
      const issues = checked?.issues ?? [];
      if (issues.length > 0) {
        const inBody = issues.map((issue) => ({ ...issue, path: `if.${issue.path}` }));
        throw new InvalidInput('invalidBody', inBody);
      }
      const found = { matches: 0, of: 0 };
      const list = checked ? [checked.conditions] : [];
      const schema = await rules.readSchema(appId, list);
      if (!schema) return { ...found, complete: true };
      const { evaluate, members } = evaluationOf(list, schema);
      const segment = { index: 'id', bounds: EVERY_ID, isReversed: false, filter: {}, isOfKeys: false };
      const reading = () => ({ members, limit: Math.min(TRIED_AT_ONCE, MOST_TRIED - found.of) });
      const rest = createRest();
      for await (const { documents, next } of ranges.walk(appId, [segment], undefined, reading, { budget })) {
        for (const document of documents) {
          const [holds] = evaluate(decode<StoredValues>(document));
          found.of += 1;
          if (holds) found.matches += 1;
          await rest();
        }
        if (next === undefined || found.of >= MOST_TRIED) return { ...found, complete: true };
      }
      return { ...found, complete: false };
    },
  };
}

/** Returns what evaluates conditions on stored records, and the members that it reads. */
function evaluationOf(list: readonly StoredConditions[], { fields, moving, renames }: ReadSchema) {
  const present = list.map((one) => withoutVersion(underPresentKeys(one, renames)));
  const evaluate = createEvaluation(present, fields);
  const keys = namedKeys(present);
  const former = moving?.pairs.flatMap(({ from, to }) => (keys.has(to) ? [from] : [])) ?? [];
  const ofFields = [...new Set([...keys, ...former])].map((key) => `data.${key}`);
  return {
    members: ['email', 'schemaVersion', ...ofFields],
    evaluate: ({ data = {}, ...record }: StoredValues) => evaluate(shownRecord({ ...record, data }, moving)),
  };
}

/** Returns a function that yields to the event loop when enough time has passed since. */
function createRest() {
  let resumedAt = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - resumedAt < MAX_BLOCKING_MS) return;
    await yieldToEventLoop();
    resumedAt = performance.now();
  };
}
