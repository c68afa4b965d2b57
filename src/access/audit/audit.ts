import type { Cursors } from '../../api/cursors.ts';
import type { AuditedApp } from '../../api/endpoint.ts';
import type { Feature } from '../../apps/feature.ts';
import type { ReadNames } from '../../apps/names.ts';
import { auditRoutes } from './audit.routes.ts';
import type { AuditLog } from './audit-log.ts';
import { createAuditRecorder } from './audit-recorder.ts';

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
