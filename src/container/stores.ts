import type { Types } from 'mongoose';
import { createApiKeyStore } from '../api-keys/api-key-store.ts';
import { createAppConsumers } from '../apps/app-consumers.ts';
import { createAppRevision } from '../apps/revision.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import type { DatabaseClock } from '../database/database-clock.ts';
import { createContentStore } from '../imports/content/content-store.ts';
import { createImportStore } from '../imports/import-store.ts';
import { createImportsOfPerson } from '../imports/imports-of-person.ts';
import { createRejectStore } from '../imports/rejects/reject-store.ts';
import { ownedByTime } from '../imports/removal.ts';
import { createMailQueue } from '../notifications/queue/mail-queue.ts';
import { createMailsOfPerson } from '../notifications/queue/mails-of-person.ts';
import { createRenameStore } from '../schemas/renames/pending-renames.ts';
import { createSlotHandover } from '../schemas/renames/slot-handover.ts';
import { createSchemaStore } from '../schemas/schema-store.ts';
import { createSessionOwnership } from '../sessions/session-store.ts';
import { createSpentChallenges } from '../submissions/bots/spent-challenges.ts';
import { createHeldOfPerson } from '../submissions/held/held-of-person.ts';
import { createHeldStore } from '../submissions/held/held-store.ts';
import { createIdempotencyKeys } from '../submissions/store/idempotency-keys.ts';
import { createSlotRecords } from '../users/index-slots/slot-records.ts';
import { createSlotStore } from '../users/index-slots/slot-store.ts';
import { createErasureStore } from '../users/outbox/erasures.model.ts';
import { createOutboxSignal } from '../users/outbox/outbox-signal.ts';
import { createRecordEraser } from '../users/outbox/record-eraser.ts';
import { createPersonRecords } from '../users/people/person-records.ts';
import { createSuppressions } from '../users/people/suppressions.ts';
import { createReadQueues } from '../users/read-queues.ts';
import { createRecordIds } from '../users/record-id.ts';
import { createRecordPages } from '../users/record-pages.ts';
import { createRecordMoves } from '../users/renames/record-moves.ts';
import { createRetentionStore } from '../users/retention/retention-store.ts';
import { createUserStore } from '../users/user-store.ts';
import { createDeliveriesOfPerson } from '../webhooks/deliveries/deliveries-of-person.ts';
import { createDeliveryStore } from '../webhooks/deliveries/delivery-store.ts';
import { createDeletedWebhookStore } from '../webhooks/webhook-removal.ts';
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
  clock: DatabaseClock,
  models: Models,
  appIdOf: (sourceAppId: string) => Promise<Types.ObjectId | undefined>,
) {
  const newId = createRecordIds();
  const erasures = createErasureStore(models.erasures.collection);
  const users = models.users.collection;
  const renames = createRenameStore(models.schemas.collection);
  const queues = createReadQueues();
  const pages = createRecordPages(users, renames.recent, queues);
  const schemas = createSchemaStore(models.schemas.collection);
  const keys = createIdempotencyKeys(users, models.movedKeys.collection);
  const revision = createAppRevision(models.revisions.collection);
  const consumers = createAppConsumers(models.apps.collection, revision);
  const outboxSignal = createOutboxSignal();
  const deliveries = createDeliveryStore(models.deliveries.collection);
  const eraseRecords = createRecordEraser({
    ...{ users, erasures: models.erasures.collection, newId, onEvents: outboxSignal.notify },
    ...{ removeKeysOf: keys.removeOf, hasConsumers: consumers.hasAny },
    traces: { exist: deliveries.names, remove: deliveries.forget },
  });
  const records = createUserStore(users, pages, renames.recent, appIdOf, eraseRecords);
  const sessions = createSessionOwnership(connection);
  const spent = createSpentChallenges(models.spentChallenges.collection, clock.later);
  const held = createHeldStore(models.held.collection, newId, clock);
  const suppressions = createSuppressions(models.suppressed.collection, sessionSecret);
  const apiKeys = createApiKeyStore(models.apiKeys.collection);
  const mails = createMailQueue(models.mails.collection);
  const imports = createImportStore(models.imports.collection, clock.later);
  const importContent = createContentStore(models.importChunks.collection, models.imports.collection);
  const webhooks = createWebhookStore(models.webhooks.collection);
  const deletedWebhooks = createDeletedWebhookStore(models.deletedWebhooks.collection);
  const slots = createSlotStore(models.apps.collection);
  return {
    newId,
    queues,
    pages,
    schemas,
    keys,
    records,
    sessions,
    spent,
    held,
    suppressions,
    mails,
    imports,
    importContent,
    importRejects: createRejectStore(models.importRejects.collection, models.imports.collection),
    webhooks,
    deliveries,
    deletedWebhooks,
    erasures,
    outboxSignal,
    slots,
    apiKeys,
    slotHandover: createSlotHandover(models.apps.collection),
    renames,
    moves: createRecordMoves(users),
    slotRecords: createSlotRecords(users),
    retention: createRetentionStore(models.apps.collection),
    revision,
    consumers,
    eraseRecords,

    /** What is deleted with an app beside its records. */
    owned: [
      ...[apiKeys, schemas, sessions, keys, spent, held, suppressions, webhooks, deliveries, erasures, mails],
      deletedWebhooks,
      ownedByTime(models.imports.collection, 'createdAt'),
      ownedByTime(models.importChunks.collection, 'at'),
      ownedByTime(models.importRejects.collection, 'at'),
    ],
    /**
     * What is held of a person. Lines of imports and held submissions can become a record, so they
     * come first; what names a record comes before the record.
     */
    personal: [
      createImportsOfPerson({
        ...{ store: imports, content: importContent, rejects: models.importRejects.collection },
      }),
      createHeldOfPerson(models.held.collection),
      createDeliveriesOfPerson(users, deliveries),
      createMailsOfPerson(models.mails.collection, users),
      createPersonRecords(users, renames.recent, eraseRecords),
    ],
  };
}
