import { systemClock } from '../../platform/core/clock-readings.ts';
import { createSharedRead } from '../../platform/core/shared-read.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { MailLog } from './mail-log.ts';

/** How long an email may be due before `GET /ready` warns (spec 4.1.1). */
const LONG_MS = 15 * 60_000;
const MAX_AGE_MS = 1_000;

/**
 * Measures the emails that wait. Returns the warnings for `GET /ready`. The database is asked when
 * one of them is requested, at most once a second.
 */
export function watchWaitingMails({ countWaiting, oldestMs }: MailLog, metrics: Metrics) {
  /** Without an answer of the database, the number is that of the last read. */
  const cached = (read: () => Promise<number>) => {
    const reads = createSharedRead(read, systemClock, MAX_AGE_MS);
    return (): Promise<number> => reads.asOf(systemClock()).catch(() => reads.last() ?? 0);
  };
  const count = cached(countWaiting);
  const oldest = cached(oldestMs);

  // All processes read the same emails.
  const across = 'max';
  metrics.gauge('mails_waiting', { help: 'Emails about apps that wait, at most 10,000', across }, count);
  metrics.gauge('mails_oldest_seconds', { help: 'For how long the oldest email is due', across }, async () =>
    toSeconds(await oldest()),
  );

  return async (): Promise<string[]> => {
    const ms = await oldest();
    if (ms <= LONG_MS) return [];
    const minutes = Math.floor(toSeconds(ms) / 60);
    return [`An email is due for ${minutes} minutes and was not sent. The log of the service may say why.`];
  };
}

const toSeconds = (ms: number): number => ms / 1_000;
