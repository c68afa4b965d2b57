import type { Types } from 'mongoose';
import { createAppRevision } from '../apps/revision.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import { createContentStore } from '../imports/content/content-store.ts';
import { createImportStore } from '../imports/import-store.ts';
import { createImportsOfPerson } from '../imports/imports-of-person.ts';
import { createRejectStore } from '../imports/rejects/reject-store.ts';
import { ownedByTime } from '../imports/removal.ts';
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
  const imports = createImportStore(models.imports.collection);
  const importContent = createContentStore(models.importChunks.collection);
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
    imports,
    importContent,
    importRejects: createRejectStore(models.importRejects.collection),
    slots,
    slotRecords: createSlotRecords(users),
    retention: createRetentionStore(models.apps.collection),
    revision: createAppRevision(models.revisions.collection),

    /** What is deleted with an app beside its records. */
    owned: [
      ...[schemas, sessions, keys, spent, held, suppressions],
      ownedByTime(models.imports.collection, 'createdAt'),
      ownedByTime(models.importChunks.collection, 'at'),
      ownedByTime(models.importRejects.collection, 'at'),
    ],
    /** What is held of a person. What can become a record comes first. */
    personal: [
      createImportsOfPerson({
        ...{ store: imports, content: importContent, rejects: models.importRejects.collection },
      }),
      createHeldOfPerson(models.held.collection),
      createPersonRecords(users, keys.removeOf),
    ],
  };
}
