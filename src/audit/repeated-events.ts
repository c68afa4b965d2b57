import { createWindowLimit } from '../core/window-limit.ts';
import type { AuditCollection, AuditDocument, LoggedAction } from './audit.model.ts';

const MINUTE_MS = 60_000;

/**
 * For how long equal events become one, from the first. A dashboard that stays open lists records
 * and held submissions all the time, so it is longer for these.
 */
const MERGE_FOR_MS: Partial<Record<LoggedAction, number>> = {
  'users.listed': 60 * MINUTE_MS,
  'held.listed': 60 * MINUTE_MS,
};
const FLUSH_AFTER_MS = MINUTE_MS;
/** Different events that can be merged at the same time. */
const MAX_OPEN = 5_000;
/** The addresses in a minute whose failed log-ins of one app are told apart. */
const MAX_FAILING_ADDRESSES = 10;

/** An event that equal ones are added to. */
interface OpenEvent {
  id: string;
  /** When equal events begin a new one, in milliseconds of `performance.now()`. */
  until: number;
  stored: Promise<unknown>;
  /** What is not written yet. */
  count: number;
  lastAt: Date;
}

/**
 * Merges equal events of this server, so that a flood of requests writes one document in a window,
 * and one update of its count in a minute. A crash loses counts of the last minute, but no event.
 *
 * @param now a monotonic clock, in milliseconds
 */
export function createRepeatedEvents(events: AuditCollection, now = () => performance.now()) {
  const open = new Map<string, OpenEvent>();
  const failing = createWindowLimit(MAX_FAILING_ADDRESSES, MINUTE_MS);
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    for (const [key, { until, count }] of open) if (count === 0 && until <= now()) open.delete(key);
    const counted = [...open.values()].filter(({ count }) => count > 0);
    if (counted.length === 0) return;
    const counts = counted.map(({ count }) => count);
    const writes = counted.map((event) => {
      const { id, count, lastAt } = event;
      event.count = 0;
      return { updateOne: { filter: { _id: id }, update: { $inc: { count }, $max: { lastAt } } } };
    });
    try {
      await events.bulkWrite(writes, { ordered: false, writeConcern: { w: 1 } });
    } catch (error) {
      counted.forEach((event, index) => {
        event.count += counts[index] ?? 0; // for the next flush
      });
      throw error;
    }
  }

  function add(event: OpenEvent): Promise<unknown> {
    event.count += 1;
    event.lastAt = new Date();
    timer ??= setTimeout(() => void flush().catch(() => undefined), FLUSH_AFTER_MS).unref();
    return event.stored;
  }

  /** Stores the first of equal events. */
  async function begin(key: string, event: AuditDocument): Promise<void> {
    if (open.size >= MAX_OPEN) await flush();
    if (open.size >= MAX_OPEN) open.clear();
    const ended = open.get(key);
    // Its count is still to be written.
    if (ended && ended.count > 0) open.set(`${key} ${ended.id}`, ended);
    const stored = events.insertOne(event);
    const until = now() + (MERGE_FOR_MS[event.action] ?? MINUTE_MS);
    open.set(key, { id: event._id, until, stored, count: 0, lastAt: event.at });
    try {
      await stored;
    } catch (error) {
      open.delete(key);
      throw error;
    }
  }

  /** Strangers cause failed log-ins: beyond some addresses they are counted together. */
  function withoutAddress(event: AuditDocument): AuditDocument {
    const app = event.sourceAppId ?? '';
    if (failing.waitMs(app) > 0) return { ...event, actor: { ...event.actor, address: null } };
    failing.count(app);
    return event;
  }

  const find = (key: string): OpenEvent | undefined => {
    const event = open.get(key);
    return event && event.until > now() ? event : undefined;
  };

  return {
    /** Resolves when the event is stored, or an equal one that counts it. */
    async record(event: AuditDocument): Promise<void> {
      const same = find(keyOf(event));
      if (same) return void (await add(same));
      const bounded = event.action === 'login.failed' ? withoutAddress(event) : event;
      const key = keyOf(bounded);
      const equal = find(key);
      if (equal) await add(equal);
      else await begin(key, bounded);
    },

    /** Writes the counts. */
    flush,
  };
}

function keyOf({ action, actor, appId, sourceAppId, target, detail }: AuditDocument): string {
  return JSON.stringify([action, actor, appId, sourceAppId, target, detail]);
}
