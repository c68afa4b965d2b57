import type { Config } from '../../platform/core/config.ts';
import type { Connection } from '../../platform/database/client.ts';
import { joinMembers } from '../../platform/database/members.ts';
import { createOrderedIds } from '../../platform/database/ordered-ids.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import { createRecordLimits } from './record-limits.ts';
import { createRecordList, type Showing } from './record-list.ts';
import { createRecordParts, type RecordPart } from './record-part.ts';
import { createRecordRemoval } from './record-removal.ts';
import { createBatchedWriter } from './record-writer.ts';
import { createRevalidation } from './revalidation.ts';
import { createSubmissionStore } from './submission-writes.ts';
import { CORE_MEMBERS, createUserModel } from './users.model.ts';

export type UserBase = ReturnType<typeof createUserBase>;

/**
 * Creates what the parts of records stand on: the collection, its list, the limits of a record.
 * @param deps.showing changes what is shown of a record
 */
export function createUserBase(deps: {
  config: Pick<Config, 'maxArrayItems' | 'recordLimit'>;
  connection: Connection;
  load: OperatorLoad;
  showing: Showing | undefined;
}) {
  const { config, connection, load, showing } = deps;
  const users = createUserModel(connection).collection;
  return {
    config,
    connection,
    load,
    users,
    list: createRecordList(users, load, showing),
    newId: createOrderedIds(),
    limits: createRecordLimits(config.recordLimit),
  };
}

export type Users = ReturnType<typeof createUsers>;

/** Creates the users of apps (spec 2.1): their model, and the writes of submissions. */
export function createUsers(
  { config, connection, users, list, newId, limits }: UserBase,
  deps: {
    apps: Pick<AppService, 'stateOf'>;
    leases: SchemaLeases;
    /** Returns what features add to a record, in the order of the refusals of a write. */
    parts(): readonly RecordPart[];
    metrics: Metrics;
  },
) {
  const { apps, leases, metrics } = deps;
  const parts = createRecordParts(deps.parts);
  return {
    list,
    limits,
    parts,
    revalidation: createRevalidation({ users, parts, apps, leases }),
    submissions: createSubmissionStore({
      users,
      newId,
      limits,
      maxArrayItems: config.maxArrayItems,
      parts,
      writer: createBatchedWriter(users, metrics),
    }),
    /** The records as data of their app. */
    owned: createRecordRemoval(users),
    /** The model of users, with the members of all parts. */
    model: () => createUserModel(connection, joinMembers([CORE_MEMBERS, ...parts.all().map(({ members }) => members)])),
  };
}
