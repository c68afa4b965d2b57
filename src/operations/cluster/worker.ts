import { createEmbed } from '../../http/embed.ts';
import type { Config } from '../../platform/core/config.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import { connectDatabase } from '../../platform/database/client.ts';
import { createServices } from '../../services.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';
import { serve } from './service.ts';
import { closeOnce } from './stop.ts';

/** Longer than the first process waits for the other workers. */
const METRICS_WITHIN_MS = 2_000;
const REPORT_CONNECTIONS_EVERY_MS = 1_000;
/** Events of this time are announced together. */
const ANNOUNCE_EVERY_MS = 20;

/** Resolves when the first process has the message, or has ended. */
export function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/** Runs a worker until the first process tells it to stop. Node ends it when that one has died. */
export async function runWorker(config: Config, logger: Logger): Promise<void> {
  let receive: (message: ToWorker) => void = () => undefined;
  const setup = await new Promise<WorkerSetup>((resolve) => {
    receive = (message) => {
      if ('setup' in message) resolve(message.setup);
      if ('stop' in message) process.exit(0);
    };
    process.on('message', (message: ToWorker) => receive(message));
    void send({ reading: true });
  });
  const running = start(config, logger, setup);
  const stop = closeOnce(running, logger);
  receive = (message) => {
    if ('stop' in message) stop();
    else void running.then((worker) => worker.receive(message));
  };
  void send({ ready: (await running).url });
}

async function start(config: Config, logger: Logger, { uri, sessionSecret, port }: WorkerSetup) {
  const connection = await connectDatabase(uri);
  const embed = createEmbed();
  const own = { ...config, sessionSecret, port };
  const services = createServices(own, connection, logger, {
    pageAssets: embed.assets,
    wakeJob: (name) => void send({ wake: name }),
    onKnownNetwork: (known) => void send({ known }),
  });
  announceEvents(services.outboxSignal.listen);
  let answerMetrics: (text: string | undefined) => void = () => undefined;
  let asked: Promise<string | undefined> | undefined;

  /** @throws {Unavailable} */
  async function readMetrics(): Promise<string> {
    asked ??= new Promise<string | undefined>((resolve) => {
      answerMetrics = resolve;
      void send({ askMetrics: true });
    }).finally(() => {
      asked = undefined;
    });
    const text = await withTimeout(asked, METRICS_WITHIN_MS, () => new Unavailable());
    if (text === undefined) throw new Unavailable();
    return text;
  }

  await services.startWorker();
  const listener = await serve({ config: own, logger, services, embed, readMetrics });
  const reporting = setInterval(() => {
    // The report is about the present connections: an earlier request to end some is obsolete.
    listener.endConnections(0);
    void send({ connections: listener.connections() });
  }, REPORT_CONNECTIONS_EVERY_MS);
  return {
    url: listener.url,

    receive(message: ToWorker): void {
      if ('endConnections' in message) listener.endConnections(message.endConnections);
      if ('known' in message) services.noteKnownNetwork(message.known);
      if ('metrics' in message) answerMetrics(message.metrics);
      if ('collect' in message) void services.metrics?.snapshot().then((snapshot) => void send({ snapshot }));
    },

    async close() {
      clearInterval(reporting);
      await listener.close();
      await services.stop();
      await connection.close();
    },
  };
}

function announceEvents(listen: (listener: () => void) => void): void {
  let isWaiting = false;
  listen(() => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      void send({ events: true });
    }, ANNOUNCE_EVERY_MS).unref();
  });
}
