import { Forbidden } from '../../platform/core/errors.ts';
import type { AppPrincipal, ScopedApp } from '../api/principal.ts';
import type { AppService } from './apps.service.ts';

/**
 * Resolves with the named app, by default that of the session (spec 4.3). @throws {NotFound}
 * @throws {Forbidden} when a caller other than an admin names another app
 */
export type AppScope = (principal: AppPrincipal, sourceAppId: string | undefined) => Promise<ScopedApp>;

export function createAppScope(apps: Pick<AppService, 'get'>): AppScope {
  return async (principal, sourceAppId) => {
    if (sourceAppId === undefined || sourceAppId === principal.own?.sourceAppId) return principal.app;
    if (principal.role !== 'admin') throw new Forbidden('adminRequired');
    return apps.get(sourceAppId);
  };
}
