import { type Config, loadConfig } from '../../platform/core/config.ts';
import { createLogger } from '../../platform/core/logger.ts';
import { existingSecret } from '../../platform/core/session-secret.ts';
import { type Connection, connectForDiagnosis } from '../../platform/database/client.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { createServerModel, runningServers, type SeenServer } from '../../platform/servers/servers.ts';
import { createServices } from '../../services.ts';
import { checkConnections, checkDisk, checkMemory } from './capacity.ts';
import { type Check, type Context, createCommand, type Diagnosis, greet } from './context.ts';
import { checkClocks, checkOplog, checkTopology, checkVersion, checkWrite } from './deployment.ts';
import { checkFileStore, checkFiles, checkScanner } from './files.ts';
import { fault, good, openingFaults, type Result, reasonOf, runCheck, unknown } from './findings.ts';
import { checkMailDomain } from './mail-domain.ts';
import { checkEvents, checkJobs, checkMigrations } from './progress.ts';
import { checkPublicUrl, checkSecrets, checkServerVersions, checkSettings, checkSmtp } from './servers.ts';
import { checkDuplicates, checkExpiry, checkIndexes, checkShardKeys } from './stored-data.ts';

/** The checks that need only the settings, in the order of the output. */
const LOCAL_CHECKS: readonly Check<Pick<Context, 'config'>>[] = [
  { name: 'PUBLIC_URL', run: checkPublicUrl },
  { name: 'SMTP', run: checkSmtp },
  { name: 'domain of MAIL_FROM', run: (context) => checkMailDomain(context) },
  { name: 'virus scanner', run: checkScanner },
];

/** The checks of a database that answers, in the order of the output. */
const CHECKS: readonly Check[] = [
  { name: 'MongoDB version', run: checkVersion },
  { name: 'topology', run: checkTopology },
  { name: 'majority write', run: checkWrite },
  { name: 'indexes', run: checkIndexes },
  { name: 'duplicates', run: checkDuplicates },
  { name: 'shard keys', run: checkShardKeys },
  { name: 'clocks', run: checkClocks },
  { name: 'oplog window', run: checkOplog },
  { name: 'expired documents', run: checkExpiry },
  { name: 'waiting events', run: checkEvents },
  { name: 'background jobs', run: checkJobs },
  { name: 'migrations', run: checkMigrations },
  { name: 'server versions', run: checkServerVersions },
  { name: 'session secret', run: checkSecrets },
  { name: 'settings of servers', run: checkSettings },
  { name: 'store of files', run: checkFileStore },
  { name: 'files', run: (context) => checkFiles(context) },
  { name: 'free disk', run: checkDisk },
  { name: 'memory', run: checkMemory },
  { name: 'connections', run: checkConnections },
];

/**
 * Opens the database without changing it: no index is created and no job runs.
 * @throws {DatabaseUnreachable} @throws {EmbeddedDatabaseError}
 */
export async function openDiagnosis(config: Config, progress: (line: string) => void): Promise<Diagnosis> {
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const secret = await existingSecret(config);
  const opened = await openDatabase(config, { logger, progress, shared: true, connect: connectForDiagnosis });
  const { connection } = opened;
  const services = createServices({ ...config, sessionSecret: secret }, connection, logger);
  const client = connection.getClient();
  return {
    config,
    secret,
    services,
    connection,
    client,
    database: client.db(connection.name),
    command: createCommand(client),
    async close() {
      await services.stop();
      await opened.close();
    },
  };
}

/**
 * Runs all checks. A check that cannot run gives a warning, a database that cannot be used a fault;
 * it never rejects. No result contains a secret.
 */
export async function diagnose(env: NodeJS.ProcessEnv, progress: (line: string) => void): Promise<Result[]> {
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (error) {
    return openingFaults(error);
  }
  const local = runAll(LOCAL_CHECKS, { config });
  let opened: Diagnosis;
  try {
    opened = await openDiagnosis(config, progress);
  } catch (error) {
    return [...openingFaults(error), ...skippedChecks('the database cannot be used'), ...(await local)];
  }
  try {
    return [...(await examine(opened)), ...(await local)];
  } finally {
    await opened.close().catch(() => undefined); // the results are complete
  }
}

async function examine(opened: Diagnosis): Promise<Result[]> {
  const { connection } = opened;
  let context: Context;
  const opening: Result[] = [];
  try {
    context = { ...opened, ...(await greet(opened)), running: await readServers(connection, opening) };
  } catch (error) {
    const found = fault('the database does not answer', 'Start it, or check the network and its log.');
    return [{ check: 'database', ...found }, ...skippedChecks(reasonOf(error))];
  }
  opening.unshift({ check: 'database', ...good(`"${connection.name}" answers`) });
  return [...opening, ...(await runAll(CHECKS, context))];
}

async function readServers(connection: Connection, results: Result[]): Promise<SeenServer[]> {
  try {
    return await runningServers(createServerModel(connection).collection);
  } catch (error) {
    results.push({ check: 'running servers', ...unknown(reasonOf(error)) });
    return [];
  }
}

const skippedChecks = (reason: string): Result[] => CHECKS.map(({ name }) => ({ check: name, ...unknown(reason) }));

/** One after another: together they would be a burst on a database that may be in trouble. */
async function runAll<Given>(checks: readonly Check<Given>[], context: Given): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, run } of checks) results.push(...(await runCheck(name, () => run(context))));
  return results;
}
