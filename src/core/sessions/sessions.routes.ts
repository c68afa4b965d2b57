import { z } from 'zod';
import { Unauthenticated } from '../../platform/core/errors.ts';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import type { Refuse } from '../../platform/http/error-handlers.ts';
import { Refusal } from '../../platform/http/reply.ts';
import { code } from '../../platform/languages/problems.ts';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { AppName, Role, SentPassword, SourceAppId } from '../api/parameters.ts';
import { beginSession, endSession } from './session.ts';
import { partOf, type SessionPart } from './session-part.ts';
import type { SessionService } from './sessions.service.ts';

const LoggedIn = z.strictObject({ ok: z.literal(true), sourceAppId: SourceAppId, role: Role });
const Session = z.strictObject({ sourceAppId: SourceAppId, name: AppName, role: Role });
const NoSession = z.strictObject({ message: z.literal('Not authenticated') }).meta({ id: 'NoSession' });

/** The body of a log-in: a password, and one member that names who logs in. */
type Credentials<Part extends SessionPart> = { sourceAppId?: string | undefined; password: string } & {
  [One in Part as One['logIn']['member']]?: string | undefined;
};

function credentials<Part extends SessionPart>(parts: readonly Part[]) {
  const others = Object.fromEntries(parts.map(({ logIn: { member, schema } }) => [member, schema.optional()]));
  const names = ['sourceAppId', ...Object.keys(others)];
  const schema = z
    .strictObject({
      sourceAppId: z.string(code('notText')).regex(APP_ID_PATTERN, code('notAppId')).optional(),
      ...others,
      password: SentPassword,
    })
    .superRefine((body: Readonly<Record<string, unknown>>, context) => {
      const [name, ...more] = names.filter((one) => body[one] !== undefined);
      if (name === undefined) context.addIssue({ code: 'custom', path: ['sourceAppId'], message: code('notText') });
      for (const one of more) context.addIssue({ code: 'custom', path: [one], message: code('withAppId') });
    })
    .meta({ id: 'Credentials', example: { sourceAppId: 'newsletter', password: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' } });
  return schema as z.ZodType as z.ZodType<Credentials<Part>, Credentials<Part>>;
}

/** A schema that accepts what one of several accepts. */
function oneOf<Schema extends z.ZodType>(first: Schema, others: readonly Schema[]) {
  const one: z.ZodType = others.length === 0 ? first : z.union([first, ...others]);
  return one as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

/** The endpoints of sessions (spec 4.2), with what parts add to them. */
export function sessionEndpoints<Part extends SessionPart>(parts: readonly Part[]) {
  const kinds = [{ of: 'app', member: 'sourceAppId' }, ...parts.map(({ of, logIn }) => ({ of, member: logIn.member }))];
  const ways = kinds.map(({ of, member }) => `an ${of} (\`${member}\`)`).join(' or as ');
  const names = kinds.map(({ of }) => of).join(' or ');
  const [accepted, ...others] = parts.flatMap(({ logIn }) => logIn.accepted ?? []);
  return {
    logIn: {
      method: 'post',
      path: '/auth/login',
      auth: 'visitor',
      audit: 'login',
      tag: 'Sessions',
      summary: 'Log in',
      description: `As ${ways}. Sets the HTTP-only session cookie, valid for 7 days. Failures are limited per ${names} and address, and per address over all.`,
      body: jsonBody(credentials(parts), 'invalidLogIn'),
      response: oneOf<typeof LoggedIn | Part['logIn']['response']>(
        LoggedIn,
        parts.map(({ logIn }) => logIn.response),
      ),
      ...(accepted && { accepted: oneOf<NonNullable<Part['logIn']['accepted']>>(accepted, others) }),
      responseHeaders: { 'Set-Cookie': 'The session cookie' },
      errors: [401, 429],
    },
    logOut: {
      method: 'post',
      path: '/auth/logout',
      auth: 'visitor',
      tag: 'Sessions',
      summary: 'Log out',
      description: [
        'Ends the current session. The response is the same without a session.',
        ...parts.map(({ logOut }) => logOut.description),
      ].join(' '),
      response: z.strictObject<{ ok: z.ZodLiteral<true> } & Part['logOut']['response']>(
        Object.assign({ ok: z.literal(true) }, ...parts.map(({ logOut }) => logOut.response)),
      ),
    },
    getSession: {
      method: 'get',
      path: '/auth/session',
      auth: 'session',
      load: 'light',
      tag: 'Sessions',
      summary: 'The current session',
      response: oneOf<typeof Session | Part['getSession']['response']>(
        Session,
        parts.map(({ getSession }) => getSession.response),
      ),
      unauthenticated: NoSession,
    },
  } as const satisfies Endpoints;
}

/** The whole body of this refusal is fixed (spec 7), so it has no code. */
export const refuseWithoutSession: Refuse = async (error) => {
  const body: z.input<typeof NoSession> = { message: 'Not authenticated' };
  return error instanceof Unauthenticated ? new Refusal(error.status, body) : undefined;
};

export function sessionRoutes(sessions: SessionService, parts: readonly SessionPart[], cookieName: string): Route[] {
  return routes(sessionEndpoints(parts), {
    logIn: async (input) => {
      const { body, req, res, leftMs, audit } = input;
      for (const { logIn } of parts) {
        const name = body[logIn.member];
        if (name !== undefined) return logIn.begin(name, body.password, input);
      }
      const app = await sessions.logIn(body.sourceAppId ?? '', body.password, { address: req.ip ?? '', leftMs });
      const { id, sourceAppId, role, credentialId } = app;
      await beginSession(req, { appId: id.toHexString(), sourceAppId, role, credentialId });
      // The app may have been deleted during the password check; its sessions were then removed
      // before this one was saved.
      if (!(await sessions.isLive(req.session))) {
        await endSession(req, res, cookieName);
        throw new Unauthenticated('invalidCredentials');
      }
      req.appId = sourceAppId;
      const kind = role === 'admin' ? 'admin' : 'operator';
      audit({ app, actor: { kind, id: sourceAppId, method: 'shared' } });
      return { ok: true, sourceAppId, role } satisfies z.input<typeof LoggedIn>;
    },

    logOut: async ({ req, res }) => {
      const more = await partOf(parts, req.session)?.logOut.end(req);
      await endSession(req, res, cookieName);
      return { ok: true as const, ...more };
    },

    getSession: async ({ principal, req }) => {
      const part = partOf(parts, req.session);
      if (part) return part.getSession.show(principal, req);
      const { own, role } = principal;
      const name = own?.form?.name;
      const shown = { sourceAppId: own?.sourceAppId ?? '', ...(name !== undefined && { name }), role };
      return shown satisfies z.input<typeof Session>;
    },
  });
}
