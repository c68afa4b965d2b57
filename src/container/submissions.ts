import type { AppActivity } from '../apps/activity.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { Config } from '../core/config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createGroupCommit, createRecordWriter } from '../records/group-commit.ts';
import { createRecordLimits } from '../records/record-limits.ts';
import type { RepairRenames } from '../records/record-moves.ts';
import { createRevalidation } from '../records/revalidation.ts';
import type { RepairSlots } from '../records/slot-records.ts';
import { createSubmissionStore } from '../records/submission-store.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import type { UserCounts } from '../search/user-counts.ts';
import { createAdmissionCheck, createCapacity, createSeats } from '../submissions/admission.ts';
import { createChallenges } from '../submissions/challenges.ts';
import { countSubmissions, createSubmissionService } from '../submissions/submissions.service.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/**
 * Creates what accepts and stores submissions.
 * @param deps.secret derives the keys of challenges
 */
export function createSubmissions(deps: {
  config: Pick<Config, 'maxArrayItems' | 'recordLimit'>;
  models: Models;
  stores: Stores;
  apps: AppService;
  leases: SchemaLeases;
  activity: AppActivity;
  counts: UserCounts;
  repairSlots: RepairSlots;
  repairRenames: RepairRenames;
  secret: string;
  metrics: Metrics;
}) {
  const { config, models, stores, apps, leases, activity, counts, repairSlots, repairRenames, secret, metrics } = deps;
  const users = models.users.collection;
  const limits = createRecordLimits(config.recordLimit);
  const store = createSubmissionStore({
    moves: stores.moves,
    catchUp: stores.slots.catchUp,
    ...{ users, keys: stores.keys, limits, newId: stores.newId, maxArrayItems: config.maxArrayItems },
    writer: createGroupCommit(users, createRecordWriter(users), metrics),
  });
  const challenges = createChallenges(secret);
  const revalidation = createRevalidation({ apps, leases, users: stores.records, repairSlots, repairRenames });
  const submissions = createSubmissionService({
    ...{ activity, leases, store, limits, spent: stores.spent, held: stores.held },
    revalidation,
    onEvents: stores.outboxSignal.notify,
    checkAdmission: createAdmissionCheck(challenges),
    capacity: createCapacity({ users, seats: createSeats(models.apps.collection, counts.ofApp) }),
  });
  return { submissions: countSubmissions(submissions, metrics), challenges, revalidation };
}
