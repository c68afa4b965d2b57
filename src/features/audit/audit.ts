import type { AuditedApp } from '../../core/api/endpoint.ts';
import type { Feature } from '../../core/feature.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { auditRoutes } from './audit.routes.ts';
import type { AuditLog } from './audit-log.ts';
import { createAuditRecorder } from './audit-recorder.ts';
import type { ReadNames } from './names.ts';

/** Creates what writes and reads the audit log (spec 4.9). */
export function createAudit(deps: {
  log: AuditLog;
  /** Resolves with an app, fast for an app in use. */
  findApp(sourceAppId: string): Promise<Pick<AuditedApp, 'id'> | undefined>;
  cursors: Cursors;
  readNames: ReadNames;
}): Feature {
  const { log, findApp, cursors, readNames } = deps;
  return {
    routes: auditRoutes(log, cursors, readNames),
    audit: createAuditRecorder(log, findApp),
    models: [log.model],
    close: log.flush,
  };
}
