import type { AnyInput, AuditActor, AuditedApp, AuditPart } from '../../core/api/endpoint.ts';
import type { Principal } from '../../core/api/principal.ts';
import type { Feature } from '../../core/feature.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { AUDITED_READS, type AuditAction } from './actions.ts';
import { auditRoutes } from './audit.routes.ts';
import type { AuditLog } from './audit-log.ts';
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

const READS: ReadonlySet<string> = new Set(AUDITED_READS);

/**
 * Creates what records the events of endpoints, and failed log-ins.
 * @param findApp resolves with an app, fast for an app in use
 */
function createAuditRecorder(
  audit: Pick<AuditLog, 'record'>,
  findApp: (sourceAppId: string) => Promise<Pick<AuditedApp, 'id'> | undefined>,
): AuditPart {
  return {
    isRead: (event) => READS.has(event),

    async record({ audit: event }, { principal, params, query, req }, facts) {
      if (event === undefined) return;
      // A test compares the declarations with the actions.
      const action = event as AuditAction;
      const named = nameIn(params, 'sourceAppId') ?? nameIn(query, 'sourceAppId');
      const app = facts.app === undefined ? await findAuditedApp(principal, named) : facts.app;
      const { target = nameIn(params, 'id') ?? nameIn(params, 'sourceAppId'), detail, changed } = facts;
      const actor = { ...(facts.actor ?? toActor(principal)), address: req.ip };
      await audit.record({ action, actor, app, target, detail, changed });
    },

    noteFailedLogIn(find, address) {
      const note = async (): Promise<void> => {
        const named = await find();
        if (!named) return;
        await audit.record({ action: 'login.failed', actor: { kind: 'anonymous', address }, ...named });
      };
      void note().catch(() => undefined);
    },
  };

  async function findAuditedApp(
    principal: Principal | undefined,
    named: string | undefined,
  ): Promise<AuditedApp | null> {
    const own = principal?.kind === 'public' ? undefined : principal?.own;
    if (named === undefined || named === own?.sourceAppId) return own ?? null;
    return { id: (await findApp(named))?.id, sourceAppId: named };
  }
}

function nameIn(parameters: AnyInput['params'], name: string): string | undefined {
  const value = parameters?.[name];
  return typeof value === 'string' ? value : undefined;
}

function toActor(principal: Principal | undefined): AuditActor {
  if (!principal || principal.kind === 'public') return { kind: 'anonymous' };
  if (principal.kind === 'key') return { kind: 'key', id: principal.keyId };
  const kind = principal.role === 'admin' ? 'admin' : 'operator';
  if (principal.account) return { kind, id: principal.account.id.toHexString(), method: principal.account.method };
  return { kind, id: principal.sourceAppId, method: 'shared' };
}
