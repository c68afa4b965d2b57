import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { UserBase } from '../../core/users/users.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { JobSignal } from '../../platform/jobs/job-runner.ts';
import type { Pace } from '../activity/activity.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import type { SlotHandover } from '../indexes/slot-handover.ts';
import type { EventConsumer } from '../outbox/outbox.ts';
import { createRecordPages } from '../record-reads/record-pages.ts';
import { createRecordReader } from '../record-reads/record-reader.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { createEmailChangeModel } from './email-change.ts';
import { createErasureGuard, createErasureModel, type RecordTraces } from './erasure.ts';

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
 * Creates what the features of records share besides the core: readers, and guards of removals.
 * `writesEndMs` and `checksMs`: shorter in tests only.
 */
export function createRecordBase(
  base: UserBase,
  deps: {
    apps: Apps;
    schemas: Schemas;
    renames: RenameStore;
    appReads: Pick<AppReads, 'idsAfter'>;
    pace: Pick<Pace, 'throttle'>;
    slotHandover: Pick<SlotHandover, 'handOver'>;
    clock: Pick<DatabaseClock, 'earlier' | 'read' | 'within'>;
    signal: JobSignal;
    /** Derives the keys of hashes of emails. */
    secret: string;
    writesEndMs: number | undefined;
    checksMs: readonly number[] | undefined;
  },
) {
  const { connection, users, load, list } = base;
  const { apps, renames, pace, writesEndMs, checksMs, clock } = deps;
  const reader = createRecordReader(users, renames.recent);
  return {
    ...base,
    ...deps,
    ...createRecordPages(users, load, list),
    erasures: createErasureModel(connection),
    emailChanges: createEmailChangeModel(connection),
    reader,
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
