import type { MigrationStatus } from '../../platform/migrations/migrator.ts';
import { type Context, STATEMENT_MS } from './context.ts';
import { duration, type Finding, fault, good, warning } from './findings.ts';

const START_ONE = 'Start a server: background jobs run on servers only.';

const OLD_EVENT_MS = 5 * 60_000;
const VERY_OLD_EVENT_MS = 3_600_000;

/** The age of the oldest event that waits in a record for webhooks and emails. */
export async function checkEvents({ services, running, now }: Context): Promise<Finding> {
  const oldest = await services.inventory.oldestWaitingEvent();
  if (!oldest) return good('no event waits');
  const ageMs = now.getTime() - oldest.getTime();
  const found = `the oldest waiting event is ${duration(ageMs)} old`;
  if (ageMs < OLD_EVENT_MS) return good(found);
  const advice = running.length === 0 ? START_ONE : 'Look for "a background job failed" in the logs of the servers.';
  return ageMs > VERY_OLD_EVENT_MS ? fault(found, advice) : warning(found, advice);
}

interface StoredJob {
  _id: string;
  owner: string;
  turn?: { getTimestamp(): Date };
  until: Date;
  at: Date;
  next: Date;
}

/** A server renews its lock each second and holds it for 3.5 s. */
const LOCK_ENDS_WITHIN_MS = 60_000;
/** Servers look for due jobs each second. */
const DUE_SINCE_MS = 5 * 60_000;
const LONG_TURN_MS = 12 * 3_600_000;

/** Locks that do not end, jobs that are due and do not run, and turns that last very long. */
export async function checkJobs({ database, services, running, now }: Context): Promise<Finding[]> {
  const names = services.jobs.states().map(({ name }) => name);
  const jobs = await database
    .collection<StoredJob>('jobs')
    .find({ _id: { $in: names } }, { sort: { _id: 1 }, maxTimeMS: STATEMENT_MS })
    .toArray();
  const findings = jobs.flatMap((job) => judgeJob(job, now, running.length > 0) ?? []);
  return findings.length > 0 ? findings : [good(`${jobs.length} jobs run or wait for their time`)];
}

function judgeJob({ _id, owner, turn, until, next }: StoredJob, now: Date, hasServers: boolean): Finding | undefined {
  const untilMs = until.getTime() - now.getTime();
  if (untilMs > LOCK_ENDS_WITHIN_MS) {
    return fault(
      `the lock of the job ${_id} ends in ${duration(untilMs)}: until then no server runs it`,
      `Remove the document ${_id} of the collection jobs.`,
    );
  }
  const overdueMs = now.getTime() - Math.max(until.getTime(), next.getTime());
  if (untilMs <= 0 && overdueMs > DUE_SINCE_MS) {
    const found = `the job ${_id} is due for ${duration(overdueMs)} and does not run`;
    return hasServers ? fault(found, 'Read the logs of the servers, and restart them.') : warning(found, START_ONE);
  }
  const turnMs = turn && owner !== '' && untilMs > 0 ? now.getTime() - turn.getTimestamp().getTime() : 0;
  if (turnMs <= LONG_TURN_MS) return undefined;
  const found = `the job ${_id} works without a pause for ${duration(turnMs)}`;
  return warning(found, 'Check that its progress grows; otherwise restart the server that runs it.');
}

interface StoredMigration {
  _id: number;
  name: string;
  state: string;
}

const UNFINISHED = ['waiting', 'expanding'];
const BEING_CONTRACTED = ['checking', 'contracting'];
const CONTRACTED = [...BEING_CONTRACTED, 'contracted'];

/** Migrations that are missing or not finished, and those of later releases. */
export async function checkMigrations({ database, services: { migrator } }: Context): Promise<Finding[]> {
  const later = await database
    .collection<StoredMigration>('migrations')
    .find({ _id: { $gt: migrator.level } }, { sort: { _id: 1 }, maxTimeMS: STATEMENT_MS })
    .toArray();
  return judgeMigrations(
    await migrator.status(),
    later.map(({ _id, name, state }) => ({ number: _id, name, state })),
  );
}

type MigrationState = Pick<MigrationStatus, 'number' | 'name'> & { state: string };

/** @param own those of this release @param later those of a later one, as far as they are stored */
export function judgeMigrations(own: readonly MigrationState[], later: readonly MigrationState[]): Finding[] {
  const findings = own.flatMap(({ number, name, state }): Finding[] => {
    const migration = `the migration ${number} (${name})`;
    if (UNFINISHED.includes(state)) {
      const advice = 'Run `user-collection-service migrate`, or start a server of this version.';
      return [warning(`${migration} is ${state === 'waiting' ? 'missing' : 'not finished'}`, advice)];
    }
    if (!BEING_CONTRACTED.includes(state)) return [];
    return [
      warning(`the contraction of ${migration} is not finished`, 'Run `user-collection-service migrate --contract`.'),
    ];
  });
  for (const { number, name, state } of later) {
    const found = `the migration ${number} (${name}) is of a later release`;
    findings.push(
      CONTRACTED.includes(state)
        ? fault(`${found} and is contracted: servers of this version do not start`, 'Use the later release.')
        : warning(found, 'Finish the upgrade, and run this command of the later release.'),
    );
  }
  return findings.length > 0 ? findings : [good(`all ${own.length} are done`)];
}
