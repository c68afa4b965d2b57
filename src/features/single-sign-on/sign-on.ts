import type { UpdateFilter } from 'mongodb';
import { Conflict } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { AccountDocument, Identity, InvitationDocument, VerifiedLogIn } from '../accounts/accounts.model.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { type Claims, SignOnRefused } from './provider.ts';

const MAX_IDENTITIES = 10;
const MAX_NAME_LENGTH = 100;
/** Each further attempt means that somebody else changed what the account may do. */
const MAX_ATTEMPTS = 8;

/** What an account that nobody proved loses when the provider proves its email. */
const UNPROVED = {
  ...({ passwordHash: 1, totp: 1, newTotp: 1, recoveryCodes: 1, passkeys: 1 } as const),
  ...({ reset: 1, link: 1, guesses: 1, groups: 1 } as const),
};

/**
 * Decides who enters by single sign-on (spec 4.13.4). Somebody is identified by issuer and subject.
 * An email leads to an account only if the provider says that it is verified.
 * @param createsAccounts whether somebody whose groups give a role gets an account
 */
export function createSignOn(
  { store, access, invitations, service, status, roles, mail }: Accounts,
  createsAccounts: boolean,
) {
  async function link({ email, isProved }: Claims, identity: Identity): Promise<AccountDocument | undefined> {
    const account = isProved && email !== undefined ? await store.findByEmail(email) : undefined;
    if (!account || account.suspendedAt) return undefined;
    const seen = typedFilter<AccountDocument>({ emailProvedAt: account.emailProvedAt ?? { $exists: false } });
    const change: UpdateFilter<AccountDocument> = account.emailProvedAt
      ? { $push: { identities: { $each: [identity], $slice: -MAX_IDENTITIES } } }
      : { $set: { identities: [identity], sessions: [], emailProvedAt: new Date() }, $unset: UNPROVED };
    if (!(await store.change(account._id, seen, change))) throw new SignOnRefused('failed');
    mail.send(account.email, { kind: 'changed', what: 'single sign-on added' });
    return store.findById(account._id);
  }

  /** Creates the account of somebody who was invited, or whose groups give a role. */
  async function create(claims: Claims, identity: Identity, groups: string[]): Promise<AccountDocument | undefined> {
    const { email, isProved } = claims;
    if (email === undefined) return undefined;
    const isInvited = isProved && (await invitations.listFor(email)).length > 0;
    if (!isInvited && !(createsAccounts && groups.length > 0)) return undefined;
    const name = (claims.name || email).slice(0, MAX_NAME_LENGTH);
    return store.create({ email, name, identities: [identity], ...(isProved && { emailProvedAt: new Date() }) });
  }

  /** Links or creates, and finds what a parallel sign-on of the same person did. */
  async function enroll(claims: Claims, identity: Identity, groups: string[]) {
    try {
      const linked = await link(claims, identity);
      const account = linked ?? (await create(claims, identity, groups));
      return { account, detail: linked ? { linked: true } : { created: true } };
    } catch (error) {
      if (!(error instanceof Conflict) && !isDuplicateKey(error)) throw error;
      return { account: await store.findByIdentity(identity), detail: {} };
    }
  }

  /**
   * Stores the groups, unless the provider named others later. The last admin stays one. As in a
   * suspension (account-status.ts), the list of admins loses the account before its groups change.
   */
  async function replaceGroups({ _id }: AccountDocument, named: string[], at: Date): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const account = await store.findById(_id);
      if (!account || (account.groups && account.groups.at > at)) return;
      const had = account.groups?.names ?? [];
      const loses = roles.isAdminBy(had) && !roles.isAdminBy(named);
      const accessEpoch = loses ? await store.takeEpoch(_id) : undefined;
      const stays = loses && !(await access.leaveByGroups(_id));
      const names = stays ? [...named, ...roles.adminGroups(had)] : named;
      const isLatest = { $or: [{ groups: { $exists: false } }, { 'groups.at': { $lte: at } }] };
      const unchanged = { ...isLatest, ...(accessEpoch !== undefined && { accessEpoch }) };
      if (await store.change(_id, unchanged, { $set: { groups: { at, names } } })) return;
    }
    throw new SignOnRefused('unavailable');
  }

  /** Stores the groups. The list of admins follows them, also after a later or stopped sign-on. */
  async function follow(account: AccountDocument, named: string[], at: Date, until: Until): Promise<void> {
    if (named.length === 0 && (account.groups?.names ?? []).length === 0) return;
    await replaceGroups(account, named, at);
    const now = await store.findById(account._id);
    if (now && roles.isAdminBy(now.groups?.names)) await status.joinByGroups(now, until);
    else await access.retractByGroups(account._id);
  }

  return {
    /**
     * Resolves with the way in, and with what the sign-on changed, for the audit log.
     * @param onAccepted called for each invitation that the sign-on accepted
     * @throws {SignOnRefused} for somebody without access
     */
    async enter(
      claims: Claims,
      until: Until,
      onAccepted: (account: AccountDocument, invitation: InvitationDocument) => Promise<void>,
    ): Promise<{ entry: VerifiedLogIn; detail: Record<string, number | boolean> }> {
      const identity = { issuer: claims.issuer, subject: claims.subject };
      const groups = roles.known(claims.groups);
      const known = await store.findByIdentity(identity);
      const { account, detail } = known ? { account: known, detail: {} } : await enroll(claims, identity, groups);
      const isLoggedOut = account?.signedOutAt !== undefined && account.signedOutAt > claims.at;
      if (!account || account.suspendedAt || isLoggedOut) throw new SignOnRefused('no_access');
      let accepted = 0;
      if (claims.isProved && claims.email === account.email) {
        await service.acceptAll(account, until, (invitation) => {
          accepted += 1;
          return onAccepted(account, invitation);
        });
      }
      await follow(account, groups, claims.at, until);
      // A log-out at the provider after this authentication leaves no way in.
      const isLoggedIn = { $or: [{ signedOutAt: { $exists: false } }, { signedOutAt: { $lte: claims.at } }] };
      const checked = { identities: { $elemMatch: identity }, ...isLoggedIn };
      return {
        entry: { account, method: 'oidc', checked, second: false, sid: claims.sid },
        detail: {
          ...detail,
          ...(accepted > 0 && { invitations: accepted }),
          ...(groups.length > 0 && { groups: groups.length }),
        },
      };
    },
  };
}
