import type { Cursors } from '../api/cursors.ts';
import { type Route, routes } from '../api/endpoint.ts';
import type { SessionPrincipal } from '../api/principal.ts';
import { Forbidden } from '../core/errors.ts';
import { auditEndpoints } from './audit.contract.ts';
import type { AuditDocument } from './audit.model.ts';
import type { AuditFilter, AuditLog } from './audit-log.ts';

/** The endpoint of the audit log (spec 4.9). */
export const auditRoutes = (audit: AuditLog, cursors: Cursors): Route[] =>
  routes(auditEndpoints, {
    listAuditEvents: async ({ principal, query: { since, action, sourceAppId, limit, cursor } }) => {
      const bound = ['audit', principal.app.id, since, action, sourceAppId];
      const before = cursor === undefined ? undefined : cursors.read<{ before: string }>(cursor, bound).before;
      const filter = { ...visibleTo(principal, sourceAppId), action, since };
      const found = await audit.page(filter, limit + 1, before);
      const events = found.slice(0, limit);
      const next = found.length > limit && { next: cursors.write({ before: events.at(-1)?._id }, bound) };
      return { events: events.map(present), ...next };
    },
  });

/**
 * Operators see the events of the incarnation of their app. Admins see events by the name of an
 * app, so also those of deleted ones.
 */
function visibleTo({ app }: SessionPrincipal, sourceAppId: string | undefined): AuditFilter {
  if (app.role === 'admin') return { sourceAppId };
  if (sourceAppId !== undefined && sourceAppId !== app.sourceAppId) throw new Forbidden('Admin role required');
  return { app };
}

function present({ _id, at, sourceAppId, actor, action, target, detail, count, lastAt }: AuditDocument) {
  const repeated = lastAt && { count, lastAt: lastAt.toISOString() };
  const { kind, id, address } = actor;
  return {
    ...{ id: _id, at: at.toISOString(), sourceAppId, actor: { kind, id, address }, action, target },
    detail: { ...detail, ...repeated },
  };
}
