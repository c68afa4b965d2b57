import type { Request } from 'express';
import { type KeyPrincipal, PUBLIC_SCOPES, type PublicPrincipal } from '../../api/principal.ts';
import { APP_ID_PATTERN } from '../../core/app-id.ts';
import { Forbidden, InvalidInput } from '../../core/errors.ts';
import type { KeyAuth } from './api-key.ts';

/**
 * Identifies a client by the app in `x-app-id` (spec 5.1), or by its API key (spec 5.4): then the
 * header may be absent. Does not check that an app exists that only the header names.
 *
 * The returned function throws {@link InvalidInput} when the header is missing or malformed; the
 * two messages are part of the interface. It rejects with {@link Forbidden} when a key is for
 * another app.
 */
export function createAppIdAuth(keys: KeyAuth) {
  return (req: Request): PublicPrincipal | Promise<KeyPrincipal> => {
    const byKey = req.headers.authorization === undefined ? undefined : keys.authenticate(req);
    return byKey === undefined ? publicClient(req) : keyOfApp(req, byKey);
  };
}

function publicClient(req: Request): PublicPrincipal {
  const header = req.headers['x-app-id'];
  if (header === undefined || header === '') throw new InvalidInput('Missing x-app-id header');
  const sourceAppId = checked(header);
  req.appId = sourceAppId;
  return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
}

async function keyOfApp(req: Request, byKey: Promise<KeyPrincipal>): Promise<KeyPrincipal> {
  const principal = await byKey;
  const header = req.headers['x-app-id'];
  if (header !== undefined && header !== '') requireAppOfKey(principal, checked(header));
  return principal;
}

function checked(header: string | string[]): string {
  if (typeof header !== 'string' || !APP_ID_PATTERN.test(header)) throw invalidAppId();
  return header;
}

/** @throws {Forbidden} when a request names another app than that of its key */
export function requireAppOfKey(principal: KeyPrincipal, sourceAppId: string): void {
  if (principal.sourceAppId !== sourceAppId) throw new Forbidden('The API key is for another app');
}

export function invalidAppId(): InvalidInput {
  return new InvalidInput('Invalid x-app-id header');
}
