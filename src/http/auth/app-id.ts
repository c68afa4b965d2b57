import type { Request } from 'express';
import { PUBLIC_SCOPES, type PublicPrincipal } from '../../api/principal.ts';
import { APP_ID_PATTERN } from '../../core/app-id.ts';
import { InvalidInput } from '../../core/errors.ts';

/**
 * Identifies a client by the app in `x-app-id` (spec 5.1). Does not check that the app exists.
 * @throws {InvalidInput} when the header is missing or malformed; the two messages are part of the
 *   interface
 */
export function authenticateByAppId(req: Request): PublicPrincipal {
  const header = req.headers['x-app-id'];
  if (header === undefined || header === '') throw new InvalidInput('Missing x-app-id header');
  if (typeof header !== 'string' || !APP_ID_PATTERN.test(header)) throw invalidAppId();
  req.appId = header;
  return { kind: 'public', sourceAppId: header, scopes: PUBLIC_SCOPES };
}

export function invalidAppId(): InvalidInput {
  return new InvalidInput('Invalid x-app-id header');
}
