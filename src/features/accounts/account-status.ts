import type { ObjectId } from 'mongodb';
import { Conflict, NotFound, Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { AccessStore } from './access.ts';
import { ACTIVE, type AccountStore } from './account-documents.ts';
import type { AccountDocument } from './accounts.model.ts';
import type { Invitations } from './invitations.ts';

/** Documents that belong to accounts. */
export interface AccountOwned {
  /** Removes those of an account that is being erased. Idempotent. */
  forgetAccount(id: ObjectId): Promise<void>;
}

declare module '../../core/feature.ts' {
  interface Feature {
    ofAccounts?: readonly AccountOwned[];
  }
}

export type AccountStatus = ReturnType<typeof createAccountStatus>;

/**
 * Suspends, resumes and erases accounts. For any number of servers, and whatever stops or goes on
 * late between two statements:
 *
 * - A suspended account never acts. `suspendedAt` in its own document decides that alone.
 * - There is always an active admin, once there was one. The document of the admins decides that:
 *   it counts an account only while `suspendedAt` is absent.
 * - The roles of an account count again when its resumption was answered.
 *
 * `isSuspended` in the documents of `access` is a copy, which is used to count. A suspension sets
 * it before `suspendedAt`, a resumption and a grant clear it after they have read that the account
 * is active. Each takes a number from the account first (`accessEpoch`), in the statement that
 * reads it. A copy refuses numbers below its own, and `suspendedAt` is set only if nobody took a
 * number since. So no late statement changes what a newer one has written, and a process that stops
 * leaves an active account that is not counted, until it is resumed.
 */
export function createAccountStatus(deps: {
  store: AccountStore;
  access: AccessStore;
  invitations: Invitations;
  owned(): readonly AccountOwned[];
}) {
  const { store, access, invitations, owned } = deps;

  async function forget(id: ObjectId): Promise<void> {
    await access.forget(id);
    for (const part of owned()) await part.forgetAccount(id);
  }

  /** Takes back what was given to an account that was erased meanwhile. */
  async function settle(id: ObjectId): Promise<void> {
    if (!(await store.findById(id))) await forget(id);
  }

  /** Counts what an account was given. Call it after each grant. */
  async function activate(id: ObjectId): Promise<void> {
    const epoch = await store.takeEpoch(id, ACTIVE);
    if (epoch === undefined) await settle(id);
    else await access.activate(id, epoch);
  }

  return {
    settle,

    activate,

    /** Counts an account as an admin by its groups, as long as they are these. */
    async joinByGroups({ _id, groups }: AccountDocument, until: Until): Promise<void> {
      await access.joinByGroups(_id, until);
      const epoch = await store.takeEpoch(_id, typedFilter<AccountDocument>({ ...ACTIVE, groups }));
      if (epoch === undefined) await access.retractByGroups(_id);
      else await access.activate(_id, epoch, 'groups');
    },

    /**
     * Ends all sessions, the links and the invitations that the account sent. Its roles do not
     * count until the suspension ends. @throws {Conflict} for the last active admin, and when
     * somebody else resumed or suspended the account, or gave it a role, meanwhile
     */
    async suspend(id: ObjectId, until: Until): Promise<void> {
      const accessEpoch = await store.takeEpoch(id);
      if (accessEpoch === undefined) throw new NotFound('accountNotFound');
      try {
        await access.suspend(id, accessEpoch, until);
        const unchanged = { accessEpoch, ...beginsBefore(await until()) };
        const change = {
          $set: { suspendedAt: new Date(), sessions: [] },
          $unset: { link: 1 as const, reset: 1 as const },
        };
        if (!(await store.change(id, unchanged, change))) throw new Conflict('accountChanged');
      } catch (error) {
        await activate(id).catch(() => undefined);
        throw error;
      }
      await invitations.withdrawBy(id, until);
    },

    async resume(id: ObjectId, until: Until): Promise<void> {
      const epoch = await store.takeEpoch(id, beginsBefore(await until()), { $unset: { suspendedAt: 1 } });
      if (epoch === undefined) throw new Unavailable();
      await access.activate(id, epoch);
    },

    /** @throws {Conflict} for the last active admin, and for a manager whom an app needs */
    async erase(id: ObjectId, email: string, until: Until): Promise<void> {
      await access.removeEverywhere(id, until);
      for (const part of owned()) await part.forgetAccount(id);
      // Before the account: a repeat of the request finds it.
      await invitations.forget(email, until);
      await invitations.withdrawBy(id, until);
      await store.remove(id, until);
      // Again, for what was given to it meanwhile.
      await forget(id);
    },
  };
}
