import type { Types } from 'mongoose';
import { createApiKeyStore } from '../api-keys/api-key-store.ts';
import { createAppConsumers } from '../apps/app-consumers.ts';
import { createAppRevision } from '../apps/revision.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import type { DatabaseClock } from '../database/clock.ts';
import { createContentStore } from '../imports/content.ts';
import { createImportStore, ownedByTime } from '../imports/import-store.ts';
import { createImportsOfPerson } from '../imports/person-lines.ts';
import { createRejectStore } from '../imports/rejects.ts';
import { createMailQueue, createMailsOfPerson } from '../notifications/mail-queue.ts';
import { createRetentionStore } from '../people/retention.ts';
import { createSuppressions } from '../people/suppressions.ts';
import { createErasureStore, createRecordEraser } from '../records/erasure.ts';
import { createIdempotencyKeys } from '../records/idempotency-keys.ts';
import { createOutboxSignal } from '../records/outbox.ts';
import { createPersonRecords } from '../records/person-records.ts';
import { createReadQueues } from '../records/read-queues.ts';
import { createRecordIds } from '../records/record-id.ts';
import { createRecordMoves } from '../records/record-moves.ts';
import { createRecordPages } from '../records/record-pages.ts';
import { createSlotRecords } from '../records/slot-records.ts';
import { createSlotStore } from '../records/slot-store.ts';
import { createUserStore } from '../records/user-store.ts';
import { createRenameStore, createSlotHandover } from '../schemas/pending-renames.ts';
import { createSchemaStore } from '../schemas/schema-store.ts';
import { createSessionOwnership } from '../sessions/session-store.ts';
import { createSpentChallenges } from '../submissions/challenges.ts';
import { createHeldOfPerson, createHeldStore } from '../submissions/held-store.ts';
import { createDeliveriesOfPerson, createDeliveryStore } from '../webhooks/delivery-store.ts';
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
