import type { Request } from 'express';
import { type KeyPrincipal, PUBLIC_SCOPES, type PublicPrincipal } from '../../api/principal.ts';
import { APP_ID_PATTERN } from '../../core/app-id.ts';
import { AppNotFound } from '../../core/errors.ts';
import type { KeyAuth } from './api-key.ts';
import { requireAppOfKey } from './app-id.ts';

/**
 * Identifies a client by the app in the path, `:sourceAppId` (spec 5.1), or by an API key of that
 * app (spec 5.4). Does not check that the app exists.
 *
 * The returned function throws {@link AppNotFound} when the id is malformed, and rejects with
 * `Forbidden` when a key is for another app.
 */
export function createPathAuth(keys: KeyAuth) {
  return (req: Request): PublicPrincipal | Promise<KeyPrincipal> => {
    const { sourceAppId } = req.params;
    if (typeof sourceAppId !== 'string' || !APP_ID_PATTERN.test(sourceAppId)) throw new AppNotFound();
    const byKey = keys.authenticate(req);
    if (byKey !== undefined) return keyOfApp(byKey, sourceAppId);
    req.appId = sourceAppId;
    return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
  };
}

async function keyOfApp(byKey: Promise<KeyPrincipal>, sourceAppId: string): Promise<KeyPrincipal> {
  const principal = await byKey;
  requireAppOfKey(principal, sourceAppId);
  return principal;
}
