import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { App, AppService } from '../../apps/apps.service.ts';
import { InvalidInput, type Issue } from '../../core/errors.ts';
import { compileSchema } from '../../fields/compile.ts';
import { completeDefinition, definitionIssues, type FieldDefinitionInput } from '../../fields/definition.ts';
import type { UserRecord } from '../users.presenter.ts';

/** Below the deadline of a request. */
const BUDGET_MS = 1_800;
/** The longest time between two yields to the event loop (invariant 7). */
const MAX_BLOCKING_MS = 10;
const MAX_EXAMPLES = 5;

/** How many of an app's stored records do not conform to a schema. */
export interface SchemaCheck {
  checked: number;
  failing: number;
  /** The first problem of each of the newest failing records, at most 5. */
  examples: (Issue & { id: string })[];
  /** Whether every record was checked within the time limit. */
  complete: boolean;
}

export type SchemaCheckService = ReturnType<typeof createSchemaCheckService>;

/**
 * Checks stored records against a schema that is not in force yet. A replacement of the schema does
 * not check them (spec 4.4, rule 2). It is part of the users feature, because the schemas feature
 * does not import users (docs/architecture.md).
 *
 * @param budgetMs the time limit of one check
 */
export function createSchemaCheckService(deps: {
  apps: Pick<AppService, 'get'>;
  users: { each(app: App): AsyncIterable<UserRecord> };
  budgetMs?: number;
}) {
  const { apps, users, budgetMs = BUDGET_MS } = deps;

  return {
    /**
     * Checks an app's records in their stored form, newest first, until the time limit. Stores
     * nothing.
     *
     * @throws {NotFound} when the id names no app
     * @throws {InvalidInput} when the definitions contradict themselves
     */
    async run(
      sourceAppId: string,
      input: { rejectUnknown: boolean; fields: FieldDefinitionInput[] },
    ): Promise<SchemaCheck> {
      const startedAt = performance.now();
      const app = await apps.get(sourceAppId);
      const issues = definitionIssues(input.fields);
      if (issues.length > 0) throw new InvalidInput('Invalid schema', issues);
      // `definitionIssues` and `compileSchema` each compile all patterns; other work runs in
      // between.
      await yieldToEventLoop();
      const { rejectUnknown } = input;
      const validator = compileSchema({ rejectUnknown, fields: input.fields.map(completeDefinition) });

      const result: SchemaCheck = { checked: 0, failing: 0, examples: [], complete: false };
      let resumedAt = performance.now();
      for await (const { _id, data } of users.each(app)) {
        const now = performance.now();
        if (now - startedAt >= budgetMs) return result;
        if (now - resumedAt >= MAX_BLOCKING_MS) {
          await yieldToEventLoop();
          resumedAt = performance.now();
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
