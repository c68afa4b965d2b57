import { AppError } from '../../platform/core/errors.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Incoming } from './incoming.ts';
import type { Scanner } from './scanner.ts';

/** Counts the files of a process (spec 4.10). */
export function createFileCounts(metrics: Metrics) {
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
