import type { AppPrincipal } from '../api/principal.ts';
import { Forbidden } from '../core/errors.ts';

/** @throws {Forbidden} unless the caller is an operator of the app or an admin */
export function requireOperator({ app }: AppPrincipal, sourceAppId: string): void {
  if (app.role !== 'admin' && app.sourceAppId !== sourceAppId) throw new Forbidden('Admin role required');
}
