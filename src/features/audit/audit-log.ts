import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Filter, ObjectId } from 'mongodb';
import { v7 } from 'uuid';
import type { AuditActor, AuditedApp, AuditFacts } from '../../core/api/endpoint.ts';
import { createAccumulator } from '../../platform/core/accumulator.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import { changesBetween, type ValueChange } from '../../platform/core/value-changes.ts';
import { createWindowLimit } from '../../platform/core/window-limit.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { createModel, type DocumentOf, only, schema } from '../../platform/database/mongoose.ts';
import { AUDITED_READS, type AuditAction } from './actions.ts';

/** The actions of endpoints, and failed log-ins. */
type LoggedAction = AuditAction | 'login.failed';

type Detail = Readonly<Record<string, string | number | boolean | readonly ValueChange[]>>;

const actorSchema = schema({
  kind: { type: only<AuditActor['kind']>(String), required: true },
  id: { type: String, allowNull: true },
  address: { type: String, allowNull: true },
  method: String,
});

/** One event, or several equal ones. It has no personal data. */
const auditEventSchema = schema(
  {
    /** A UUID of version 7: the order of ids is that of time. */
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    action: { type: only<LoggedAction>(String), required: true },
    actor: { type: actorSchema, required: true },
    /** The incarnation of the app; null for all apps, and for a deleted app. */
    appId: { type: ObjectId, allowNull: true },
    sourceAppId: { type: String, allowNull: true },
    target: { type: String, allowNull: true },
    detail: only<Detail & { readonly changes?: readonly ValueChange[] }>(Object),
    /** The number of equal events, and the time of the last one if there are several. */
    count: { type: Number, required: true },
    lastAt: Date,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'audit_events', placement: 'grows with actions of operators; admins read it across apps' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  // The events of an app, and those of one action, newest first.
  .index({ sourceAppId: 1, _id: -1 })
  .index({ sourceAppId: 1, action: 1, _id: -1 })
  .index({ action: 1, _id: -1 })
  // Those of one account or key, and those of admins.
  .index({ sourceAppId: 1, 'actor.id': 1, _id: -1 })
  .index({ 'actor.id': 1, _id: -1 })
  .index({ sourceAppId: 1, 'actor.kind': 1, _id: -1 })
  .index({ 'actor.kind': 1, _id: -1 });
export type AuditDocument = DocumentOf<typeof auditEventSchema>;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The response is not sent without these events. */
const REQUIRED: ReadonlySet<LoggedAction> = new Set<LoggedAction>([...AUDITED_READS, 'login.failed']);
/** A file may arrive in many parts. */
const MERGED: ReadonlySet<LoggedAction> = new Set<LoggedAction>([...REQUIRED, 'import.uploaded']);

export interface AuditEvent {
  action: LoggedAction;
  actor: AuditActor;
  /** The app that it concerns; null: all apps. */
  app: AuditedApp | null;
  target?: string | undefined;
  detail?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** What it changed, as JSON, before and after. */
  changed?: AuditFacts['changed'];
}

export interface AuditFilter {
  /** Only the events of this incarnation of an app. */
  app?: { id: ObjectId; sourceAppId: string };
  /** Only the events of apps of this name. */
  sourceAppId?: string | undefined;
  action?: LoggedAction | undefined;
  /** Only the events of the account or key of this id; `admin`: of all sessions of admins. */
  actor?: string | undefined;
  since?: Date | undefined;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/**
 * The audit log, to which every feature writes (spec 4.9). Events have no personal data, so they
 * outlive their app. @param deps.days how long an event is kept
 */
export function createAuditLog(deps: {
  connection: Connection;
  days: number;
  clock: Pick<DatabaseClock, 'later'>;
  logger: Logger;
}) {
  const { connection, days, clock, logger } = deps;
  const model = createModel(connection, auditEventSchema);
  const events = model.collection;
  const repeated = createRepeatedEvents(events);

  return {
    model,

    /**
     * Resolves when the event is stored. For a change it only logs a failure, because the response
     * must reach the client. For a read it rejects, so that the data is not sent.
     */
    async record({ action, actor, app, target, changed, ...facts }: AuditEvent): Promise<void> {
      const at = new Date();
      const detail = changed ? { ...facts.detail, ...changesIn(changed) } : facts.detail;
      const { kind, id = null, address, method } = actor;
      const event: AuditDocument = {
        _id: v7({ msecs: at.getTime() }),
        at,
        action,
        count: 1,
        actor: {
          kind,
          id,
          address: address !== undefined && isIP(address) > 0 ? address : null,
          ...(method !== undefined && { method }),
        },
        appId: app?.id ?? null,
        sourceAppId: app?.sourceAppId ?? null,
        target: target ?? null,
        ...(detail && { detail }),
        expiresAt: new Date(clock.later().getTime() + days * DAY_MS),
      };
      const stored = () => (MERGED.has(action) ? repeated.record(event) : events.insertOne(event));
      if (REQUIRED.has(action)) return void (await stored());
      try {
        await stored();
      } catch (error) {
        const lost = { action, target, app: app?.sourceAppId, actor: { kind, id }, reason: reasonOf(error) };
        logger.error(lost, 'an audit event was lost');
      }
    },

    /** Resolves with a page of events, newest first, that precede the id `before`. */
    async page({ app, sourceAppId, action, actor, since }: AuditFilter, limit: number, before?: string) {
      const ids = { ...(before !== undefined && { $lt: before }), ...(since && { $gte: firstIdAt(since) }) };
      const filter: Filter<AuditDocument> = {
        ...(app ? { sourceAppId: app.sourceAppId, appId: app.id } : sourceAppId !== undefined && { sourceAppId }),
        ...(action && { action }),
        ...(actor !== undefined && actedBy(actor)),
        ...(Object.keys(ids).length > 0 && { _id: ids }),
      };
      return events.find(filter, { limit, sort: { _id: -1 } }).toArray();
    },

    /** Writes the counts of repeated events. */
    flush: repeated.flush,
  };
}

function changesIn({ before, after }: NonNullable<AuditFacts['changed']>): Detail {
  const { changes, more } = changesBetween(before, after);
  return { ...(changes.length > 0 && { changes }), ...(more > 0 && { moreChanges: more }) };
}

/** The id of a session with the password of an app is that of the app, which may look like one. */
const actedBy = (actor: string): Filter<AuditDocument> =>
  actor === 'admin' ? { 'actor.kind': 'admin' } : { 'actor.id': actor, 'actor.method': { $ne: 'shared' } };

/** Returns the least id of a time: a UUID of version 7 begins with 48 bits of milliseconds. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-`;
}

const MINUTE_MS = 60_000;

/** How long equal events are merged; longer for lists, which an open dashboard reads constantly. */
const MERGE_FOR_MS: Partial<Record<LoggedAction, number>> = {
  'users.listed': 60 * MINUTE_MS,
  'held.listed': 60 * MINUTE_MS,
  'submissions.listed': 60 * MINUTE_MS,
};
const MAX_OPEN = 5_000;
const MAX_FAILING_ADDRESSES = 10;

interface OpenEvent {
  id: string;
  /** When equal events begin a new one, in milliseconds of `performance.now()`. */
  until: number;
  stored: Promise<unknown>;
}

/**
 * Merges equal events of this server, so that a flood of requests writes one document in a window,
 * and one update of its count in a minute. A crash loses counts of the last minute, but no event.
 */
export function createRepeatedEvents(events: Collection<AuditDocument>, now = () => performance.now()) {
  const open = new LRUCache<string, OpenEvent>({ max: MAX_OPEN });
  const failing = createWindowLimit(MAX_FAILING_ADDRESSES, MINUTE_MS);
  /** By the id of the event. */
  const counts = createAccumulator<Pick<Required<AuditDocument>, 'count' | 'lastAt'>>({
    everyMs: MINUTE_MS,
    max: MAX_OPEN,
    merge: (one, other) => ({
      count: one.count + other.count,
      lastAt: one.lastAt < other.lastAt ? other.lastAt : one.lastAt,
    }),
    write: (values) =>
      events.bulkWrite(
        values.map(([_id, { count, lastAt }]) => ({
          updateOne: { filter: { _id }, update: { $inc: { count }, $max: { lastAt } } },
        })),
        { ordered: false, writeConcern: { w: 1 } },
      ),
  });

  async function add({ id, stored }: OpenEvent): Promise<void> {
    const one = { count: 1, lastAt: new Date() };
    if (!counts.add(id, one)) {
      await counts.flush();
      counts.add(id, one);
    }
    await stored;
  }

  async function begin(key: string, event: AuditDocument): Promise<void> {
    const stored = events.insertOne(event);
    open.set(key, { id: event._id, until: now() + (MERGE_FOR_MS[event.action] ?? MINUTE_MS), stored });
    try {
      await stored;
    } catch (error) {
      open.delete(key);
      throw error;
    }
  }

  /** Strangers cause failed log-ins: beyond some addresses they are counted together. */
  function withoutAddress(event: AuditDocument): AuditDocument {
    const tried = JSON.stringify([event.sourceAppId, event.target]);
    if (failing.waitMs(tried) > 0) return { ...event, actor: { ...event.actor, address: null } };
    failing.count(tried);
    return event;
  }

  const find = (key: string): OpenEvent | undefined => {
    const event = open.get(key);
    return event && event.until > now() ? event : undefined;
  };

  return {
    /** Resolves when the event is stored, or an equal one that counts it. */
    async record(event: AuditDocument): Promise<void> {
      const same = find(mergeKey(event));
      if (same) return add(same);
      const bounded = event.action === 'login.failed' ? withoutAddress(event) : event;
      const key = mergeKey(bounded);
      const equal = find(key);
      if (equal) await add(equal);
      else await begin(key, bounded);
    },

    flush: counts.flush,
  };
}

function mergeKey({ action, actor, appId, sourceAppId, target, detail }: AuditDocument): string {
  return JSON.stringify([action, actor, appId, sourceAppId, target, detail]);
}
