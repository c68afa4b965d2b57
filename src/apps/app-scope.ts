import type { AppPrincipal, PrincipalApp } from '../api/principal.ts';
import { Forbidden } from '../core/errors.ts';
import type { AppService } from './apps.service.ts';

export type ScopedApp = Pick<PrincipalApp, 'id' | 'sourceAppId'>;

/**
 * Resolves with the named app, by default that of the session (spec 4.3). @throws {NotFound}
 * @throws {Forbidden} when a caller other than an admin names another app
 */
export type AppScope = (principal: AppPrincipal, sourceAppId: string | undefined) => Promise<ScopedApp>;

export function createAppScope(apps: Pick<AppService, 'get'>): AppScope {
  return async (principal, sourceAppId) => {
    if (sourceAppId === undefined || sourceAppId === principal.own?.sourceAppId) return principal.app;
    if (principal.role !== 'admin') throw new Forbidden('Admin role required');
    return apps.get(sourceAppId);
  };
}

/** @throws {Forbidden} unless the caller is an operator of the app or an admin */
export function requireOperator({ role, own }: AppPrincipal, sourceAppId: string): void {
  if (role !== 'admin' && own?.sourceAppId !== sourceAppId) throw new Forbidden('Admin role required');
}
