import type { Request } from 'express';
import { z } from 'zod';
import { Role, SourceAppId } from '../../core/api/parameters.ts';
import { beginSession, endSession } from '../../core/sessions/session.ts';
import type { LogInInput, SessionPart } from '../../core/sessions/session-part.ts';
import { Unauthenticated } from '../../platform/core/errors.ts';
import { component } from '../../platform/http/validation.ts';
import type { Origin } from './account-documents.ts';
import { Account, Email, LoggedIn, Memberships, SecondRequired } from './account-schemas.ts';
import type { AccountDocument, AccountSession, CodeUse, SignedIn, VerifiedLogIn } from './accounts.model.ts';
import type { AccountService } from './accounts.service.ts';
import type { LogInService } from './log-in.service.ts';
import { secondFactorsOf } from './second-factor.ts';

declare module 'express-session' {
  interface SessionData {
    /** The document of the account says whether the session lives. */
    accountId: string;
  }
}

const Session = component('AccountSession', {
  sourceAppId: SourceAppId.nullable(),
  role: Role,
  account: Account,
  memberships: Memberships,
  method: z.string().meta({ example: 'password' }),
});

type EntryInput = Omit<LogInInput, 'leftMs'>;

export type AccountSessions = ReturnType<typeof createAccountSessions>;

/** What accounts add to the endpoints of sessions. */
export type AccountSessionPart = AccountSessions['part'];

/**
 * The sessions of accounts (spec 4.13).
 * @param deps.endSessionUrl resolves with where a browser ends its session at the provider of
 *   single sign-on
 */
export function createAccountSessions(deps: {
  accounts: AccountService;
  logIns: LogInService;
  endSessionUrl: (() => Promise<string | undefined>) | undefined;
  cookieName: string;
  signOnOnly: boolean;
}) {
  const { accounts, logIns, endSessionUrl, cookieName, signOnOnly } = deps;

  /** Resolves with the account of the request's session, if there is one, and it has this state. */
  async function find({ session, sessionID }: Request, state?: AccountSession['state']): Promise<SignedIn | undefined> {
    if (session?.accountId === undefined) return undefined;
    const found = await accounts.findSession(session.accountId, sessionID);
    return state === undefined || found?.session.state === state ? found : undefined;
  }

  /** Gives the request a new session id, under which `store` begins the account's session. */
  async function begin(
    { _id }: AccountDocument,
    { req, res }: EntryInput,
    store: (sessionId: string, origin: Origin) => Promise<void>,
  ): Promise<void> {
    await beginSession(req, { accountId: _id.toHexString() });
    try {
      await store(req.sessionID, { device: req.headers['user-agent'] ?? '', address: req.ip ?? '' });
    } catch (error) {
      await endSession(req, res, cookieName);
      throw error;
    }
  }

  /** Audits a log-in, and resolves with its response. */
  async function present(
    { account, method, second, joined }: Pick<VerifiedLogIn, 'account' | 'method' | 'second' | 'joined'>,
    { audit }: EntryInput,
  ) {
    const shown = await accounts.present(account);
    const { id, admin } = shown.account;
    const actor = { kind: admin ? 'admin' : 'operator', id, method } as const;
    audit({ app: joined ?? null, target: id, actor, ...(second && { detail: { second } }) });
    return { ok: true as const, ...shown };
  }

  /** Begins the session of a way into an account, under a new id, and answers the request. */
  async function enter(entry: VerifiedLogIn, input: EntryInput) {
    const { account, second } = entry;
    const before = await find(input.req);
    await begin(account, input, (sessionId, origin) => accounts.begin(entry, sessionId, origin));
    if (before) await accounts.endSession(before);
    const shown = await present(entry, input);
    if (!second) return shown;
    input.res.status(202);
    return { ok: false as const, second: secondFactorsOf(account) };
  }

  /** Uses a code up, completes the log-in under a new id, and answers the request. */
  async function complete(waiting: SignedIn, use: CodeUse, input: EntryInput) {
    const { account, session } = waiting;
    await begin(account, input, (sessionId, origin) => accounts.complete(waiting, use, sessionId, origin));
    return present({ account, method: session.method, second: false }, input);
  }

  const part = {
    of: 'account',
    member: 'accountId',
    refusesApps: signOnOnly ? 'signOnOnly' : undefined,
    logIn: {
      member: 'email',
      schema: Email,
      response: LoggedIn,
      accepted: SecondRequired,
      begin: async (email: string, password: string, input: LogInInput) => {
        const { req, leftMs } = input;
        return enter(await logIns.byPassword(email, password, { address: req.ip ?? '', leftMs }), input);
      },
    },
    logOut: {
      description: 'After single sign-on, a browser that follows `endSessionUrl` ends its session at the provider.',
      response: { endSessionUrl: z.string().optional().meta({ example: 'https://login.example.com/logout' }) },
      end: async (req: Request) => {
        const own = await find(req);
        if (own) await accounts.endSession(own);
        const url = own?.session.method === 'oidc' ? await endSessionUrl?.() : undefined;
        return url === undefined ? {} : { endSessionUrl: url };
      },
    },
    getSession: {
      response: Session,
      show: async ({ own, role, account }, req: Request) => {
        const found = await find(req);
        if (!found || !account) throw new Unauthenticated();
        const shown = await accounts.present(found.account);
        return { sourceAppId: own?.sourceAppId ?? null, role, ...shown, method: account.method };
      },
    },
    authenticate: ({ accountId = '' }, sessionId, named) => logIns.authenticate(accountId, sessionId, named),
  } as const satisfies SessionPart;

  return { part, find, enter, complete };
}
