import type { Feature } from '../../apps/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { createDatabaseContent } from './file-content.ts';
import { createChunkModel, createFileModel } from './files.model.ts';
import { createIncomingFiles } from './incoming.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the store of files (spec 4.14). */
export function createFiles(deps: {
  config: Pick<Config, 'fileLimits'>;
  connection: Connection;
  clock: DatabaseClock;
}) {
  const { config, connection, clock } = deps;
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  const [files, chunks] = [models.files.collection, models.chunks.collection];
  const database = createDatabaseContent(chunks);
  const content = undefined;
  return {
    files,
    chunks,
    /** Where whole files are. */
    content: content ?? database,
    incoming: createIncomingFiles({ files, chunks, database, content, clock, limits: config.fileLimits }),
    feature: { models: Object.values(models) } satisfies Feature,
  };
}
