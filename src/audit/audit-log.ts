import { isIP } from 'node:net';
import type { mongo, Types } from 'mongoose';
import { v7 } from 'uuid';
import { AUDITED_LOOKS, type AuditActor, type AuditedApp } from '../api/audit-action.ts';
import type { Logger } from '../core/logger.ts';
import type { DatabaseClock } from '../database/database-clock.ts';
import type { AuditCollection, AuditDocument, LoggedAction } from './audit.model.ts';
import { createRepeatedEvents } from './repeated-events.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Events of which the answer waits: without them it is not sent. */
const REQUIRED: ReadonlySet<LoggedAction> = new Set<LoggedAction>([...AUDITED_LOOKS, 'login.failed']);
/** A file may come in many parts. */
const MERGED: ReadonlySet<LoggedAction> = new Set<LoggedAction>([...REQUIRED, 'import.uploaded']);

/** What happened. */
export interface AuditEvent {
  action: LoggedAction;
  actor: AuditActor;
  /** The app that it concerns; null: all apps. */
  app: AuditedApp | null;
  target?: string | undefined;
  detail?: AuditDocument['detail'];
}

/** Which events a page shows. */
export interface AuditFilter {
  /** Only the events of this incarnation of an app. */
  app?: { id: Types.ObjectId; sourceAppId: string };
  /** Only the events of apps of this name. */
  sourceAppId?: string | undefined;
  action?: LoggedAction | undefined;
  since?: Date | undefined;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/**
 * The audit log (spec 4.9). Its events stay when an app is deleted, because they have no personal
 * data.
 *
 * @param deps.days how long events are kept
 */
export function createAuditLog(deps: {
  events: AuditCollection;
  days: number;
  clock: Pick<DatabaseClock, 'later'>;
  logger: Logger;
}) {
  const { events, days, clock, logger } = deps;
  const repeated = createRepeatedEvents(events);

  return {
    /**
     * Resolves when the event is stored. For a change a failure is logged only, because the change
     * is made already and its answer must reach the client.
     *
     * Rejects with the error of the database for a look: the data is not shown then.
     */
    async record({ action, actor, app, target, detail }: AuditEvent): Promise<void> {
      const at = new Date();
      const { kind, id = null, address } = actor;
      const event: AuditDocument = {
        ...{ _id: v7({ msecs: at.getTime() }), at, action, count: 1 },
        actor: { kind, id, address: address !== undefined && isIP(address) > 0 ? address : null },
        ...{ appId: app?.id ?? null, sourceAppId: app?.sourceAppId ?? null, target: target ?? null },
        ...(detail && { detail }),
        expiresAt: new Date(clock.later().getTime() + days * DAY_MS),
      };
      const stored = () => (MERGED.has(action) ? repeated.record(event) : events.insertOne(event));
      if (REQUIRED.has(action)) return void (await stored());
      try {
        await stored();
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown';
        logger.error({ action, target, app: app?.sourceAppId, actor: { kind, id }, reason }, 'an audit event was lost');
      }
    },

    /**
     * Resolves with a page of events, newest first.
     * @param before the id of the last event of the page before
     */
    async page({ app, sourceAppId, action, since }: AuditFilter, limit: number, before?: string) {
      const ids = { ...(before !== undefined && { $lt: before }), ...(since && { $gte: firstIdAt(since) }) };
      const filter: mongo.Filter<AuditDocument> = {
        ...(app ? { sourceAppId: app.sourceAppId, appId: app.id } : sourceAppId !== undefined && { sourceAppId }),
        ...(action && { action }),
        ...(Object.keys(ids).length > 0 && { _id: ids }),
      };
      return events.find(filter, { limit, sort: { _id: -1 } }).toArray();
    },

    /** Writes the counts of repeated events. */
    flush: repeated.flush,
  };
}

/** The least id of that time: a UUID of version 7 begins with 48 bits of milliseconds. */
function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-`;
}
