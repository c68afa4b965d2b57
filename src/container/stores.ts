import type { Types } from 'mongoose';
import { createApiKeyStore } from '../api-keys/api-key-store.ts';
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
import { createPersonRecords } from '../users/people/person-records.ts';
import { createSuppressions } from '../users/people/suppressions.ts';
import { createRecordIds } from '../users/record-id.ts';
import { createRecordPages } from '../users/record-pages.ts';
import { createRetentionStore } from '../users/retention/retention-store.ts';
import { createUserStore } from '../users/user-store.ts';
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
  const users = models.users.collection;
  const pages = createRecordPages(users);
  const schemas = createSchemaStore(models.schemas.collection);
  const keys = createIdempotencyKeys(users, models.movedKeys.collection);
  const records = createUserStore(users, pages, appIdOf, keys.removeOf);
  const sessions = createSessionOwnership(connection);
  const spent = createSpentChallenges(models.spentChallenges.collection);
  const held = createHeldStore(models.held.collection, newId);
  const suppressions = createSuppressions(models.suppressed.collection, sessionSecret);
  const apiKeys = createApiKeyStore(models.apiKeys.collection);
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
    slots,
    apiKeys,
    slotRecords: createSlotRecords(users),
    retention: createRetentionStore(models.apps.collection),
    revision: createAppRevision(models.revisions.collection),

    /** What is deleted with an app beside its records. */
    owned: [apiKeys, schemas, sessions, keys, spent, held, suppressions],
    /** What is held of a person. A held submission can become a record, so it comes first. */
    personal: [createHeldOfPerson(models.held.collection), createPersonRecords(users, keys.removeOf)],
  };
}
