import { createAppModel, createRevisionModel } from '../../src/apps/apps.model.ts';
import type { Connection } from '../../src/database/client.ts';
import { createErasureModel } from '../../src/records/erasure.ts';
import { createUserModel } from '../../src/records/record.ts';
import { createSchemaModel } from '../../src/schemas/schemas.model.ts';
import { createDeliveryModel, createWebhookModel } from '../../src/webhooks/webhooks.model.ts';

export type Models = ReturnType<typeof createModels>;

/** Opens the collections that tests of single parts use. */
export function createModels(connection: Connection) {
  return {
    apps: createAppModel(connection),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection),
    users: createUserModel(connection),
    erasures: createErasureModel(connection),
    webhooks: createWebhookModel(connection),
    deliveries: createDeliveryModel(connection),
  };
}
