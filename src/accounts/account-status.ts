import type { ObjectId } from 'mongodb';
import type { AccessStore } from './access-store.ts';
import type { AccountStore } from './account-store.ts';
import type { Invitations } from './invitations.ts';

/** Documents of other features that belong to accounts. */
export interface AccountOwned {
  forgetAccount(id: ObjectId): Promise<void>;
}

export type AccountStatus = ReturnType<typeof createAccountStatus>;

/**
 * Suspends, resumes and erases accounts. What an account may do is in other documents than whether
 * it is active. Each side therefore writes first and then reads what the other one wrote: whoever
 * gives something to an account calls `settle`, and a suspension takes it once more at its end.
 */
export function createAccountStatus(deps: {
  store: AccountStore;
  access: AccessStore;
  invitations: Invitations;
  owned: readonly AccountOwned[];
}) {
  const { store, access, invitations, owned } = deps;

  async function forget(id: ObjectId): Promise<void> {
    await access.forget(id);
    for (const part of owned) await part.forgetAccount(id);
  }

  /** Takes back what was given to an account that was suspended or erased meanwhile. */
  async function settle(id: ObjectId): Promise<void> {
    const account = await store.findById(id);
    if (!account) await forget(id);
    else if (account.suspendedAt) await access.suspendRoles(id);
  }

  return {
    settle,

    /**
     * Ends all sessions, the links, the invitations that the account sent, and the admin role until
     * the suspension ends. @throws {Conflict} for the last active admin
     */
    async suspend(id: ObjectId): Promise<void> {
      // First, so that the last active admin is refused before anything changes.
      await access.suspendAdmin(id);
      await store.change(id, {}, { $set: { suspendedAt: new Date(), sessions: [] }, $unset: { link: 1, reset: 1 } });
      await access.suspendRoles(id);
      await invitations.withdrawBy(id);
    },

    async resume(id: ObjectId): Promise<void> {
      await store.change(id, {}, { $unset: { suspendedAt: 1 } });
      await access.resumeRoles(id);
      await settle(id);
    },

    /** @throws {Conflict} for the last active admin, and for a manager whom an app needs */
    async erase(id: ObjectId, email: string): Promise<void> {
      await access.removeEverywhere(id);
      for (const part of owned) await part.forgetAccount(id);
      await store.remove(id);
      // Again, for what was given to it meanwhile.
      await forget(id);
      await invitations.forget(email);
      await invitations.withdrawBy(id);
    },
  };
}
