import { createAppParts } from '../../../src/core/apps/app-part.ts';
import { createAppModel, createRevisionModel } from '../../../src/core/apps/apps.model.ts';
import { createSchemaParts } from '../../../src/core/schemas/schema-part.ts';
import { createSchemaModel } from '../../../src/core/schemas/schemas.model.ts';
import { CORE_MEMBERS, createUserModel } from '../../../src/core/users/users.model.ts';
import { createErasureModel } from '../../../src/features/records/erasure.ts';
import { createDeliveryModel, createWebhookModel } from '../../../src/features/webhooks/webhooks.model.ts';
import type { Connection } from '../../../src/platform/database/client.ts';
import { joinMembers } from '../../../src/platform/database/members.ts';
import { APP_PARTS, SCHEMA_PARTS } from '../../../src/services.ts';
import { createUnconnectedParts } from './record-parts.ts';

export type Models = ReturnType<typeof createModels>;

const MEMBERS = createUnconnectedParts().map(({ members }) => members);

/** Opens the collections that tests of single parts use. */
export function createModels(connection: Connection) {
  return {
    apps: createAppModel(connection, createAppParts(APP_PARTS)),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection, createSchemaParts(SCHEMA_PARTS)),
    users: createUserModel(connection, joinMembers([CORE_MEMBERS, ...MEMBERS])),
    erasures: createErasureModel(connection),
    webhooks: createWebhookModel(connection),
    deliveries: createDeliveryModel(connection),
  };
}
