import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Records } from '../records/records.ts';
import { recordConditionRoutes } from './record-conditions.routes.ts';
import { type ConditionRules, createConditionReader } from './record-conditions.service.ts';

/** Creates what evaluates conditions on records. `queryBudgetMs`: shorter in tests only. */
export function createRecordConditions(deps: {
  apps: Pick<Apps, 'scope'>;
  conditionRules: ConditionRules;
  records: Pick<Records, 'reader' | 'ranges'>;
  queryBudgetMs: number | undefined;
}) {
  const { apps, conditionRules, records, queryBudgetMs } = deps;
  const { reader, ranges } = records;
  const conditions = createConditionReader({ rules: conditionRules, reader, ranges, budgetMs: queryBudgetMs });
  return {
    evaluate: conditions.evaluate,
    feature: { routes: recordConditionRoutes(conditions, apps.scope) } satisfies Feature,
  };
}
