import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { compileSchema, type Validator } from '../../core/fields/compile.ts';
import { completeDefinition, definitionIssues, fileLimitIssues } from '../../core/fields/definition.ts';
import { momentIn } from '../../core/schemas/checked-data.ts';
import type { SchemaChange } from '../../core/schemas/schema-part.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import { Forbidden, InvalidInput } from '../../platform/core/errors.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import type { Moment } from '../../platform/text/iso-date.ts';
import type { RecordPages } from '../record-reads/record-pages.ts';
import { SchemaReplacement } from '../renames/renames.routes.ts';
import { renameIssues, resolveRenames, withRenamedKeys } from '../renames/renames.ts';

const Count = z.int().nonnegative();

export const schemaCheckEndpoints = {
  checkSchema: {
    method: 'post',
    path: '/auth/apps/:sourceAppId/schema/check',
    auth: 'session or key',
    scope: 'schema:write',
    role: 'admin or own app',
    audit: 'schema.checked',
    tag: 'Schemas',
    summary: 'Check stored records against a schema',
    description:
      'Counts the stored records that do not conform to it, newest first, for up to two seconds. `renames` count as done. Changes nothing. An API key without the scope `users:read` gets no examples, and is refused with 403 when a field restricts its values, as `regex` and `enum` do: the counts would tell stored values.',
    params: AppPath,
    body: jsonBody(SchemaReplacement, 'invalidSchema'),
    response: z.strictObject({
      checked: Count.meta({ example: 1200 }),
      failing: Count.meta({ example: 1 }),
      newlyFailing: Count.meta({ description: 'Those that conform to the schema in force', example: 1 }),
      examples: z
        .array(z.strictObject({ id: z.uuid(), email: z.string(), path: z.string(), message: z.string() }))
        .max(5)
        .meta({
          example: [
            {
              id: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57',
              email: 'ada@example.com',
              path: 'data.age',
              message: say('notNumber').message,
            },
          ],
        }),
      complete: z.boolean().meta({ description: 'Whether every record was checked' }),
    }),
    errors: [404],
  },
} as const satisfies Endpoints;

/** Below the deadline of a request. */
const BUDGET_MS = 1_800;
/** The maximum time between two yields to the event loop (invariant 7). */
const MAX_BLOCKING_MS = 10;
const MAX_EXAMPLES = 5;
/** The properties of a field with which a count reveals stored values. */
const OF_VALUES = [
  'regex',
  'enum',
  'min',
  'max',
  'earliest',
  'latest',
  'minLength',
  'maxLength',
  'showIf',
  'requiredIf',
] as const;

type SchemaCheck = z.infer<typeof schemaCheckEndpoints.checkSchema.response>;

type SchemaCheckService = ReturnType<typeof createSchemaCheckService>;

/** Checks records against a new schema; a replacement does not (spec 4.4, rule 2). */
export function createSchemaCheckService(deps: {
  apps: Pick<AppService, 'get'>;
  pages: Pick<RecordPages, 'each'>;
  schemas: Pick<SchemaService, 'ofApp'>;
  /** The largest file, in bytes. */
  fileLimit: number;
  budgetMs?: number;
}) {
  const { apps, pages, schemas, fileLimit, budgetMs = BUDGET_MS } = deps;

  return {
    /**
     * Checks an app's records under a schema, newest first, until the time limit. Stores nothing.
     * The examples are newly failing records, newest first, then others.
     * @throws {Forbidden} when the counts would reveal values to a caller without `canRead`
     * @throws {NotFound}
     * @throws {InvalidInput} when the definitions are contradictory
     */
    async run(sourceAppId: string, input: SchemaChange, { canRead }: { canRead: boolean }): Promise<SchemaCheck> {
      if (!canRead && input.fields.some((field) => OF_VALUES.some((name) => Object.hasOwn(field, name)))) {
        throw new Forbidden(say('scopeRequired', { scope: 'users:read' }));
      }
      const startedAt = performance.now();
      const app = await apps.get(sourceAppId);
      const issues = [...definitionIssues(input.fields), ...fileLimitIssues(input.fields, fileLimit)];
      if (issues.length > 0) throw new InvalidInput('invalidSchema', issues);
      const { rejectUnknown, renames: pairs = [] } = input;
      const fields = input.fields.map(completeDefinition);
      const newest = await schemas.ofApp(app);
      const wrong = renameIssues(pairs, newest.fields, fields);
      if (wrong.length > 0) throw new InvalidInput('invalidSchema', wrong);
      const renames = resolveRenames(newest.version + 1, pairs, fields);
      // `definitionIssues` and `compileSchema` each compile all patterns.
      await yieldToEventLoop();
      const validator = compileSchema({ rejectUnknown, fields });
      const current = compileSchema(newest);
      const moment = momentIn({ app });

      const result: SchemaCheck = { checked: 0, failing: 0, newlyFailing: 0, examples: [], complete: false };
      const others: SchemaCheck['examples'] = [];
      const answer = (complete: boolean): SchemaCheck => {
        return { ...result, examples: [...result.examples, ...others].slice(0, MAX_EXAMPLES), complete };
      };
      let resumedAt = performance.now();
      for await (const { _id, email, data } of pages.each(app.id)) {
        const now = performance.now();
        if (now - startedAt >= budgetMs) return answer(false);
        if (now - resumedAt >= MAX_BLOCKING_MS) {
          await yieldToEventLoop();
          resumedAt = performance.now();
        }
        const [first] = problemsAgain(validator, withRenamedKeys(data, renames), moment);
        result.checked += 1;
        if (!first) continue;
        result.failing += 1;
        const isNew = problemsAgain(current, data, moment).length === 0;
        if (isNew) result.newlyFailing += 1;
        const examples = isNew ? result.examples : others;
        if (canRead && examples.length < MAX_EXAMPLES)
          examples.push({ id: _id.toString(), email, path: first.path, message: first.message });
      }
      return answer(true);
    },
  };
}

/** Why stored data could not be submitted again, without the values that would not be shown. */
function problemsAgain(validator: Validator, stored: Record<string, unknown>, moment: Moment): Issue[] {
  const states = validator.states(stored);
  return validator.issues(states ? validator.shownData(stored, states) : stored, 'staff', false, states, moment);
}

export const schemaCheckRoutes = (check: SchemaCheckService): Route[] =>
  routes(schemaCheckEndpoints, {
    checkSchema: async ({ principal, params, body, audit }) => {
      const result = await check.run(params.sourceAppId, body, { canRead: principal.scopes.has('users:read') });
      audit({ detail: { examples: result.examples.length } });
      return result;
    },
  });
