import type { Feature } from '../../core/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { numbersByApp } from '../overview/overview-part.ts';
import { createFileCounts } from './file-counts.ts';
import { createFileStores } from './file-stores.ts';
import { BY_SIZE, createChunkModel, createFileModel } from './files.model.ts';
import { createIncomingFiles } from './incoming.ts';
import { createScanner } from './scanner.ts';

export type Files = ReturnType<typeof createFiles>;

/** Creates the store of files (spec 4.14). */
export function createFiles(deps: {
  config: Pick<Config, 'fileLimits' | 'filesBucket' | 'clamd'>;
  connection: Connection;
  clock: DatabaseClock;
  logger: Logger;
  metrics: Metrics;
}) {
  const { config, connection, clock, logger, metrics } = deps;
  const models = { files: createFileModel(connection), chunks: createChunkModel(connection) };
  const [files, chunks] = [models.files.collection, models.chunks.collection];
  const content = createFileStores(chunks, config.filesBucket, logger);
  const counts = createFileCounts(metrics);
  const asked = createScanner(config.clamd, logger);
  const scanner = asked && counts.countScans(asked);
  const incoming = createIncomingFiles({ files, chunks, content, scanner, clock, limits: config.fileLimits });
  return {
    files,
    chunks,
    content,
    /** Undefined without `CLAMD`. */
    scanner,
    incoming: counts.count(incoming),
    onRemoved: counts.onRemoved,
    feature: {
      models: Object.values(models),
      overview: {
        filesBytes: (read) =>
          numbersByApp(files, read, { of: 'metadata.appId', sum: 'metadata.charged', hint: BY_SIZE }),
      },
    } satisfies Feature,
  };
}
