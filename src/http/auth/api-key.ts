import type { Request } from 'express';
import type { KeyPrincipal } from '../../api/principal.ts';
import type { ApiKeyService } from '../../api-keys/api-keys.service.ts';
import { keyInHeader } from '../../api-keys/key-text.ts';
import { Forbidden, InvalidInput } from '../../core/errors.ts';

export type KeyAuth = ReturnType<typeof createKeyAuth>;

/** Authenticates API keys (spec 5.4). A request without one costs the look at one header. */
export function createKeyAuth(keys: Pick<ApiKeyService, 'authenticate'>, cookieName: string) {
  const sessionCookie = new RegExp(`(?:^|;) *${cookieName}=`);

  /** The API key of a request. @throws {InvalidInput} when it has a session cookie as well */
  function keyOf({ headers }: Request): string | undefined {
    const key = keyInHeader(headers.authorization);
    if (key !== undefined && headers.cookie !== undefined && sessionCookie.test(headers.cookie)) {
      throw new InvalidInput('A request has a session or an API key, not both');
    }
    return key;
  }

  return {
    /**
     * Returns undefined for a request without an API key, else a promise of its principal.
     * @throws {InvalidInput} when the request has a session cookie as well
     */
    authenticate(req: Request): Promise<KeyPrincipal> | undefined {
      const text = keyOf(req);
      return text === undefined ? undefined : principalOf(req, text);
    },

    /** @throws {Forbidden} when a request has an API key, at an endpoint that takes none */
    refuse(req: Request): void {
      if (keyOf(req) !== undefined) throw new Forbidden('This endpoint takes no API keys; log in instead');
    },
  };

  async function principalOf(req: Request, text: string): Promise<KeyPrincipal> {
    const { key, app } = await keys.authenticate(text, req.ip ?? '');
    req.appId = app.sourceAppId;
    req.keyId = key._id.toHexString();
    return { kind: 'key', sourceAppId: app.sourceAppId, app, scopes: new Set(key.scopes), keyId: req.keyId };
  }
}
