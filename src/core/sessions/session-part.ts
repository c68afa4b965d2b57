import type { Request } from 'express';
import type { SessionData } from 'express-session';
import type { z } from 'zod';
import type { PlainCode } from '../../platform/languages/reasons.ts';
import type { AnyInput } from '../api/endpoint.ts';
import type { SessionPrincipal } from '../api/principal.ts';

/** What a log-in gets of the input of its endpoint. */
export type LogInInput = Pick<AnyInput, 'req' | 'res' | 'audit' | 'leftMs'>;

/**
 * A kind of session that a feature adds to the sessions of apps. The endpoints of sessions ask the
 * part that a log-in or a session belongs to, and answer what it returns.
 */
export interface SessionPart {
  /** Who logs in, as descriptions name it after `an`. */
  of: string;
  /** The member of a stored session that only sessions of this kind have: an id. */
  member: string;
  /** Why apps may not log in; their sessions count as ended. Undefined: they may. */
  refusesApps?: PlainCode | undefined;
  /** `POST /auth/login` */
  logIn: {
    /** The member of the body that names who logs in, in place of `sourceAppId`. */
    member: string;
    schema: z.ZodType<string>;
    response: z.ZodType;
    /** As in `EndpointSpec`. */
    accepted?: z.ZodType;
    /** Begins the session. @throws {Unauthenticated} when the name or the password is wrong */
    begin(name: string, password: string, input: LogInInput): Promise<unknown>;
  };
  /** `POST /auth/logout` */
  logOut: {
    description: string;
    /** The members that it adds to the answer. */
    response: z.ZodRawShape;
    /** Called before the session ends. Resolves with those members. */
    end(req: Request): Promise<object>;
  };
  /** `GET /auth/session` */
  getSession: {
    response: z.ZodType;
    show(principal: SessionPrincipal, req: Request): Promise<unknown>;
  };
  /**
   * Resolves with the caller of a session of this kind, read on each call.
   * @param named the app that the request names @throws {Unauthenticated}
   * @throws {Forbidden} when the caller may not act for the named app
   */
  authenticate(session: Partial<SessionData>, sessionId: string, named: string | undefined): Promise<SessionPrincipal>;
}

/** Returns the parts. @throws {Error} when two kinds of sessions claim one member */
export function distinctParts(parts: readonly SessionPart[]): readonly SessionPart[] {
  const claimed = [
    parts.map(({ member }) => member),
    ['sourceAppId', 'password', ...parts.map(({ logIn }) => logIn.member)],
    ['ok', ...parts.flatMap(({ logOut }) => Object.keys(logOut.response))],
  ];
  for (const members of claimed) {
    const twice = members.find((member, index) => members.indexOf(member) < index);
    if (twice !== undefined) throw new Error(`two kinds of sessions have the member ${twice}`);
  }
  return parts;
}

/** Returns the part that a session belongs to; undefined for the session of an app. */
export function partOf<Part extends SessionPart>(
  parts: readonly Part[],
  session: Partial<SessionData> | undefined,
): Part | undefined {
  return session && parts.find(({ member }) => Object.hasOwn(session, member));
}
