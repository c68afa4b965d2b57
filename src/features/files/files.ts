import type { Feature } from '../../core/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import { AppError } from '../../platform/core/errors.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { numbersByApp } from '../overview/overview-part.ts';
import { createFileStores } from './file-stores.ts';
import { BY_SIZE, createChunkModel, createFileModel } from './files.model.ts';
import { createIncomingFiles, type Incoming } from './incoming.ts';
import { createScanner, type Scanner } from './scanner.ts';

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

/** Counts the files of a process (spec 4.10). */
function createFileCounts(metrics: Metrics) {
  const help = 'Files that were sent, by result';
  const count = metrics.counter('files_total', { help, labels: ['result'] });
  const scanHelp = 'Files that the virus scanner was asked about, by result';
  const countScan = metrics.counter('file_scans_total', { help: scanHelp, labels: ['result'] });
  let bytes = 0;
  let removed = 0;
  metrics.total('file_bytes_total', { help: 'Bytes of files that were stored' }, () => bytes);
  metrics.total(
    'files_removed_total',
    { help: 'Files that were removed, and what arrived of refused ones' },
    () => removed,
  );

  /** Counts what becomes of a file; one that goes on counts later. */
  async function counted<Result extends object>(receiving: Promise<Result>): Promise<Result> {
    try {
      const result = await receiving;
      if ('size' in result) {
        bytes += Number(result.size);
        count({ result: 'stored' });
      }
      return result;
    } catch (error) {
      count({ result: error instanceof AppError && error.status < 500 ? 'refused' : 'unavailable' });
      throw error;
    }
  }

  return {
    onRemoved(files: number): void {
      removed += files;
    },

    countScans: ({ isInfected }: Scanner): Scanner => ({
      async isInfected(content) {
        try {
          const found = await isInfected(content);
          countScan({ result: found ? 'infected' : 'clean' });
          return found;
        } catch (error) {
          countScan({ result: 'failed' });
          throw error;
        }
      },
    }),

    count: ({ receive, receivePart, check, withdraw }: Incoming): Incoming => ({
      check,
      withdraw,
      receive: (...sent) => counted(receive(...sent)),
      receivePart: (...sent) => counted(receivePart(...sent)),
    }),
  };
}
