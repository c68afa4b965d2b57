import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import type { AppService } from '../../core/apps/apps.service.ts';
import {
  Conflict,
  Forbidden,
  Gone,
  InvalidInput,
  NotFound,
  Unauthenticated,
  Unavailable,
} from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { PasswordHasher, Waiter } from '../../platform/log-ins/passwords.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import type { AccessStore } from './access.ts';
import { ACTIVE, type AccountStore, createToken, type Origin, openLink } from './account-documents.ts';
import type { AccountChange, AccountMail } from './account-mail.ts';
import type { AccountStatus } from './account-status.ts';
import type {
  AccountDocument,
  CodeUse,
  InvitationDocument,
  LogInMethod,
  SignedIn,
  VerifiedLogIn,
} from './accounts.model.ts';
import { FIRST_LINK_MS, type Invitations } from './invitations.ts';
import type { Passkeys } from './passkeys.ts';
import type { Roles } from './roles.ts';
import { hasSecondFactor, type SecondFactors, withSecondFactor } from './second-factor.ts';

const RESET_MS = 60 * 60 * 1_000;
const LINK_MS = 15 * 60 * 1_000;
/** The time for which a reset link stays the newest, however often somebody asks for one. */
const RESET_EVERY_MS = 10 * 60 * 1_000;
/** The requests for a link that are worked on, and those that wait. More are dropped. */
const FORGOTTEN_AT_ONCE = 2;
const MAX_FORGOTTEN = 200;
/** Changes of password and factors need a log-in of this time. */
const RECENT_MS = 10 * 60 * 1_000;

/** The ways to log in that stay when single sign-on is the only one for everybody. */
const SIGNED_ON: ReadonlySet<LogInMethod> = new Set(['oidc', 'link']);

const usedLink = (): Gone => new Gone('linkUsed');

/** The email of a request in its stored form. @throws {InvalidInput} */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email !== undefined) return email;
  throw new InvalidInput('invalidBody', [{ path: 'email', ...say('notValidEmail') }]);
}

export type AccountService = ReturnType<typeof createAccountService>;

/** The ways into an account, and what somebody does with their own (spec 4.13). */
export function createAccountService(deps: {
  store: AccountStore;
  access: AccessStore;
  invitations: Invitations;
  status: Pick<AccountStatus, 'activate'>;
  factors: SecondFactors;
  passkeys: Passkeys;
  hasher: PasswordHasher;
  apps: Pick<AppService, 'findById'>;
  appReads: Pick<AppReads, 'named'>;
  mail: AccountMail;
  roles: Pick<Roles, 'read'>;
  /** Undefined: no links are sent by email. */
  publicUrl: string | undefined;
  /** Whether single sign-on is the only way to log in, beside links of the host. */
  signOnOnly: boolean;
}) {
  const { roles, status, signOnOnly } = deps;
  const { store, access, invitations, factors, passkeys, hasher, apps, appReads, mail, publicUrl } = deps;

  /**
   * Whether an account may get a new password by email. While the email is unproved, its reader and
   * the person who uses single sign-on can differ, and a password would let both in.
   */
  const mayReset = ({ emailProvedAt, identities = [] }: AccountDocument): boolean =>
    emailProvedAt !== undefined || identities.length === 0;

  /** Gives an account what an invitation offers. @throws {Gone} when the app was deleted */
  async function grant(accountId: ObjectId, { app, admin }: InvitationDocument, until: Until): Promise<void> {
    if (admin) await access.putAdmin(accountId, until);
    if (app) await access.putMember(await findOfferedApp(app), accountId, app.role, until);
    await status.activate(accountId);
  }

  /** @throws {Gone} when the app was deleted */
  async function findOfferedApp({ id }: NonNullable<InvitationDocument['app']>) {
    const live = await apps.findById(id);
    if (!live) throw new Gone('invitationAppDeleted');
    return live;
  }

  /** @throws {Gone} for the link to the first admin account, when there is one */
  async function requireFirst({ email }: InvitationDocument): Promise<void> {
    if (email !== undefined || (await access.admins()).length === 0) return;
    throw new Gone('firstAdminExists');
  }

  const limitForgotten = pLimit(FORGOTTEN_AT_ONCE);

  const turns = new Map<string, Promise<unknown>>();
  /**
   * Returns `work` for which requests with one token take turns, so that those after the first find
   * it used before they compute a hash. Hashes of new passwords come before the checks of other
   * log-ins.
   */
  const inTurn =
    <Args extends [token: string, ...rest: unknown[]], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const [token] = args;
      const turn = (turns.get(token) ?? Promise.resolve()).catch(() => undefined).then(() => work(...args));
      turns.set(token, turn);
      try {
        return await turn;
      } finally {
        if (turns.get(token) === turn) turns.delete(token);
      }
    };

  /** @throws {Forbidden} when single sign-on is the only way to log in */
  function requirePasswords(): void {
    if (signOnOnly) throw new Forbidden('signOnOnly');
  }

  /** @throws {Forbidden} when the log-in is too old */
  function requireRecent({ session }: SignedIn): void {
    // A log-in in the future is of a clock that was set back since.
    if (Math.abs(Date.now() - session.authenticatedAt.getTime()) <= RECENT_MS) return;
    throw new Forbidden('logInAgain', { reauthenticate: true });
  }

  /** Tells an account of a change, which somebody else may have made. */
  const notify = ({ email }: AccountDocument, what: AccountChange): void => mail.send(email, { kind: 'changed', what });

  /**
   * Returns `work` on the own factors, which needs a recent log-in.
   * @param tell the change that the account is told of
   */
  const guarded =
    <Args extends unknown[], Result>(
      work: (own: SignedIn, ...args: Args) => Promise<Result>,
      { addsPasskey = false, tell }: { addsPasskey?: boolean; tell?: AccountChange } = {},
    ) =>
    async (own: SignedIn, ...args: Args): Promise<Result> => {
      if (addsPasskey) requirePasswords();
      requireRecent(own);
      const result = await work(own, ...args);
      if (tell) notify(own.account, tell);
      return result;
    };

  /**
   * Uses an invitation. Somebody with an account has to be logged in as it, and gains what the
   * invitation offers; others get an account. Resolves with the account's way in.
   * @throws {Gone} when the invitation was used or is over
   */
  async function accept(
    token: string,
    given: { name: string; email?: string | undefined; password?: string | undefined },
    current: SignedIn | undefined,
    until: Until,
  ): Promise<VerifiedLogIn> {
    const invitation = await invitations.find(token);
    const email = invitation.email ?? requireEmail(given.email ?? '');
    await requireFirst(invitation);
    const existing = await store.findByEmail(email);
    const own = existing && current?.account._id.equals(existing._id) ? current : undefined;
    if (!own) requirePasswords();
    if (existing && !own) {
      throw new Forbidden('accountOfInvitation');
    }
    if (!existing && invitation.app) await access.requirePlace(invitation.app.id);
    const passwordHash = existing || given.password === undefined ? undefined : await hasher.hash(given.password);
    const taken = await invitations.take(token, until);
    try {
      const account =
        existing ?? (await store.create({ email, name: given.name, ...(passwordHash && { passwordHash }) }));
      await grant(account._id, taken, until);
      await (taken.email === undefined ? invitations.endFirstLinks() : invitations.end(taken));
      const joined = taken.app && { joined: taken.app };
      if (own) {
        const { id, method, sid } = own.session;
        return {
          account,
          method,
          sid,
          continues: own.session,
          checked: { 'sessions.id': id },
          second: false,
          ...joined,
        };
      }
      const unproved = { passwordHash: passwordHash ?? { $exists: false }, emailProvedAt: { $exists: false } };
      return {
        account,
        method: 'invitation',
        checked: typedFilter<AccountDocument>(unproved),
        second: false,
        ...joined,
      };
    } catch (error) {
      await (error instanceof Gone ? invitations.end(taken) : invitations.giveBack(taken));
      throw error;
    }
  }

  /**
   * Replaces the password by a link and ends all sessions. Proves the email of an account that
   * has nothing but a password. @throws {Gone} when the link was used or has expired
   */
  async function reset(token: string, password: string): Promise<VerifiedLogIn> {
    requirePasswords();
    // Before the hash, which takes processor time.
    const account = await store.findByLink('reset', token);
    if (!account || !mayReset(account)) throw usedLink();
    const passwordHash = await hasher.hash(password);
    // Passkeys and codes may be those of somebody who never read the email.
    const isProof = !hasSecondFactor(account) && (account.identities ?? []).length === 0;
    const unproved = account.emailProvedAt ? {} : { 'identities.0': { $exists: false } };
    const seen = isProof ? { ...withSecondFactor(false), 'identities.0': { $exists: false } } : unproved;
    const $set = { passwordHash, sessions: [], ...(isProof && { emailProvedAt: new Date() }) };
    const change = { $set, $unset: { reset: 1, link: 1 } as const };
    if (!(await store.change(account._id, { ...openLink('reset', token), ...seen }, change))) throw usedLink();
    notify(account, 'password');
    return { account, method: 'password', checked: { passwordHash }, second: hasSecondFactor(account) };
  }

  return {
    /**
     * Resolves with the way in when the password is correct; in the same time also for an unknown
     * email, an account without a password and a suspended one.
     * @throws {Unavailable} when the check cannot finish in the time that `waiter` has left
     */
    async checkPassword(email: string, password: string, waiter: Waiter): Promise<VerifiedLogIn | undefined> {
      hasher.assertCapacity(waiter);
      const account = await store.findByEmail(email);
      const matches = await hasher.verify(password, account?.passwordHash, waiter);
      if (!matches || !account?.passwordHash || account.suspendedAt) return undefined;
      const { passwordHash } = account;
      return { account, method: 'password', checked: { passwordHash }, second: hasSecondFactor(account) };
    },

    verify: hasher.verify,

    /** Begins the session of a way in. @throws {Unauthenticated} when it was closed meanwhile */
    async begin(entry: VerifiedLogIn, sessionId: string, origin: Origin): Promise<void> {
      const { account, method, second } = entry;
      // A passkey and a link of the host need no second factor, although the account has one.
      const still = second || !hasSecondFactor(account) ? withSecondFactor(second) : {};
      if (await store.beginSession(entry, still, sessionId, origin)) return;
      throw method === 'link' ? usedLink() : new Unauthenticated('invalidCredentials');
    },

    /** Uses a code up and completes the log-in under a new session id. @throws {Unauthenticated} */
    async complete(waiting: SignedIn, use: CodeUse, sessionId: string, origin: Origin): Promise<void> {
      if (await store.completeSession(waiting, use, sessionId, origin)) return;
      throw new Unauthenticated('invalidCode');
    },

    checkCode: factors.check,

    passkeyOptions: passkeys.optionsToLogIn,

    checkPasskey: passkeys.check,

    /**
     * As the store does; a session counts as ended when the log-ins of its kind are switched off.
     */
    async findSession(accountId: string, sessionId: string): Promise<SignedIn | undefined> {
      const found = await store.findSession(accountId, sessionId);
      return signOnOnly && found && !SIGNED_ON.has(found.session.method) ? undefined : found;
    },

    /**
     * Ends a session of an account, by default that of the request; resolves with whether it
     * existed.
     */
    endSession: ({ account, session }: SignedIn, id = session.id): Promise<boolean> =>
      store.endSession(account._id, id),

    /** Resolves with an account as responses show it. */
    async present(account: AccountDocument) {
      const { _id, email, name } = account;
      const { isAdmin, memberships } = await roles.read(account);
      const found = memberships.length > 0 ? await appReads.named(memberships.map((one) => one.sourceAppId)) : [];
      const names = new Map(found.map(({ sourceAppId, form }) => [sourceAppId, form?.name]));
      return {
        account: { id: _id.toHexString(), email, name, admin: isAdmin },
        memberships: memberships.map(({ sourceAppId, role }) => {
          const appName = names.get(sourceAppId);
          return { sourceAppId, ...(appName !== undefined && { name: appName }), role };
        }),
      };
    },

    /**
     * Resolves with what an invitation offers, for the holder of its token. A wrong token costs one
     * read by its hash. @throws {Gone} when the invitation was used or is over
     */
    async preview(token: string) {
      const invitation = await invitations.find(token);
      await requireFirst(invitation);
      const { email, app, admin, invitedBy } = invitation;
      const appName = app && (await findOfferedApp(app)).form?.name;
      const inviter = invitedBy && (await store.findById(invitedBy));
      return {
        ...(email !== undefined && { email }),
        ...(app && { sourceAppId: app.sourceAppId, role: app.role }),
        ...(appName !== undefined && { appName }),
        ...(admin && { admin }),
        ...(inviter && { invitedBy: inviter.name }),
        hasAccount: email !== undefined && (await store.findByEmail(email)) !== undefined,
      };
    },

    accept: inTurn(accept),

    reset: inTurn(reset),

    requirePasswords,

    /**
     * Gives an account what the open invitations of its email offer, and calls `onAccepted` for
     * each. Call it when a provider proved the email.
     */
    async acceptAll(
      { _id, email }: AccountDocument,
      until: Until,
      onAccepted: (invitation: InvitationDocument) => Promise<void>,
    ): Promise<void> {
      for (const invitation of await invitations.listFor(email)) {
        const taken = await invitations.takeStored(invitation, until);
        if (!taken) continue;
        try {
          await grant(_id, taken, until);
          await invitations.end(taken);
        } catch (error) {
          await (error instanceof Gone ? invitations.end(taken) : invitations.giveBack(taken));
          if (!(error instanceof Gone || error instanceof Conflict)) throw error;
          continue;
        }
        await onAccepted(taken);
      }
    },

    /** Creates the link to the first admin account; undefined when an admin account exists. */
    async firstLink(): Promise<string | undefined> {
      if (signOnOnly || (await access.admins()).length > 0) return undefined;
      return (await invitations.create({ admin: true }, FIRST_LINK_MS)).token;
    },

    /**
     * Creates a link that logs an account in once, without a second factor.
     * @throws {NotFound} @throws {Unavailable} when the time is over
     */
    async createLink(email: string, until: Until): Promise<string> {
      const account = await store.findByEmail(email);
      if (!account || account.suspendedAt) throw new NotFound('noActiveAccount');
      const { token, hash } = createToken();
      const link = { hash, expiresAt: new Date(Date.now() + LINK_MS) };
      const filter = { ...ACTIVE, ...beginsBefore(await until()) };
      if (!(await store.change(account._id, filter, { $set: { link } }))) throw new Unavailable();
      return token;
    },

    /** Uses a link of the host. @throws {Gone} */
    async useLink(token: string): Promise<VerifiedLogIn> {
      const account = await store.findByLink('link', token);
      if (!account) throw usedLink();
      // The session begins with the update that uses the link up.
      const change = { $unset: { link: 1 } } as const;
      return { account, method: 'link', checked: openLink('link', token), change, second: false };
    },

    /** Sends a link for a new password, if the email has an active account. Takes no time. */
    forget(email: string): void {
      requirePasswords();
      const send = async (): Promise<void> => {
        const account = await store.findByEmail(email);
        if (!account || account.suspendedAt || !mayReset(account)) return;
        const { token, hash } = createToken();
        const expiresAt = new Date(Date.now() + RESET_MS);
        const recent = new Date(expiresAt.getTime() - RESET_EVERY_MS);
        const isDue = { $or: [{ reset: { $exists: false } }, { 'reset.expiresAt': { $lt: recent } }] };
        if (!(await store.change(account._id, isDue, { $set: { reset: { hash, expiresAt } } }))) return;
        mail.send(account.email, { kind: 'reset', link: `${publicUrl}/dashboard/reset#${token}` });
      };
      // The answer is the same, and as fast, for an email without an account.
      if (!mail.isOn || publicUrl === undefined || limitForgotten.pendingCount >= MAX_FORGOTTEN) return;
      void limitForgotten(send).catch(() => undefined);
    },

    /**
     * Replaces the own password and ends all other sessions. @throws {Forbidden} when the log-in is
     * too old or `current` is wrong
     */
    async changePassword(
      own: SignedIn,
      { current, password }: { current?: string | undefined; password: string },
      confirm: (password: string, hash: string | undefined) => Promise<boolean>,
    ): Promise<void> {
      requirePasswords();
      requireRecent(own);
      const { account, session } = own;
      if (account.passwordHash !== undefined) {
        if (current === undefined) {
          throw new InvalidInput('invalidPasswordChange', [{ path: 'current', ...say('required') }]);
        }
        if (!(await confirm(current, account.passwordHash))) throw new Forbidden('wrongPassword');
      }
      const passwordHash = await hasher.hash(password);
      const change = {
        $set: { passwordHash },
        $unset: { reset: 1, link: 1 } as const,
        $pull: { sessions: { id: { $ne: session.id } } },
      };
      await store.changeOwn(own, { passwordHash: account.passwordHash ?? { $exists: false } }, change);
      notify(account, 'password');
    },

    rename: async ({ account }: SignedIn, name: string, until: Until): Promise<boolean> =>
      store.change(account._id, beginsBefore(await until()), { $set: { name } }),

    endOtherSessions: ({ account, session }: SignedIn, until: Until): Promise<boolean> =>
      store.endSessions(account._id, until, session.id),

    beginTotp: guarded(factors.begin),
    confirmTotp: guarded(factors.confirm, { tell: 'authenticator app added' }),
    removeTotp: guarded(factors.remove, { tell: 'authenticator app removed' }),
    beginPasskey: guarded(passkeys.optionsToAdd, { addsPasskey: true }),
    addPasskey: guarded(passkeys.add, { addsPasskey: true, tell: 'passkey added' }),
    removePasskey: guarded(passkeys.remove, { tell: 'passkey removed' }),
  };
}
