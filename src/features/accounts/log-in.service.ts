import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { ALL_SCOPES, type Permission, type SessionPrincipal, withApp } from '../../core/api/principal.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import type { Caller, LogInName, SessionService } from '../../core/sessions/sessions.service.ts';
import { AppError, Forbidden, Unauthenticated } from '../../platform/core/errors.ts';
import type { AppRole } from '../../platform/core/roles.ts';
import type { Waiter } from '../../platform/log-ins/passwords.ts';
import type { Membership } from './access.ts';
import type { AccountStore } from './account-documents.ts';
import type { AccountDocument, AccountSession, CodeUse, VerifiedLogIn } from './accounts.model.ts';
import type { AccountService } from './accounts.service.ts';
import type { RelyingParty } from './passkeys.ts';
import type { Roles } from './roles.ts';

const VIEWER: readonly Permission[] = ['users:read'];
const EDITOR: readonly Permission[] = [...VIEWER, 'users:write', 'import', 'export'];
const MANAGER: readonly Permission[] = [...EDITOR, 'schema:write', 'webhooks', 'manage'];

/** What each role of a member may do (spec 4.13). */
const SCOPES_OF_ROLES: Record<AppRole, ReadonlySet<Permission>> = {
  viewer: new Set(VIEWER),
  editor: new Set(EDITOR),
  manager: new Set(MANAGER),
};
const NO_SCOPES: ReadonlySet<Permission> = new Set();

/** A passkey names nobody, so the failures of a network count together. */
const PASSKEY: LogInName = { key: 'a passkey', takesHash: false };

export type LogInService = ReturnType<typeof createLogInService>;

/** The proofs that log an account in, limited as those of apps, and the callers of its sessions. */
export function createLogInService(deps: {
  accounts: AccountService;
  store: Pick<AccountStore, 'findByEmail'>;
  roles: Pick<Roles, 'read'>;
  apps: Pick<AppService, 'find' | 'findById'>;
  sessions: Pick<SessionService, 'check' | 'prove' | 'noteFailure'>;
}) {
  const { accounts, store, roles, apps, sessions } = deps;

  /** The event of a failure concerns no app, so that only admins see it. */
  const nameOf = (email: string): LogInName => ({
    key: `account ${email.trim().toLowerCase()}`,
    takesHash: true,
    async find() {
      const account = await store.findByEmail(email);
      return account && { app: null, target: account._id.toHexString() };
    },
  });

  /** A group gives a role by the name of an app, an invitation by its id. */
  const findApp = ({ appId, sourceAppId }: Membership) => (appId ? apps.findById(appId) : apps.find(sourceAppId));

  /** What an account may do in the app that a request names, or in its only app. */
  async function principalOf(account: AccountDocument, session: AccountSession, named: string | undefined) {
    const { isAdmin, memberships } = await roles.read(account, named);
    const [membership] = memberships.length === 1 ? memberships : [];
    const app = membership && (await findApp(membership));
    const own = app && (named === undefined || app.sourceAppId === named) ? app : undefined;
    if (named !== undefined && !own && !isAdmin) throw new Forbidden('accountNotMember');
    const scopes = isAdmin ? ALL_SCOPES : own && membership ? SCOPES_OF_ROLES[membership.role] : NO_SCOPES;
    const role = isAdmin ? ('admin' as const) : ('user' as const);
    const shown = { id: account._id, method: session.method };
    return withApp({ kind: 'session' as const, role, own, scopes, account: shown });
  }

  return {
    /**
     * Resolves with the way into an account when the password is correct (spec 4.13). The response
     * and its time are the same for an unknown email, a wrong password and a suspended account.
     * @throws {Forbidden} when single sign-on is the only way to log in
     * @throws {Unauthenticated} when the credentials are wrong
     * @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async byPassword(email: string, password: string, caller: Caller): Promise<VerifiedLogIn> {
      accounts.requirePasswords();
      const verify = (waiter: Waiter) => accounts.checkPassword(email, password, waiter);
      return sessions.prove(nameOf(email), verify, caller);
    },

    /** Resolves with the way into the account whose passkey signed. Throws as `byPassword`. */
    async byPasskey(response: AuthenticationResponseJSON, at: RelyingParty, caller: Caller): Promise<VerifiedLogIn> {
      accounts.requirePasswords();
      return sessions.prove(PASSKEY, () => accounts.checkPasskey(response, at), caller);
    },

    /** As `AccountService.checkCode`. A wrong code counts as a failed log-in in the audit log. */
    async checkCode(
      account: AccountDocument,
      given: Parameters<AccountService['checkCode']>[1],
      address: string,
    ): Promise<CodeUse> {
      try {
        return await accounts.checkCode(account, given);
      } catch (error) {
        if (error instanceof AppError) sessions.noteFailure(nameOf(account.email), address);
        throw error;
      }
    },

    /** Resolves with whether a password has this hash. Failures count as failed log-ins. */
    async confirm(email: string, password: string, hash: string | undefined, caller: Caller): Promise<boolean> {
      const verify = (waiter: Waiter) => accounts.verify(password, hash, waiter);
      return (await sessions.check(nameOf(email), verify, caller, true)) ?? false;
    },

    /** As `SessionPart.authenticate`, for the session of an account. */
    async authenticate(accountId: string, sessionId: string, named: string | undefined): Promise<SessionPrincipal> {
      const found = await accounts.findSession(accountId, sessionId);
      if (found?.session.state !== 'active') throw new Unauthenticated();
      return principalOf(found.account, found.session, named);
    },
  };
}
