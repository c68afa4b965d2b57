import type { Document } from 'mongodb';
import { Unavailable } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { type Metrics, NO_METRICS } from '../metrics/metrics.ts';
import type { Connection } from './client.ts';
import { hello } from './collections.ts';
import { STATEMENT_ENDS_MS } from './lateness.ts';

/**
 * Matches documents only while MongoDB's clock is before a time, so a statement that arrives late
 * changes nothing. The time must come from MongoDB's clock and be read before what the statement
 * depends on. Not allowed in the filter of an upsert.
 */
export function beginsBefore(deadline: Date): { $expr: object } {
  return { $expr: { $lt: ['$$NOW', deadline] } };
}

/**
 * Resolves with the time of MongoDB's clock before which a statement has to begin
 * ({@link beginsBefore}). Call it after the reads on which the statement depends, and again when
 * the statement is repeated.
 * @throws {Unavailable} when the time is over: nothing may be written any more
 */
export type Until = () => Promise<Date>;

/**
 * Returns the expression: a stored time, of at most `byMs` after the statement that stored it, is
 * of a clock of MongoDB that was set back since. `$$NOW` is when a statement began: it may have
 * waited since for one that began later.
 */
export function isOfClockSetBack(time: string | object, byMs = 0): { $gt: unknown[] } {
  return { $gt: [time, { $add: ['$$NOW', byMs + STATEMENT_ENDS_MS] }] };
}

/** Clocks that differ by more than this are not trusted: nothing is erased for its age. */
export const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const COMPARE_EVERY_MS = 10_000;
/** How often this process looks whether its clock was set, and by how much at least. */
const NOTICE_EVERY_MS = 1_000;
const SET_BY_MS = 500;

/**
 * Compares the clocks by one `hello`. `difference`: how far this process is ahead, in ms. `epoch`:
 * the time of this process when its monotonic clock was 0; it changes when the clock is set.
 */
export async function compareClocks(
  hello: () => Promise<Document>,
  now: () => number,
): Promise<{ databaseTime: Date; difference: number; epoch: number }> {
  const begun = now();
  const begunAt = performance.now();
  const { localTime: databaseTime }: { localTime?: Date } = await hello();
  // Not by the wall clock, which may be set meanwhile.
  const ended = begun + (performance.now() - begunAt);
  if (databaseTime === undefined) throw new Error('the database did not tell its time');
  const time = databaseTime.getTime();
  // The time was read between the two: only what is outside of them is a difference.
  const difference = time < begun ? begun - time : Math.min(0, ended - time);
  return { databaseTime, difference, epoch: begun - begunAt };
}

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

/**
 * Compares the clock of this server with that of the database, at each `read`, and after `start`
 * every 10 s and when this server's clock was set. In between, the monotonic clock continues the
 * database's time, so a clock that is set delays nothing and ends nothing early. A wrong clock must
 * not delete what is young: deletions use the earlier of both times, and expiry times the later
 * one.
 */
export function createDatabaseClock(deps: {
  connection: Connection;
  logger: Logger;
  metrics?: Metrics;
  now?: () => number;
}) {
  const { connection, logger, metrics = NO_METRICS, now = Date.now } = deps;
  /** How far this server's clock was ahead of the database's when they were compared, in ms. */
  let difference = 0;
  /** The time of this server when its monotonic clock was 0, as of that comparison. */
  let epoch = now() - performance.now();
  let timer: NodeJS.Timeout | undefined;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let isComparing = false;

  /** By how much this server's clock was set since the comparison, in ms. */
  const setBy = (): number => {
    const ms = now() - performance.now() - epoch;
    // Below: the resolution of the two clocks.
    return Math.abs(ms) < SET_BY_MS ? 0 : ms;
  };
  const aheadMs = (): number => difference + setBy();
  const databaseNow = (): number => now() - aheadMs();

  const help = 'How far the clock of this server is ahead of the clock of the database';
  metrics.gauge('clock_difference_seconds', { help, across: 'average' }, () => aheadMs() / 1_000);

  const isTrusted = (): boolean => Math.abs(aheadMs()) <= MAX_CLOCK_DIFFERENCE_MS;

  /** Resolves with the database's time, and compares the clocks. */
  async function read(): Promise<Date> {
    const compared = await compareClocks(() => hello(connection.getClient()), now);
    const wasTrusted = Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS;
    ({ difference, epoch } = compared);
    if (wasTrusted && !isTrusted()) logger.warn({ aheadSeconds: Math.round(difference / 1_000) }, CLOCKS_DIFFER);
    if (!wasTrusted && isTrusted()) logger.info('the clocks of this server and of the database agree again');
    return compared.databaseTime;
  }

  /** Compares the clocks when it is time, or when this server's clock was set. */
  async function compareIfDue(): Promise<void> {
    if (isComparing || (setBy() === 0 && performance.now() - comparedAt < COMPARE_EVERY_MS)) return;
    isComparing = true;
    comparedAt = performance.now();
    // The database may be away.
    await read().catch(() => undefined);
    isComparing = false;
  }

  /** Returns the deadline of writes that have `leftMs()` left, 0 when the time is over. */
  const until =
    (leftMs: () => number): Until =>
    async () => {
      const time = (await read()).getTime();
      // After the read, so that a stall between the two shortens the time.
      const left = leftMs();
      if (left <= 0) throw new Unavailable('tookTooLong');
      return new Date(time + left);
    };

  return {
    read,

    until,

    /** Returns the deadline of writes that may begin for `ms` from now on. */
    within(ms: number): Until {
      const end = performance.now() + ms;
      const endTime = now() + ms;
      // Also by the wall clock: the monotonic one stops while a machine is suspended.
      return until(() => Math.min(end - performance.now(), endTime - now()));
    },

    isTrusted,

    /** How far this server's clock is ahead of the database's. */
    aheadMs,

    /**
     * Returns the time of MongoDB's clock in ms, as last measured. For times that several servers
     * compare: one server may be ahead, or its clock may be set.
     */
    now: databaseNow,

    earlier: (): Date => new Date(Math.min(now(), databaseNow())),

    later: (): Date => new Date(Math.max(now(), databaseNow())),

    /** Warnings for operators, for `/ready`. */
    warnings(): string[] {
      if (isTrusted()) return [];
      const ahead = Math.round(aheadMs() / 1_000);
      const by = `${Math.abs(ahead)} seconds ${ahead > 0 ? 'ahead of' : 'behind'}`;
      return [`The clock of this server is ${by} the clock of the database. It erases no records for their age.`];
    },

    /** Compares the clocks now, and from now on. Ignores a database that does not respond. */
    async start(): Promise<void> {
      timer = setInterval(() => void compareIfDue(), NOTICE_EVERY_MS).unref();
      await compareIfDue();
    },

    stop(): void {
      clearInterval(timer);
    },
  };
}

const CLOCKS_DIFFER =
  'the clocks of this server and of the database differ by more than five minutes: no records are erased for their age';
