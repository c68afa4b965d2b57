// A worker of a server with WORKERS (decision 40).

// A terminal signals all processes. The first process decides when this one stops, so the modules
// are loaded after its signals are ignored.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const { loadConfig } = await import('./platform/core/config.ts');
const { createLogger, OUTPUT_OF_WORKER, sharedOutput } = await import('./platform/core/logger.ts');
const { runWorker, send } = await import('./operations/cluster/worker.ts');

try {
  const config = loadConfig(process.env);
  await runWorker(config, createLogger(config, sharedOutput(OUTPUT_OF_WORKER)));
} catch (error) {
  await send({ failed: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}

export {};
