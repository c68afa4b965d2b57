import closeWithGrace from 'close-with-grace';
import type { Logger } from '../../platform/core/logger.ts';

export const STOP_SIGNALS: closeWithGrace.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

const STOP_WITHIN_MS = 9_500;

/**
 * Closes the service after an unexpected error or with the returned function, and ends the process;
 * exit code 0 after the function. A call during start-up waits for its end, so that no mongod is
 * orphaned. Signals do nothing by themselves.
 */
export function closeOnce(running: Promise<{ close(): Promise<void> }>, logger: Logger): () => void {
  const options = { delay: STOP_WITHIN_MS, logger: consoleLogger(logger), skip: STOP_SIGNALS };
  // With npm, Ctrl-C arrives twice: from the terminal and from npm. close-with-grace would exit on
  // the second call and orphan mongod.
  let isClosing = false;
  const { close } = closeWithGrace(options, async ({ err }) => {
    isClosing = true;
    if (err) logger.fatal(detailsOf(err), 'stopping after an unexpected error');
    await (await running).close();
    logger.info('stopped');
  });
  return () => {
    if (!isClosing) void close();
  };
}

const detailsOf = ({ name, stack }: Error) => ({ err: { name, stack } });

function consoleLogger(logger: Logger) {
  return {
    error(given: unknown) {
      if (given instanceof Error) logger.error(detailsOf(given), 'an error while stopping');
      else logger.error(String(given));
    },
    warn: (message: unknown) => logger.warn(String(message)),
  };
}
