import type { Types } from 'mongoose';
import { createApiKeyStore } from '../api-keys/api-key-store.ts';
import { createAppConsumers } from '../apps/app-consumers.ts';
import { createAppRevision } from '../apps/revision.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import { createSchemaStore } from '../schemas/schema-store.ts';
import { createSessionOwnership } from '../sessions/session-store.ts';
import { createSpentChallenges } from '../submissions/bots/spent-challenges.ts';
import { createHeldOfPerson } from '../submissions/held/held-of-person.ts';
import { createHeldStore } from '../submissions/held/held-store.ts';
import { createIdempotencyKeys } from '../submissions/store/idempotency-keys.ts';
import { createSlotRecords } from '../users/index-slots/slot-records.ts';
import { createSlotStore } from '../users/index-slots/slot-store.ts';
import { createErasureStore } from '../users/outbox/erasures.model.ts';
import { createRecordEraser } from '../users/outbox/record-eraser.ts';
import { createPersonRecords } from '../users/people/person-records.ts';
import { createSuppressions } from '../users/people/suppressions.ts';
import { createRecordIds } from '../users/record-id.ts';
import { createRecordPages } from '../users/record-pages.ts';
import { createRetentionStore } from '../users/retention/retention-store.ts';
import { createUserStore } from '../users/user-store.ts';
import { createDeliveriesOfPerson } from '../webhooks/deliveries/deliveries-of-person.ts';
import { createDeliveryStore } from '../webhooks/deliveries/delivery-store.ts';
import { createWebhookStore } from '../webhooks/webhook-store.ts';
import type { Models } from './models.ts';

export type Stores = ReturnType<typeof createStores>;

/**
 * Creates what reads and writes one collection each.
 *
 * @param appIdOf resolves with the `_id` of an app
 */
export function createStores(
  { sessionSecret }: Pick<Config, 'sessionSecret'>,
  connection: Connection,
  models: Models,
  appIdOf: (sourceAppId: string) => Promise<Types.ObjectId | undefined>,
) {
  const newId = createRecordIds();
  const erasures = createErasureStore(models.erasures.collection);
  const users = models.users.collection;
  const pages = createRecordPages(users);
  const schemas = createSchemaStore(models.schemas.collection);
  const keys = createIdempotencyKeys(users, models.movedKeys.collection);
  const revision = createAppRevision(models.revisions.collection);
  const consumers = createAppConsumers(models.apps.collection, revision);
  const eraseRecords = createRecordEraser({
    ...{ users, erasures: models.erasures.collection, newId },
    ...{ removeKeysOf: keys.removeOf, hasConsumers: consumers.hasAny },
  });
  const records = createUserStore(users, pages, appIdOf, eraseRecords);
  const sessions = createSessionOwnership(connection);
  const spent = createSpentChallenges(models.spentChallenges.collection);
  const held = createHeldStore(models.held.collection, newId);
  const suppressions = createSuppressions(models.suppressed.collection, sessionSecret);
  const apiKeys = createApiKeyStore(models.apiKeys.collection);
  const webhooks = createWebhookStore(models.webhooks.collection);
  const deliveries = createDeliveryStore(models.deliveries.collection);
  const slots = createSlotStore(models.apps.collection);
  return {
    newId,
    pages,
    schemas,
    keys,
    records,
    sessions,
    spent,
    held,
    suppressions,
    webhooks,
    deliveries,
    erasures,
    slots,
    apiKeys,
    slotRecords: createSlotRecords(users),
    retention: createRetentionStore(models.apps.collection),
    revision,
    consumers,
    eraseRecords,

    /** What is deleted with an app beside its records. */
    owned: [apiKeys, schemas, sessions, keys, spent, held, suppressions, webhooks, deliveries, erasures],
    /**
     * What is held of a person. A held submission can become a record, so it comes first; what
     * names a record comes before the record.
     */
    personal: [
      createHeldOfPerson(models.held.collection),
      createDeliveriesOfPerson(users, deliveries),
      createPersonRecords(users, eraseRecords),
    ],
  };
}
