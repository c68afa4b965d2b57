import { createApiKeyModel } from '../api-keys/api-key-store.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from '../apps/apps.model.ts';
import { createAuditModel } from '../audit/audit-log.ts';
import type { Connection } from '../database/client.ts';
import { createChunkModel, createImportModel, createRejectModel } from '../imports/imports.model.ts';
import { createJobModel } from '../jobs/job-locks.ts';
import { createMailModel } from '../notifications/mail-queue.ts';
import { createSuppressionModel } from '../people/suppressions.ts';
import { createErasureModel } from '../records/erasure.ts';
import { createMovedKeyModel } from '../records/idempotency-keys.ts';
import { createUserModel } from '../records/record.ts';
import { createSchemaModel } from '../schemas/schema-store.ts';
import { createSpentChallengeModel } from '../submissions/challenges.ts';
import { createHeldModel } from '../submissions/held-store.ts';
import { createDeletedWebhookModel, createDeliveryModel, createWebhookModel } from '../webhooks/webhook-store.ts';

export type Models = ReturnType<typeof createModels>;

/** Creates the models of all collections. `ensureIndexes` creates their indexes. */
export function createModels(connection: Connection) {
  return {
    apps: createAppModel(connection),
    deletedApps: createDeletedAppModel(connection),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection),
    users: createUserModel(connection),
    movedKeys: createMovedKeyModel(connection),
    spentChallenges: createSpentChallengeModel(connection),
    held: createHeldModel(connection),
    suppressed: createSuppressionModel(connection),
    imports: createImportModel(connection),
    importChunks: createChunkModel(connection),
    importRejects: createRejectModel(connection),
    jobs: createJobModel(connection),
    apiKeys: createApiKeyModel(connection),
    audit: createAuditModel(connection),
    mails: createMailModel(connection),
    webhooks: createWebhookModel(connection),
    deliveries: createDeliveryModel(connection),
    deletedWebhooks: createDeletedWebhookModel(connection),
    erasures: createErasureModel(connection),
  };
}
