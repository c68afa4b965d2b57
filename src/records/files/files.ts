import type { Feature } from '../../apps/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createFileStores } from './file-stores.ts';
import { createChunkModel, createFileModel } from './files.model.ts';
import { createScanner } from './scanner.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the collections of files and their content. */
export function createFiles(deps: {
  config: Pick<Config, 'filesBucket' | 'clamd'>;
  connection: Connection;
  logger: Logger;
}) {
  const { config, connection, logger } = deps;
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  const chunks = models.chunks.collection;
  return {
    files: models.files.collection,
    chunks,
    content: createFileStores(chunks, config.filesBucket, logger),
    /** Undefined without `CLAMD`. */
    scanner: createScanner(config.clamd, logger),
    feature: { models: Object.values(models) } satisfies Feature,
  };
}
