import { type Running, startSingle } from './operations/cluster/service.ts';
import { closeOnce, STOP_SIGNALS } from './operations/cluster/stop.ts';
import { type Config, ConfigError, loadConfig } from './platform/core/config.ts';
import { createLogger, sharedOutput } from './platform/core/logger.ts';
import { surviveLostTerminals } from './platform/core/terminals.ts';

/**
 * Prints the URL and, on the first start, the admin credentials and the link to the first admin
 * account, once.
 */
function announce({ url, first }: Running, config: Config): void {
  const origin = config.publicUrl ?? url;
  say(`User Collection Service is ready: ${origin} (API documentation: ${origin}/docs)`);
  if (!first) return;
  say(`Admin app: ${first.sourceAppId}`);
  say(
    config.adminPassword === undefined
      ? `Admin password: ${first.password} (shown this once; keep it)`
      : 'Admin password: the one in ADMIN_PASSWORD',
  );
  if (first.token === undefined) return;
  say(`First admin account: ${origin}/dashboard/invitation#${first.token} (works once, for one hour)`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

surviveLostTerminals();
// Without a listener a failed write (full disk, closed pipe) ends the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

try {
  const config = loadConfig(process.env);
  const isSingle = config.workers === 1;
  const logger = isSingle ? createLogger(config) : createLogger(config, sharedOutput());
  // A server of one process loads nothing of node:cluster.
  const running = isSingle
    ? startSingle(config, logger, say)
    : import('./operations/cluster/primary.ts').then(({ startPrimary }) => startPrimary(config, logger, say));
  const stop = closeOnce(running, logger);
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // `user-collection-service serve` started this process and has ended, by SIGKILL too.
  process.on('disconnect', stop);
  announce(await running, config);
} catch (error) {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`Cannot start: ${line}\n`);
  process.exit(1);
}
