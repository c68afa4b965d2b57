import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ObjectId } from 'mongodb';
import { CommandFailed } from '../../platform/core/errors.ts';
import { type Diagnosis, greet } from '../doctor/context.ts';
import { checkFiles } from '../doctor/files.ts';
import { type Finding, fault, good, type Result, warning } from '../doctor/findings.ts';
import { type AppLine, type AuditLine, type CollectionLine, type Header, ManifestLine } from './manifest.ts';
import { createMeasurement, dayOf, type Measurement, type StoredApp } from './measure.ts';

/** Nobody reads more differences; the others are counted. */
const MAX_RESULTS = 500;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Removed by an operator only. Other collections empty themselves. */
const KEPT = [
  'accounts',
  'access',
  'api_keys',
  'form_images',
  'webhooks',
  'suppressed_people',
  'views',
  'looks',
  'files.files',
  'files.chunks',
];

/** Data of persons that ends days after it was stored. */
const KEPT_FOR_DAYS = ['held_submissions', 'history', 'submissions'];

const RESTORE_AGAIN = 'Restore the dump again, into an empty database, and read the output of the restore.';
const DROPPED = 'Restore the dump with its indexes, or start a server, which creates those that it needs.';

/**
 * Compares a restored copy with the manifest of its backup, and names each difference. What was
 * created after the manifest is not compared.
 * @throws {CommandFailed} when the file is no complete manifest
 */
export async function compareWithManifest(opened: Diagnosis, path: string): Promise<Result[]> {
  const { now } = await greet(opened);
  const measurement = createMeasurement(opened);
  const results = createResults();
  const totals = { apps: 0, records: 0, versions: 0, indexes: 0, events: 0, expiring: 0 };
  const lines = readManifest(path);
  const header = (await lines.next()).value as Header;
  const until = new Date(header.until);
  const copies = measurement.apps()[Symbol.asyncIterator]();
  let copy = await copies.next();

  /** Reports the apps of the copy before this id, which the manifest does not name. */
  async function passUntil(id: string | undefined): Promise<void> {
    while (!copy.done && (id === undefined || copy.value._id.toHexString() < id)) {
      if (copy.value.createdAt < until) {
        const found = `the app ${copy.value.sourceAppId} was created before the manifest, which does not name it`;
        results.add('apps', fault(found, RESTORE_AGAIN));
      }
      copy = await copies.next();
    }
  }

  for await (const line of lines) {
    if (line.kind === 'collection') {
      totals.indexes += line.indexes.length;
      results.add('collections', ...compareCollection(line, await measurement.collection(line.name)));
    } else if (line.kind === 'app') {
      await passUntil(line.id);
      const stored = !copy.done && copy.value._id.toHexString() === line.id ? copy.value : undefined;
      totals.apps += 1;
      totals.records += line.records;
      totals.versions += line.versions.length;
      results.add('apps', ...(await compareApp(measurement, line, stored, { until, now })));
      if (stored) copy = await copies.next();
    } else if (line.kind === 'audit') {
      const isExpiring = new Date(line.expiresAt) <= now;
      totals[isExpiring ? 'expiring' : 'events'] += line.events;
      if (!isExpiring) results.add('audit log', ...compareDay(line, await measurement.auditDay(line.day, until)));
    }
  }
  await passUntil(undefined);
  return [
    { check: 'manifest', ...good(`of ${header.database}, of what was created before ${header.until}`) },
    ...results.end(totals),
    ...(await checkFiles(opened, Number.POSITIVE_INFINITY)).map((found) => ({ check: 'files', ...found })),
  ];
}

function createResults() {
  const results: Result[] = [];
  let others = 0;
  return {
    add(check: string, ...findings: Finding[]): void {
      for (const finding of findings) {
        if (results.length < MAX_RESULTS) results.push({ check, ...finding });
        else others += 1;
      }
    },

    end(totals: Record<'apps' | 'records' | 'versions' | 'indexes' | 'events' | 'expiring', number>): Result[] {
      const isFine = (check: string): boolean => !results.some((result) => result.check === check);
      const { apps, records, versions, indexes, events, expiring } = totals;
      const agreed: Result[] = [];
      const agree = (check: string, found: string): void => {
        if (isFine(check)) agreed.push({ check, ...good(found) });
      };
      agree('collections', `all ${indexes} indexes are there, and no collection is empty that was not`);
      agree('apps', `all ${apps} apps with ${records} records and ${versions} schema versions are there`);
      const left = expiring > 0 ? `; ${expiring} were not compared, because they expire meanwhile` : '';
      agree('audit log', `all ${events} events are there${left}`);
      const more = fault(`${others} further differences`, 'Correct those above first.');
      return [...agreed, ...results, ...(others > 0 ? [{ check: 'manifest', ...more }] : [])];
    },
  };
}

function compareCollection(expected: CollectionLine, found: CollectionLine): Finding[] {
  const { name, documents } = expected;
  const findings = expected.indexes.flatMap(({ keys, options, unique }): Finding[] => {
    const same = found.indexes.filter((index) => index.keys === keys);
    if (same.some((index) => index.options === options)) return [];
    const state = same.length > 0 ? 'has other options' : 'is missing';
    return [
      unique
        ? fault(`the unique index ${name} ${keys} ${state}`, DROPPED)
        : warning(`the index ${name} ${keys} ${state}`, DROPPED),
    ];
  });
  // Records are compared by app.
  const missing = name === 'users' ? 0 : documents - found.documents;
  if (missing > 0 && found.documents === 0) {
    const empty = `${name} is empty; it had ${documents} documents`;
    findings.push(
      KEPT.includes(name)
        ? fault(empty, RESTORE_AGAIN)
        : warning(`${empty}, which end by themselves`, 'Check that the dump has this collection.'),
    );
  } else if (missing > 0 && [...KEPT, ...KEPT_FOR_DAYS].includes(name)) {
    const fewer = `${name} has ${missing} of ${documents} documents fewer`;
    findings.push(warning(fewer, 'Compare them with the audit log: they were removed since, or are not restored.'));
  }
  return findings;
}

async function compareApp(
  measurement: Measurement,
  expected: AppLine,
  stored: StoredApp | undefined,
  times: { until: Date; now: Date },
): Promise<Finding[]> {
  const { sourceAppId } = expected;
  const id = ObjectId.createFromHexString(expected.id);
  if (!stored) {
    const isDeleted = await measurement.isDeleted(id);
    return isDeleted
      ? [warning(`the app ${sourceAppId} was deleted after the manifest`, 'Nothing, if that was meant.')]
      : [fault(`the app ${sourceAppId} with ${expected.records} records is missing`, RESTORE_AGAIN)];
  }
  const found = await measurement.app(stored, times.until);
  const findings: Finding[] = [];
  if (found.sourceAppId !== sourceAppId) {
    findings.push(fault(`the app ${sourceAppId} has the name ${found.sourceAppId}`, RESTORE_AGAIN));
  }
  findings.push(
    ...(await compareRecords(expected, found, () => explainFewer(measurement, stored, [expected, found], times))),
  );
  findings.push(...compareVersions(expected, found));
  return findings;
}

/** Why as many records can be missing; undefined when nothing in the copy says so. */
async function explainFewer(
  measurement: Measurement,
  { _id, retention }: StoredApp,
  [expected, found]: readonly [AppLine, AppLine],
  { until, now }: { until: Date; now: Date },
): Promise<string | undefined> {
  const erased = await measurement.countErased(_id, until);
  if (erased >= expected.records - found.records) return 'the audit log has later erasures';
  if (!retention) return undefined;
  // A retention erases no record of a later day.
  const day = dayOf(new Date(now.getTime() - retention.days * DAY_MS));
  const missing = countAfter(day, expected) - countAfter(day, found);
  return erased >= missing ? 'the app erases records for their age' : undefined;
}

/** The records of an app that were created after a day. */
const countAfter = (day: string, { days }: AppLine): number =>
  days.reduce((sum, [createdOn, count]) => sum + (createdOn > day ? count : 0), 0);

async function compareRecords(
  expected: AppLine,
  found: AppLine,
  explain: () => Promise<string | undefined>,
): Promise<Finding[]> {
  const { sourceAppId, records } = expected;
  const missing = records - found.records;
  if (missing > 0) {
    const reason = await explain();
    const fewer = `the app ${sourceAppId} has ${found.records} of ${records} records, the newest of ${found.newestCreatedAt ?? 'no time'} instead of ${expected.newestCreatedAt}`;
    if (reason === undefined) return [fault(fewer, RESTORE_AGAIN)];
    return [warning(`${fewer}; ${reason}`, 'Check that as many were erased after the manifest.')];
  }
  if (missing < 0) {
    const more = `the app ${sourceAppId} has ${-missing} records more that were created before the manifest`;
    return [fault(more, 'Restore into an empty database: these records are not of this backup.')];
  }
  if (found.digest !== expected.digest) {
    return [fault(`the app ${sourceAppId} has ${records} records, but not the same ones`, RESTORE_AGAIN)];
  }
  if ((found.newestUpdatedAt ?? '') >= (expected.newestUpdatedAt ?? '')) return [];
  const older = `the newest change of the app ${sourceAppId} is of ${found.newestUpdatedAt} instead of ${expected.newestUpdatedAt}`;
  return [fault(older, 'Restore the dump that was made after the manifest.')];
}

function compareVersions(expected: AppLine, found: AppLine): Finding[] {
  const versions = new Map(found.versions);
  const findings: Finding[] = [];
  for (const [version, digest] of expected.versions) {
    const name = `version ${version} of the schema of ${expected.sourceAppId}`;
    const actual = versions.get(version);
    if (actual === undefined) findings.push(fault(`${name} is missing`, RESTORE_AGAIN));
    else if (actual !== digest) findings.push(fault(`${name} has another content`, RESTORE_AGAIN));
    versions.delete(version);
  }
  for (const version of versions.keys()) {
    const name = `version ${version} of the schema of ${expected.sourceAppId}`;
    findings.push(fault(`${name} is older than the manifest, which does not name it`, RESTORE_AGAIN));
  }
  return findings;
}

function compareDay(expected: AuditLine, found: AuditLine): Finding[] {
  const missing = expected.events - found.events;
  const of = `the audit log of ${expected.day}`;
  if (missing > 0) return [fault(`${of} has ${missing} of ${expected.events} events fewer`, RESTORE_AGAIN)];
  if (missing < 0) return [warning(`${of} has ${-missing} events more`, 'Restore into an empty database.')];
  if (found.digest === expected.digest) return [];
  return [fault(`the events of ${of} were changed`, 'Find out who can write to the database or to the dump.')];
}

/** Reads the lines of a manifest but the last, which must fit them. */
async function* readManifest(path: string): AsyncGenerator<ManifestLine> {
  const input = createReadStream(path, 'utf8');
  const hash = createHash('sha256');
  let count = 0;
  let isComplete = false;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = parseLine(text);
      if (!line || (count === 0) !== (line.kind === 'manifest') || isComplete) throw noManifest(path);
      if (line.kind === 'end') {
        if (line.lines !== count || line.digest !== hash.digest('base64url')) throw noManifest(path);
        isComplete = true;
        continue;
      }
      hash.update(`${text}\n`);
      count += 1;
      yield line;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw typeof code === 'string' ? new CommandFailed(`Cannot read ${path} (${code})`) : error;
  }
  if (!isComplete) throw noManifest(path);
}

const noManifest = (path: string) => new CommandFailed(`${path} is no complete manifest of \`verify --write\``);

function parseLine(text: string): ManifestLine | undefined {
  try {
    return ManifestLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}
