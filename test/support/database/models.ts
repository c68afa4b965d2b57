import { createAppModel, createRevisionModel } from '../../../src/apps/apps.model.ts';
import { createDeliveryModel, createWebhookModel } from '../../../src/outbound/webhooks/webhooks.model.ts';
import type { Connection } from '../../../src/platform/database/client.ts';
import { RECORD_MEMBERS } from '../../../src/records/records.ts';
import { createUserModel } from '../../../src/records/stored/record.ts';
import { createErasureModel } from '../../../src/records/write/erasure.ts';
import { createSchemaModel } from '../../../src/schemas/schemas.model.ts';

export type Models = ReturnType<typeof createModels>;

/** Opens the collections that tests of single parts use. */
export function createModels(connection: Connection) {
  return {
    apps: createAppModel(connection),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection),
    users: createUserModel(connection, RECORD_MEMBERS),
    erasures: createErasureModel(connection),
    webhooks: createWebhookModel(connection),
    deliveries: createDeliveryModel(connection),
  };
}
