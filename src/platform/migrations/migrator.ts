import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { NamedError } from '../core/errors.ts';
import { beginsBefore } from '../database/clock.ts';
import { databaseRefusal, isOverTime } from '../database/failures.ts';
import { type HeldLock, type JobLocks, keepLock } from '../jobs/job-locks.ts';
import type { Fence, Migration, Phase } from './migration.ts';
import type { MigrationState, MigrationStore } from './migrations.model.ts';

const LOCK = 'migrations';
const LOOK_AGAIN_MS = 250;
const BATCH = 1_000;
/** Of attempts in a row that the database did not answer, one a second. */
const MAX_FAILURES = 60;
const RETRY_MS = 1_000;
/** `pending` counts no further. */
export const MAX_PENDING = 10_000;

/** Why the server does not start, or the command does nothing. One line, for operators. */
export class MigrationRefused extends NamedError {}

/** Another migrator holds the lock by now. */
class LockLost extends NamedError {}

export interface MigrationStatus {
  number: number;
  name: string;
  state: MigrationState;
  changed: number;
  /** The parts that `expand` and `contract` would run. */
  next: Phase | undefined;
}

type Condition = (migration: Migration, state: MigrationState) => boolean;

const isMissing: Condition = (_migration, state) => isBefore(state, 'expanded');

const canContract: Condition = ({ contract }, state) => contract !== undefined && state !== 'contracted';

/**
 * Runs migrations, one at a time over all servers. The lock ends 3.5 s after its holder, and the
 * next migrator continues at the step that was stored last.
 * @param deps.findOlder describes the running servers of a lower level, one line each
 * @param deps.throttle called between steps with the start of the last one, so that submissions
 * pass
 * @param deps.progress for operators: what runs, and what was done
 * @throws when a number is missing or twice
 */
export function createMigrator(deps: {
  migrations: readonly Migration[];
  store: MigrationStore;
  locks: JobLocks;
  findOlder(level: number): Promise<string[]>;
  throttle(begun: number, signal: AbortSignal): Promise<void>;
  progress(line: string): void;
}) {
  const { store, locks, findOlder, throttle, progress } = deps;
  const migrations = inOrder(deps.migrations);
  const level = migrations.length;

  async function select(condition: Condition): Promise<Migration[]> {
    const documents = await store.read();
    return migrations.filter((migration) => condition(migration, documents.get(migration.number)?.state ?? 'waiting'));
  }

  /** Works on each migration that meets a condition, or waits while another migrator does. */
  async function workOn(
    condition: Condition,
    work: (migration: Migration, lock: HeldLock, turn: ObjectId) => Promise<void>,
  ): Promise<void> {
    let failures = 0;
    while ((await select(condition)).length > 0) {
      const turn = new ObjectId();
      const takenAt = performance.now();
      if (!(await locks.hold(LOCK, true, turn))) {
        await sleep(LOOK_AGAIN_MS);
        continue;
      }
      const lock = keepLock(locks, LOCK, turn, takenAt);
      try {
        // Another migrator may have ended since.
        for (const migration of await select(condition)) await work(migration, lock, turn);
        return;
      } catch (error) {
        if (error instanceof LockLost) continue;
        failures += 1;
        if (databaseRefusal(error) === undefined || failures > MAX_FAILURES) throw error;
        await sleep(RETRY_MS);
      } finally {
        await lock.end();
        await locks.release(LOCK, 0, turn).catch(() => undefined);
      }
    }
  }

  /** A condition that holds while this turn has the lock. @throws {LockLost} */
  async function fenceOf(lock: HeldLock, turn: ObjectId): Promise<Fence> {
    const until = await locks.heldUntil(LOCK, turn);
    if (until === undefined || !lock.stillOwner()) throw new LockLost();
    return beginsBefore(until);
  }

  async function run(migration: Migration, phase: Phase, lock: HeldLock, turn: ObjectId): Promise<void> {
    const { number, name } = migration;
    const document = await store.begin(migration, phase, turn, await fenceOf(lock, turn));
    if (document === undefined) throw new LockLost();
    const part = migration[phase];
    let { position, changed } = document;
    let limit = BATCH;
    progress(`Migration ${number} (${name}): ${phase === 'expand' ? 'runs' : 'is contracted'}`);
    for (;;) {
      const begun = performance.now();
      try {
        const fence = await fenceOf(lock, turn);
        const result = (await part?.step({ position, limit, fence })) ?? { changed: 0 };
        changed += result.changed;
        const isOver = result.position === undefined;
        const isStored = isOver
          ? await store.finish(number, phase, turn, result.changed)
          : await store.advance(number, phase, turn, result.changed, result.position);
        if (!isStored) throw new LockLost();
        if (isOver) break;
        position = result.position;
      } catch (error) {
        if (!isOverTime(error) || limit === 1) throw error;
        limit = Math.ceil(limit / 8);
      }
      await throttle(begun, lock.signal);
    }
    progress(`Migration ${number} (${name}): done, ${changed} changed`);
  }

  return {
    /** The number of the newest migration of this release; 0: it has none. */
    level,

    async status(): Promise<MigrationStatus[]> {
      const documents = await store.read();
      return migrations.map((migration) => {
        const { number, name } = migration;
        const { state = 'waiting', changed = 0 } = documents.get(number) ?? {};
        const contracts = canContract(migration, state) ? 'contract' : undefined;
        return { number, name, state, changed, next: isMissing(migration, state) ? 'expand' : contracts };
      });
    },

    /** Resolves with how many documents a part would change, at most {@link MAX_PENDING}. */
    pending: async (number: number, phase: Phase): Promise<number> =>
      (await migrations[number - 1]?.[phase]?.pending(MAX_PENDING)) ?? 0,

    /**
     * Awaited before a server uses the database, and again after it was announced: then no
     * contraction that it does not know can begin before it ends.
     * @throws {MigrationRefused} when a later release has contracted migrations
     */
    async admit(): Promise<void> {
      for (const { _id, state, name } of (await store.read()).values()) {
        if (_id <= level || isBefore(state, 'checking')) continue;
        if (state === 'checking' && (await store.retract(_id))) continue;
        throw new MigrationRefused(
          `The database was contracted by a later release (migration ${_id}, ${name}), and this release knows migrations up to ${level}. Start the later release.`,
        );
      }
    },

    /** Instead of `expand`, on a database that no release has used. */
    skipAll: (): Promise<void> => store.skipAll(migrations),

    /** Runs the missing migrations, or waits while another server does. */
    expand: (): Promise<void> => workOn(isMissing, (migration, lock, turn) => run(migration, 'expand', lock, turn)),

    /** @throws {MigrationRefused} when migrations are missing */
    async requireAll(): Promise<void> {
      const missing = (await select(isMissing)).map(({ number }) => number);
      if (missing.length === 0) return;
      throw new MigrationRefused(
        `Migrations of stored data are missing (${missing.join(', ')}) and MIGRATE_ON_START is false: run "user-collection-service migrate", which may run beside servers of the release before this one.`,
      );
    },

    /**
     * Contracts all migrations that can be. A contraction that was interrupted continues.
     * @throws {MigrationRefused} while servers of an earlier release run
     */
    contract: (): Promise<void> =>
      workOn(canContract, async (migration, lock, turn) => {
        await announceContraction(migration, lock, turn);
        await run(migration, 'contract', lock, turn);
      }),
  };

  /** First announced, then checked: a server that starts meanwhile retracts it or refuses. */
  async function announceContraction({ number }: Migration, lock: HeldLock, turn: ObjectId): Promise<void> {
    const isAnnounced = await store.announce(number, turn, await fenceOf(lock, turn));
    const servers = await findOlder(number);
    if (servers.length > 0) {
      if (isAnnounced) await store.retract(number, turn);
      throw new MigrationRefused(
        `Migration ${number} is not contracted, because servers of an earlier release were seen in the last minute: ${servers.join('; ')}. Stop them, and run the command again after a minute.`,
      );
    }
    if (!isAnnounced || (await store.beginContraction(number, turn))) return;
    // Another migrator may have contracted it.
    await fenceOf(lock, turn);
    throw new MigrationRefused(
      `Migration ${number} is not contracted, because a server of an earlier release started.`,
    );
  }
}

const ORDER: readonly MigrationState[] = ['waiting', 'expanding', 'expanded', 'checking', 'contracting', 'contracted'];

function isBefore(state: MigrationState, other: MigrationState): boolean {
  return ORDER.indexOf(state) < ORDER.indexOf(other);
}

/** The migrations of all features by number. @throws when a number is missing or twice */
function inOrder(migrations: readonly Migration[]): Migration[] {
  const ordered = [...migrations].sort((one, other) => one.number - other.number);
  const wrong = ordered.findIndex(({ number }, index) => number !== index + 1);
  if (wrong !== -1) throw new Error(`the migrations have no number ${wrong + 1}, or another one twice`);
  return ordered;
}
