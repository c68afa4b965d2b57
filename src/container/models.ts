import { createApiKeyModel } from '../api-keys/api-keys.model.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from '../apps/apps.model.ts';
import { createAuditModel } from '../audit/audit.model.ts';
import type { Connection } from '../database/client.ts';
import { createChunkModel, createImportModel, createRejectModel } from '../imports/imports.model.ts';
import { createJobModel } from '../jobs/jobs.model.ts';
import { createMailModel } from '../notifications/queue/mails.model.ts';
import { createSchemaModel } from '../schemas/schemas.model.ts';
import { createSpentChallengeModel } from '../submissions/bots/spent-challenges.ts';
import { createHeldModel } from '../submissions/held/held.model.ts';
import { createMovedKeyModel } from '../submissions/store/idempotency-keys.ts';
import { createErasureModel } from '../users/outbox/erasures.model.ts';
import { createSuppressionModel } from '../users/people/suppressions.ts';
import { createUserModel } from '../users/users.model.ts';
import { createDeletedWebhookModel, createDeliveryModel, createWebhookModel } from '../webhooks/webhooks.model.ts';

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
