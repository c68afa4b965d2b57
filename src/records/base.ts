import type { OperatorLoad } from '../api/operator-load.ts';
import type { Pace } from '../apps/activity.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { Config } from '../platform/core/config.ts';
import type { Connection } from '../platform/database/client.ts';
import type { DatabaseClock } from '../platform/database/clock.ts';
import type { JobSignal } from '../platform/jobs/job-runner.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { SlotHandover } from './indexes/slot-handover.ts';
import { createRecordRanges } from './read/ranges.ts';
import { createRecordPages } from './read/record-pages.ts';
import { createRecordReader } from './read/record-reader.ts';
import type { EventConsumer } from './stored/outbox.ts';
import { createUserModel } from './stored/record.ts';
import { createRecordIds } from './stored/record-id.ts';
import { createErasureGuard, createErasureModel, type RecordTraces } from './write/erasure.ts';
import { createRecordLimits } from './write/record-limits.ts';
import type { RecordPart } from './write/record-part.ts';

/** What a feature of records declares besides that of every feature. */
export interface RecordFeature extends Feature {
  part?: RecordPart;
  /** What it stores about records elsewhere. */
  traces?: readonly RecordTraces[];
  /** What gets the events of records. */
  consumers?: readonly EventConsumer[];
}

export type RecordBase = ReturnType<typeof createRecordBase>;

/**
 * Creates what the features of records and their writes share: the collection and its readers.
 * `writesEndMs` and `checksMs`: shorter in tests only.
 */
export function createRecordBase(deps: {
  config: Pick<Config, 'maxArrayItems' | 'recordLimit'>;
  connection: Connection;
  apps: Apps;
  schemas: Schemas;
  pace: Pick<Pace, 'throttle'>;
  slotHandover: Pick<SlotHandover, 'handOver'>;
  clock: Pick<DatabaseClock, 'earlier' | 'read'>;
  signal: JobSignal;
  load: OperatorLoad;
  writesEndMs: number | undefined;
  checksMs: readonly number[] | undefined;
}) {
  const { config, connection, apps, schemas, pace, clock, load, writesEndMs, checksMs } = deps;
  const { recent: recentRenames } = schemas.renames;
  const users = createUserModel(connection).collection;
  const ranges = createRecordRanges(users, load);
  const reader = createRecordReader(users, recentRenames);
  return {
    ...deps,
    users,
    erasures: createErasureModel(connection),
    ranges,
    pages: createRecordPages({ users, ranges, load, recentRenames }),
    reader,
    newId: createRecordIds(),
    limits: createRecordLimits(config.recordLimit),
    guardOfErased: createErasureGuard(users, clock),
    /** Of the jobs that pass over all records of an app. */
    passes: {
      countForDisplay: reader.countForDisplay,
      revision: apps.revision,
      pace,
      writesEndMs,
      checksMs,
    },
  };
}
