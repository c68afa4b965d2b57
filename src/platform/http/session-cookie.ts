import { unsign } from 'cookie-signature';
import type { Request } from 'express';
import type { Config } from '../core/config.ts';

/** Of one name in a request. Each costs the check of a signature. */
const MAX_COOKIES = 10;

/**
 * Finds the session cookie of a request: the first of its name that this service signed. A service
 * on another path or on a parent domain may set cookies of the same name, which browsers send too.
 */
export interface SessionCookie {
  /** Returns the cookie as it was sent, `name=value`; undefined when there is none. */
  find(req: Request): string | undefined;
  /** Puts it before the others in the `Cookie` header: express-session reads only the first. */
  moveFirst(req: Request): void;
}

export function createSessionCookie(config: {
  sessionCookieName: Config['sessionCookieName'];
  sessionSecret: string;
}): SessionCookie {
  const { sessionCookieName, sessionSecret } = config;
  const prefix = `${sessionCookieName}=`;

  /** The cookies of the name in a header, as they were sent. */
  const named = (header: string): string[] =>
    header
      .split(';')
      .map((cookie) => cookie.trim())
      .filter((cookie) => cookie.startsWith(prefix));

  function isSigned(cookie: string): boolean {
    const value = decoded(cookie.slice(prefix.length));
    return value.startsWith('s:') && unsign(value.slice(2), sessionSecret) !== false;
  }

  return {
    find: ({ headers: { cookie = '' } }) =>
      cookie.includes(prefix) ? named(cookie).slice(0, MAX_COOKIES).find(isSigned) : undefined,

    moveFirst(req) {
      const { cookie = '' } = req.headers;
      if (cookie.indexOf(prefix) === cookie.lastIndexOf(prefix)) return;
      const own = this.find(req);
      if (own !== undefined) req.headers.cookie = `${own}; ${cookie}`;
    },
  };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
