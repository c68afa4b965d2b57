import { z } from 'zod';
import type { Cursors } from '../api/cursors.ts';
import { AUDITED_CHANGES, AUDITED_READS, type Endpoints, type Route, routes } from '../api/endpoint.ts';
import type { SessionPrincipal } from '../api/principal.ts';
import { PageLimit, Timestamp } from '../api/validation.ts';
import { Forbidden } from '../core/errors.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN } from '../core/identifiers.ts';
import type { Logger } from '../core/logger.ts';
import type { Connection } from '../database/client.ts';
import type { DatabaseClock } from '../database/clock.ts';
import { type AuditDocument, type AuditFilter, type AuditLog, createAuditLog, createAuditModel } from './audit-log.ts';

export const ACTIONS = [...AUDITED_CHANGES, ...AUDITED_READS, 'login.failed'] as const;

const Action = z.enum(ACTIONS, 'must be an action of the audit log').meta({ example: 'users.exported' });

const Event = z
  .strictObject({
    id: z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
    at: Timestamp,
    sourceAppId: z.string().nullable().meta({ description: 'The app; null: all apps', example: 'newsletter' }),
    actor: z.strictObject({
      kind: z.enum(['operator', 'admin', 'key', 'command line', 'anonymous']),
      id: z.string().nullable().meta({
        description: 'The `sourceAppId` of a session, or the id of an API key or of an account',
        example: 'newsletter',
      }),
      address: z.string().nullable().meta({ example: '203.0.113.7' }),
      method: z.string().nullable().meta({
        description: 'How the session logged in: `shared` with the password of the app, or the method of an account',
        example: 'shared',
      }),
    }),
    action: Action,
    target: z.string().nullable().meta({ description: 'The id of what was changed' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .meta({ description: 'Such as numbers; `count` and `lastAt` of repeated events', example: { format: 'csv' } }),
  })
  .meta({ id: 'AuditEvent' });

/** The endpoint of the audit log (spec 4.9). */
export const auditEndpoints = {
  listAuditEvents: {
    method: 'get',
    path: '/auth/audit',
    auth: 'session',
    scope: 'manage',
    tag: 'Audit',
    summary: 'Who changed what, and who looked at many records',
    description:
      "Newest first. Operators see the events of their app. Admins see all events, or those of the app that `sourceAppId` names, which may be deleted. No event contains personal data of an app's users.",
    query: z.strictObject({
      since: z
        .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a date, or a date-time with its zone')
        .transform((at) => new Date(at))
        .optional()
        .meta({
          override: { type: 'string' },
          description: 'Only events from this time on; a date means its beginning in UTC',
          example: '2026-01-31',
        }),
      action: Action.optional(),
      sourceAppId: z.string().regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`).optional().meta({
        description: 'For admins: only the events of this app',
        example: 'newsletter',
      }),
      limit: PageLimit,
      cursor: z.string('must be one text').max(1_000, 'is too long').optional().meta({
        description: 'The `next` of the previous page of the same query',
        example: 'AbC123',
      }),
    }),
    response: z.strictObject({ events: z.array(Event), next: z.string().optional().meta({ example: 'AbC123' }) }),
    errors: [],
  },
} as const satisfies Endpoints;

const auditRoutes = (audit: AuditLog, cursors: Cursors): Route[] =>
  routes(auditEndpoints, {
    listAuditEvents: async ({ principal, query: { since, action, sourceAppId, limit, cursor } }) => {
      const bound = ['audit', principal.own?.id ?? principal.account?.id, since, action, sourceAppId];
      const before = cursor === undefined ? undefined : cursors.read<{ before: string }>(cursor, bound).before;
      const filter = { ...visibleTo(principal, sourceAppId), action, since };
      const found = await audit.page(filter, limit + 1, before);
      const events = found.slice(0, limit);
      const next = found.length > limit && { next: cursors.write({ before: events.at(-1)?._id }, bound) };
      return { events: events.map(present), ...next };
    },
  });

/** Operators list events of the incarnation of their app; admins by name, also of deleted apps. */
function visibleTo(principal: SessionPrincipal, sourceAppId: string | undefined): AuditFilter {
  if (principal.role === 'admin') return { sourceAppId };
  const { app } = principal;
  if (sourceAppId !== undefined && sourceAppId !== app.sourceAppId) throw new Forbidden('Admin role required');
  return { app };
}

function present({ _id, at, sourceAppId, actor, action, target, detail, count, lastAt }: AuditDocument) {
  const repeated = lastAt && { count, lastAt: lastAt.toISOString() };
  const { kind, id, address, method = null } = actor;
  return {
    ...{ id: _id, at: at.toISOString(), sourceAppId, actor: { kind, id, address, method }, action, target },
    detail: { ...detail, ...repeated },
  };
}

/** @param deps.days how long an event is kept */
export function createAudit(deps: {
  connection: Connection;
  days: number;
  clock: DatabaseClock;
  logger: Logger;
  cursors: Cursors;
}) {
  const { connection, days, clock, logger, cursors } = deps;
  const model = createAuditModel(connection);
  const log = createAuditLog({ events: model.collection, days, clock, logger });
  return {
    log,
    feature: { models: [model], routes: auditRoutes(log, cursors), close: () => log.flush() },
  };
}
