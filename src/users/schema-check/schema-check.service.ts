import { setImmediate as otherWork } from 'node:timers/promises';
import type { App, AppService } from '../../apps/apps.service.ts';
import { InvalidInput, type Issue } from '../../core/errors.ts';
import { compileSchema } from '../../fields/compile.ts';
import { completeDefinition, definitionIssues, type FieldDefinitionInput } from '../../fields/definition.ts';
import type { UserRecord } from '../users.presenter.ts';

/** Ends before the deadline of a request does. */
const BUDGET_MS = 1_800;
/** How long it may hold the event loop before other requests get their turn (invariant 7). */
const TURN_MS = 10;
const MAX_EXAMPLES = 5;

/** What a schema would make of an app's stored records. */
export interface SchemaCheck {
  checked: number;
  failing: number;
  /** The first problem of each of the newest records that fail. */
  examples: (Issue & { id: string })[];
  /** Whether every record was looked at. */
  complete: boolean;
}

export type SchemaCheckService = ReturnType<typeof createSchemaCheckService>;

/**
 * Tells what a schema would make of records that are stored already, before it is put in place: a replacement itself does not check them (spec 4.4, rule 2). It belongs to the
 * users feature, because schemas know nothing of users (docs/architecture.md).
 *
 * @param budgetMs how long one check may take
 */
export function createSchemaCheckService(deps: {
  apps: Pick<AppService, 'get'>;
  users: { each(app: App): AsyncIterable<UserRecord> };
  budgetMs?: number;
}) {
  const { apps, users, budgetMs = BUDGET_MS } = deps;

  return {
    /**
     * Checks an app's records, newest first, as they are stored: array items have their stored form. Stores nothing.
     * @throws {InvalidInput} when the definitions contradict themselves @throws {NotFound}
     */
    async run(
      sourceAppId: string,
      input: { rejectUnknown: boolean; fields: FieldDefinitionInput[] },
    ): Promise<SchemaCheck> {
      const begun = performance.now();
      const app = await apps.get(sourceAppId);
      const issues = definitionIssues(input.fields);
      if (issues.length > 0) throw new InvalidInput('Invalid schema', issues);
      // Patterns are compiled twice, once to be judged and once to be used; each takes a turn of its own.
      await otherWork();
      const { rejectUnknown } = input;
      const validator = compileSchema({ rejectUnknown, fields: input.fields.map(completeDefinition) });

      const result: SchemaCheck = { checked: 0, failing: 0, examples: [], complete: false };
      let turn = performance.now();
      for await (const { _id, data } of users.each(app)) {
        const now = performance.now();
        if (now - begun >= budgetMs) return result;
        if (now - turn >= TURN_MS) {
          await otherWork();
          turn = performance.now();
        }
        const [first] = validator.issues(data);
        result.checked += 1;
        if (!first) continue;
        result.failing += 1;
        if (result.examples.length < MAX_EXAMPLES) result.examples.push({ id: _id.toString(), ...first });
      }
      return { ...result, complete: true };
    },
  };
}
