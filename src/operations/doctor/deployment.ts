import { type Document, MongoServerError, type Timestamp } from 'mongodb';
import { MAX_CLOCK_DIFFERENCE_MS } from '../../platform/database/clock.ts';
import { type Context, isReplicaSet, isSharded, STATEMENT_MS } from './context.ts';
import { duration, type Finding, fault, good, reasonOf, unknown, warning } from './findings.ts';

/** The least version with every command that the service uses, and the least one that is tested. */
const LEAST = 4.4;
const TESTED = 6;

/** The version of MongoDB, and of its data files. */
export async function checkVersion(context: Context): Promise<Finding> {
  const { version } = await context.command({ buildInfo: 1 });
  const release = Number.parseFloat(version);
  if (release < LEAST) return fault(`MongoDB ${version}`, `Upgrade to MongoDB ${TESTED} or later.`);
  if (release < TESTED) {
    return warning(
      `MongoDB ${version}, with which the service is not tested`,
      `Upgrade to MongoDB ${TESTED} or later.`,
    );
  }
  if (isSharded(context)) return good(`MongoDB ${version}`);
  const compatibility = await readCompatibility(context);
  if (compatibility === undefined || Number.parseFloat(compatibility) === release) return good(`MongoDB ${version}`);
  return warning(
    `MongoDB ${version} with the feature compatibility version ${compatibility}`,
    'When the upgrade of MongoDB has proved itself, run setFeatureCompatibilityVersion.',
  );
}

async function readCompatibility({ command }: Context): Promise<string | undefined> {
  try {
    const { featureCompatibilityVersion } = await command({ getParameter: 1, featureCompatibilityVersion: 1 });
    return featureCompatibilityVersion?.version;
  } catch (error) {
    if (error instanceof MongoServerError) return undefined; // few rights: the version is known
    throw error;
  }
}

const PRIMARY = 1;
const SECONDARY = 2;
const ARBITER = 7;
const MAX_LAG_MS = 60_000;

/** A standalone mongod, a replica set with the states of its members, or a sharded cluster. */
export async function checkTopology(context: Context): Promise<Finding | Finding[]> {
  const { config, hello, command } = context;
  if (isSharded(context)) return good('a sharded cluster');
  if (!isReplicaSet(context)) {
    if (config.mongodbUri === undefined) return good('the embedded database, one mongod');
    return warning(
      'a standalone mongod: it has no fail-over, and submissions whose connection was cut are answered with 503',
      'Make it a replica set, also of one member (docs/operations.md).',
    );
  }
  const name = `replica set ${hello.setName}`;
  try {
    return judgeMembers(name, (await command({ replSetGetStatus: 1 })).members);
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    const hosts = good(`${name}, ${hello.hosts?.length ?? 0} members that hold data`);
    return [hosts, unknown(reasonOf(error))];
  }
}

interface Member {
  name: string;
  state: number;
  stateStr: string;
  optimeDate?: Date;
}

function judgeMembers(name: string, members: readonly Member[]): Finding | Finding[] {
  const primary = members.find(({ state }) => state === PRIMARY);
  const states = members.map((member) => `${member.name} ${member.stateStr}`).join(', ');
  if (!primary) {
    return fault(
      `${name} has no primary (${states}): nothing can be written`,
      'Start the members that are down until a majority runs, and check the network between them.',
    );
  }
  const findings = members
    .filter(({ state }) => ![PRIMARY, SECONDARY, ARBITER].includes(state))
    .map((member) => {
      const found = `${name}: ${member.name} is ${member.stateStr}`;
      return warning(found, 'Start that member, or read its log and synchronize it.');
    });
  for (const { name: host, state, optimeDate } of members) {
    const lag = (primary.optimeDate?.getTime() ?? 0) - (optimeDate?.getTime() ?? 0);
    if (state !== SECONDARY || lag <= MAX_LAG_MS) continue;
    findings.push(warning(`${name}: ${host} is ${duration(lag)} behind`, 'Check the disk and the network of it.'));
  }
  if (members.some(({ state }) => state === ARBITER) && members.length <= 3) {
    findings.push(
      warning(
        `${name} has an arbiter: when a member that holds data is down, no submission is confirmed by a majority`,
        'Replace the arbiter by a member that holds data.',
      ),
    );
  }
  return findings.length > 0 ? findings : good(`${name}: ${states}`);
}

const WRITE_WITHIN_MS = 5_000;
const SLOW_WRITE_MS = 1_000;

/** Writes one small document, as submissions are written: confirmed by a majority, journaled. */
export async function checkWrite({ database }: Context): Promise<Finding> {
  const begun = performance.now();
  try {
    await database.collection<{ _id: string }>('doctor').updateOne(
      { _id: 'write' },
      { $currentDate: { at: true } },
      {
        upsert: true,
        maxTimeMS: WRITE_WITHIN_MS,
        writeConcern: { w: 'majority', journal: true, wtimeoutMS: WRITE_WITHIN_MS },
      },
    );
  } catch (error) {
    if (error instanceof MongoServerError && error.codeName === 'Unauthorized') return unknown(reasonOf(error));
    return fault(
      `a write was not confirmed by a majority within ${duration(WRITE_WITHIN_MS)} (${reasonOf(error)})`,
      'Look at the topology, the free disk and the log of the primary: submissions are answered with 503 meanwhile.',
    );
  }
  const ms = Math.round(performance.now() - begun);
  const found = `confirmed by a majority after ${ms} ms`;
  return ms <= SLOW_WRITE_MS ? good(found) : warning(found, 'Check the disk of the members and the network.');
}

const NOTABLE_DIFFERENCE_MS = 5_000;

/** The clocks of this machine and of the running servers, against the database. */
export async function checkClocks({ running, aheadMs: ownMs }: Context): Promise<Finding[]> {
  const clocks = [
    { name: 'this machine', aheadMs: ownMs },
    ...running.map(({ host, pid, clockAheadMs }) => ({
      name: `the server ${host} (process ${pid})`,
      aheadMs: clockAheadMs,
    })),
  ];
  const wrong = clocks.filter(({ aheadMs }) => Math.abs(aheadMs) > NOTABLE_DIFFERENCE_MS);
  if (wrong.length === 0) return [good(`the clocks of ${clocks.length} machines or processes agree with the database`)];
  return wrong.map(({ name, aheadMs }) => {
    const found = `${name} is ${duration(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the database`;
    const advice = 'Synchronize the clocks by NTP: times of records, sessions and codes come from them.';
    if (Math.abs(aheadMs) <= MAX_CLOCK_DIFFERENCE_MS) return warning(found, advice);
    return fault(`${found}; a server with such a clock erases no records for their age`, advice);
  });
}

const SHORT_WINDOW_MS = 24 * 3_600_000;
const LEAST_WINDOW_MS = 3_600_000;
/** An oplog that is filled less than this still grows, so its window says nothing. */
const FULL = 0.9;

/** How long a member may be away before it must copy everything again. */
export async function checkOplog(context: Context): Promise<Finding> {
  if (!isReplicaSet(context)) return good(isSharded(context) ? 'not visible through mongos' : 'there is none');
  const oplog = context.client.db('local').collection<{ ts: Timestamp }>('oplog.rs');
  const options = { projection: { ts: 1 }, maxTimeMS: STATEMENT_MS } as const;
  const [[first], [last], [stats]] = await Promise.all([
    oplog.find({}, { ...options, sort: { $natural: 1 }, limit: 1 }).toArray(),
    oplog.find({}, { ...options, sort: { $natural: -1 }, limit: 1 }).toArray(),
    oplog.aggregate<Document>([{ $collStats: { storageStats: {} } }], { maxTimeMS: STATEMENT_MS }).toArray(),
  ]);
  if (!first || !last) return warning('the oplog is empty', 'Check the replica set.');
  const windowMs = (last.ts.getHighBits() - first.ts.getHighBits()) * 1_000;
  const { size = 0, maxSize = 0 } = stats?.storageStats ?? {};
  return judgeOplog(windowMs, maxSize > 0 ? size / maxSize : 1);
}

/** @param filled the part of its size that the oplog has */
export function judgeOplog(windowMs: number, filled: number): Finding {
  const found = `it covers ${duration(windowMs)}`;
  if (filled < FULL) return good(`${found} and is ${Math.round(filled * 100)} % full`);
  if (windowMs >= SHORT_WINDOW_MS) return good(found);
  const advice = 'Enlarge it (replSetResizeOplog): a member that is away for longer must copy all data again.';
  return windowMs < LEAST_WINDOW_MS ? fault(found, advice) : warning(found, advice);
}
