import { resolve } from 'node:path';
import type { Config } from '../core/config.ts';
import { NamedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Progress } from '../embedded/mongod-binary.ts';
import { type Connection, connectDatabase } from './client.ts';

interface OpenDatabase {
  connection: Connection;
  /** How another process of this service connects to the database; contains credentials. */
  uri: string;
  /** Closes the connection and stops the embedded database if this process runs it. */
  close(): Promise<void>;
}

class DatabaseUnreachable extends NamedError {}

/**
 * Opens the database in `MONGODB_URI`, or the embedded one; with `shared` also while it runs.
 * @param options.connect how to connect to it
 * @throws {DatabaseUnreachable} @throws {EmbeddedDatabaseError}
 */
export async function openDatabase(
  config: Config,
  options: { logger: Logger; progress: Progress; shared?: boolean; connect?: typeof connectDatabase },
): Promise<OpenDatabase> {
  const { logger, progress, shared = false, connect = connectDatabase } = options;
  if (config.mongodbUri !== undefined) return connected(config.mongodbUri, connect);
  // Imported on use: it loads a second copy of the driver.
  const { attachEmbedded, startEmbedded } = await import('../embedded/embedded.ts');
  const running = shared ? await attachEmbedded(config) : undefined;
  if (running !== undefined) return connected(running, connect);
  const embedded = await startEmbedded(config, { progress, logger });
  // A command that was to work on the database of a server has no other sign of it.
  if (shared && embedded.isNew) {
    progress(`MONGODB_URI is not set, and ${resolve(config.dataDir)} had no database: this is a new one`);
  }
  try {
    return await connected(embedded.uri, connect, () => embedded.stop());
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function connected(
  uri: string,
  connect: typeof connectDatabase,
  afterClose = async (): Promise<void> => undefined,
): Promise<OpenDatabase> {
  try {
    const connection = await connect(uri);
    return {
      connection,
      uri,
      async close() {
        await connection.close();
        await afterClose();
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no answer';
    throw new DatabaseUnreachable(
      // The driver's message may contain the URI.
      `MongoDB cannot be used at ${withoutCredentials(uri)} (${reason.replaceAll(uri, withoutCredentials(uri))}). Check MONGODB_URI, or leave it unset to use the embedded database.`,
    );
  }
}

/** Everything before the last @ of a URI may be part of an unescaped password. */
function withoutCredentials(uri: string): string {
  const [, scheme = '', rest = ''] = /^([a-z+]+:\/\/)(.*)$/s.exec(uri) ?? [];
  return scheme + rest.slice(rest.lastIndexOf('@') + 1).replace(/\?.*/s, '');
}
