import type { Request } from 'express';
import { PUBLIC_SCOPES, type PublicPrincipal } from '../../api/principal.ts';
import { APP_ID_PATTERN } from '../../core/app-id.ts';
import { AppNotFound } from '../../core/errors.ts';

/**
 * Identifies a client by the app in the path, `:sourceAppId` (spec 5.1). Does not check that the
 * app exists.
 * @throws {AppNotFound} when the id is malformed
 */
export function authenticateByPath(req: Request): PublicPrincipal {
  const { sourceAppId } = req.params;
  if (typeof sourceAppId !== 'string' || !APP_ID_PATTERN.test(sourceAppId)) throw new AppNotFound();
  req.appId = sourceAppId;
  return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
}
