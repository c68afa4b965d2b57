import { createHash, randomBytes } from 'node:crypto';
import { Binary, type Document, type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import { Conflict, Unavailable } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { beginsBefore, isOfClockSetBack, type Until } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { PlainCode } from '../../platform/languages/reasons.ts';
import {
  type AccountDocument,
  type AccountModel,
  type AccountSession,
  type CodeUse,
  type Factors,
  type Identity,
  MAX_SESSIONS,
  MAX_WAITING_SESSIONS,
  type SignedIn,
  type VerifiedLogIn,
} from './accounts.model.ts';

const TOKEN_BYTES = 32;
/** How long a session may wait for its second factor. */
const SECOND_FACTOR_MS = 10 * 60 * 1_000;
/** Between a server and a provider. */
const CLOCKS_DIFFER_MS = 60_000;
const MAX_DEVICE_LENGTH = 200;
export const ACTIVE = { suspendedAt: { $exists: false } };
const ACCOUNTS_AT_ONCE = 1_000;

/** A new token, and the hash that is stored of it. */
export function createToken(): { token: string; hash: Binary } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, hash: hashToken(token) };
}

export const hashToken = (token: string): Binary => new Binary(createHash('sha256').update(token).digest());

export const hasSameBytes = (a: Binary, b: Binary): boolean => Buffer.from(a.buffer).equals(b.buffer);

/** The condition that a link is open, so that it works once. */
export function openLink(kind: 'reset' | 'link', token: string): Filter<AccountDocument> {
  const open = { [`${kind}.hash`]: hashToken(token), [`${kind}.expiresAt`]: { $gt: new Date() } };
  return typedFilter<AccountDocument>({ ...open, ...ACTIVE });
}

/** The browser and address of a request, for the list of sessions. */
export interface Origin {
  device: string;
  address: string;
}

/** Keeps the newest sessions of each state, with room for another one in `state`. */
function makeRoom(state: AccountSession['state']): Document[] {
  const newestIn = (one: typeof state, limit: number): Document => {
    const inState = { $filter: { input: '$sessions', cond: { $eq: ['$$this.state', one] } } };
    return { $slice: [inState, (one === state ? 1 : 0) - limit] };
  };
  const kept = [newestIn('active', MAX_SESSIONS), newestIn('second', MAX_WAITING_SESSIONS)];
  return [{ $set: { sessions: { $concatArrays: kept } } }];
}

/** What lists of members show. */
type NamedAccount = Factors & Pick<AccountDocument, '_id' | 'email' | 'name' | 'suspendedAt' | 'groups'>;

export type AccountStore = ReturnType<typeof createAccountStore>;

/**
 * The accounts in the database. Each update that lets somebody in has the condition that was
 * checked before it in its filter; it resolves with false when that no longer holds.
 *
 * By the collection: pipelines, equality of embedded documents (`takeEpoch`), and what Mongoose
 * takes for a value: operators in `$pull`, and a replaced item of an array.
 */
export function createAccountStore(accounts: AccountModel, sessionMs: number) {
  const findOne = async (filter: Filter<AccountDocument>): Promise<AccountDocument | undefined> =>
    (await accounts.findOne(filter)) ?? undefined;

  const update = async (filter: Filter<AccountDocument>, change: UpdateFilter<AccountDocument>): Promise<boolean> =>
    (await accounts.updateOne(filter, change)).matchedCount === 1;

  function newSession(
    sessionId: string,
    { device, address }: Origin,
    state: AccountSession['state'],
    { method, sid, continues }: Pick<VerifiedLogIn, 'method' | 'sid' | 'continues'>,
  ): AccountSession {
    const now = new Date();
    const lifetimeMs = state === 'second' ? SECOND_FACTOR_MS : sessionMs;
    return {
      id: hashToken(sessionId),
      state,
      method,
      ...(sid !== undefined && { sid }),
      createdAt: continues?.createdAt ?? now,
      authenticatedAt: continues?.authenticatedAt ?? now,
      expiresAt: continues?.expiresAt ?? new Date(now.getTime() + lifetimeMs),
      device: device.slice(0, MAX_DEVICE_LENGTH),
      address,
    };
  }

  /** Replaces the session `id` where `filter` matches, and makes `change` with it. */
  async function replaceSession(
    filter: Filter<AccountDocument>,
    id: Binary,
    { $set, ...change }: UpdateFilter<AccountDocument>,
    session: AccountSession,
  ): Promise<boolean> {
    // Not `sessions.$`: with a condition on another array it may name an index of that one.
    const { matchedCount } = await accounts.collection.updateOne(
      filter,
      { ...change, $set: { ...$set, 'sessions.$[replaced]': session } },
      { arrayFilters: [{ 'replaced.id': id }] },
    );
    return matchedCount === 1;
  }

  return {
    findById: (_id: ObjectId) => findOne({ _id }),

    /** @param text an email as somebody wrote it */
    async findByEmail(text: string): Promise<AccountDocument | undefined> {
      const email = normalizeEmail(text);
      return email === undefined ? undefined : findOne({ email });
    },

    findByPasskey: (id: string) => findOne({ 'passkeys.id': id }),

    findByIdentity: (identity: Identity) => findOne({ identities: { $elemMatch: identity } }),

    /** Resolves with the account whose link of this kind is open. */
    findByLink: (kind: 'reset' | 'link', token: string) => findOne(openLink(kind, token)),

    /** Resolves with the accounts that a provider named with one of these groups. */
    inGroups: (groups: readonly string[], limit: number): Promise<AccountDocument[]> =>
      groups.length === 0 ? Promise.resolve([]) : accounts.find({ 'groups.names': { $in: [...groups] } }, { limit }),

    /**
     * Ends the sessions that began by single sign-on: those of an identity, of a session of the
     * provider, or of both. A sign-on of before `at` that stalled begins none later. Resolves with
     * the account, if there is one.
     */
    async endSignedOn(
      issuer: string,
      { subject, sid, at }: { subject?: string; sid?: string; at: Date },
    ): Promise<ObjectId | undefined> {
      const whose = subject === undefined ? {} : { identities: { $elemMatch: { issuer, subject } } };
      const which = sid === undefined ? {} : { 'sessions.sid': sid };
      const until = new Date(at.getTime() + CLOCKS_DIFFER_MS);
      const before = { method: { $eq: 'oidc' as const }, createdAt: { $lte: until } };
      const sessions = sid === undefined ? before : { ...before, sid: { $eq: sid } };
      // Not by `sid` as well: a sign-on that stalled has not stored its session yet.
      const filter = subject === undefined ? which : whose;
      const found = await accounts.findOne(filter, { projection: { _id: 1 } });
      await accounts.collection.updateMany(filter, { $pull: { sessions }, $max: { signedOutAt: at } });
      return found?._id;
    },

    /** Resolves with whether there is an account. */
    any: async (): Promise<boolean> => (await accounts.findOne({}, { projection: { _id: 1 } })) !== null,

    /** Resolves with a page of accounts by email, at most `limit` after `after`. */
    page: (q: string, after: string | undefined, limit: number): Promise<AccountDocument[]> => {
      const part = q === '' ? {} : { $regex: q.replace(/[^\p{L}\p{N}]/gu, '\\$&'), $options: 'i' };
      const email = { ...part, ...(after !== undefined && { $gt: after }) };
      const filter = Object.keys(email).length > 0 ? { email } : {};
      return accounts.find(filter, { sort: { email: 1 }, limit });
    },

    /** Resolves with email and name of each account that exists, by its id in hexadecimal. */
    async named(ids: readonly ObjectId[]): Promise<Map<string, NamedAccount>> {
      const projection = { email: 1, name: 1, 'totp.lastStep': 1, 'passkeys.id': 1, suspendedAt: 1, groups: 1 };
      const found = await accounts.find({ _id: { $in: ids.slice(0, ACCOUNTS_AT_ONCE) } }, { projection });
      return new Map(found.map((account) => [account._id.toHexString(), account]));
    },

    /**
     * Resolves with an active account and its session under this id, read on each call: an end of
     * the session is in force on every server at once.
     */
    async findSession(accountId: string, sessionId: string) {
      if (!ObjectId.isValid(accountId)) return undefined;
      const id = hashToken(sessionId);
      const account = await accounts.findOne({ _id: new ObjectId(accountId), 'sessions.id': id, ...ACTIVE });
      const session = account?.sessions.find((one) => hasSameBytes(one.id, id));
      if (!account || !session || session.expiresAt.getTime() <= Date.now()) return undefined;
      return { account, session };
    },

    /** @throws {Conflict} when the email has an account */
    async create(account: Omit<AccountDocument, '_id' | 'createdAt' | 'sessions'>): Promise<AccountDocument> {
      const created = { _id: new ObjectId(), createdAt: new Date(), sessions: [], ...account };
      try {
        await accounts.insertOne(created);
      } catch (error) {
        if (isDuplicateKey(error)) throw new Conflict('accountExists');
        throw error;
      }
      return created;
    },

    /**
     * Begins the session of a way in while `checked` and `still` match. One that continues another
     * session takes its place.
     */
    async beginSession(
      { account: { _id }, checked, change, second, ...by }: VerifiedLogIn,
      still: Filter<AccountDocument>,
      sessionId: string,
      origin: Origin,
    ): Promise<boolean> {
      const session = newSession(sessionId, origin, second ? 'second' : 'active', by);
      const filter = { _id, ...ACTIVE, ...checked, ...still };
      if (by.continues) return replaceSession(filter, by.continues.id, change ?? {}, session);
      const sessions = { $each: [session], $slice: -2 * (MAX_SESSIONS + MAX_WAITING_SESSIONS) };
      await accounts.collection.updateOne(filter, makeRoom(session.state));
      return update(filter, { ...change, $push: { sessions } });
    },

    /** Replaces a session that waits for a second factor by an active one, under a new id. */
    async completeSession(
      { account: { _id }, session: waiting }: SignedIn,
      { checked, change }: CodeUse,
      sessionId: string,
      origin: Origin,
    ): Promise<boolean> {
      const session = newSession(sessionId, origin, 'active', waiting);
      const waits = { sessions: { $elemMatch: { id: waiting.id, state: 'second' as const } } };
      return replaceSession({ _id, ...ACTIVE, ...waits, ...checked }, waiting.id, change, session);
    },

    /**
     * Takes the next `accessEpoch` while `checked` holds, and makes `change` with it. Resolves with
     * undefined when it does not hold.
     */
    async takeEpoch(
      _id: ObjectId,
      checked: Filter<AccountDocument> = {},
      change: UpdateFilter<AccountDocument> = {},
    ): Promise<number | undefined> {
      const options = { returnDocument: 'after', projection: { accessEpoch: 1 } } as const;
      const next = { ...change, $inc: { accessEpoch: 1 } };
      return (await accounts.collection.findOneAndUpdate({ _id, ...checked }, next, options))?.accessEpoch;
    },

    /** Changes an account while `checked` holds. */
    change: (accountId: ObjectId, checked: Filter<AccountDocument>, change: UpdateFilter<AccountDocument>) =>
      update({ _id: accountId, ...checked }, change),

    /**
     * Changes the own account while the session that asked for it lives and `checked` holds.
     * @throws {Conflict} when it does not
     */
    async changeOwn(
      { account, session }: SignedIn,
      checked: Parameters<typeof typedFilter<AccountDocument>>[0],
      change: UpdateFilter<AccountDocument>,
      refusal: PlainCode = 'accountChanged',
    ): Promise<void> {
      const filter = typedFilter<AccountDocument>({ _id: account._id, 'sessions.id': session.id, ...checked });
      if (!(await update(filter, change))) throw new Conflict(refusal);
    },

    /** Resolves with whether the account had the session. */
    endSession: (_id: ObjectId, id: Binary): Promise<boolean> =>
      update({ _id, 'sessions.id': id }, { $pull: { sessions: { id } } }),

    /** Ends all sessions but `kept`. Resolves with false when there is no such account. */
    async endSessions(accountId: ObjectId, until: Until, kept?: Binary): Promise<boolean> {
      const filter = { _id: accountId, ...beginsBefore(await until()) };
      return update(filter, { $pull: { sessions: kept ? { id: { $ne: kept } } : {} } });
    },

    /**
     * Counts a guess of a code; resolves with the number in the current window. Counted before the
     * check, so that parallel guesses on all servers stay in the limit.
     */
    async countGuess(accountId: ObjectId, windowMs: number): Promise<number> {
      const since = { $dateSubtract: { startDate: '$$NOW', unit: 'millisecond', amount: windowMs } };
      const from = { $ifNull: ['$guesses.from', new Date(0)] };
      const isOver = { $or: [{ $lt: [from, since] }, isOfClockSetBack(from)] };
      const counted = {
        from: { $cond: [isOver, '$$NOW', '$guesses.from'] },
        count: { $cond: [isOver, 1, { $add: ['$guesses.count', 1] }] },
      };
      const found = await accounts.collection.findOneAndUpdate({ _id: accountId }, [{ $set: { guesses: counted } }], {
        returnDocument: 'after',
        projection: { guesses: 1 },
      });
      return found?.guesses?.count ?? Number.POSITIVE_INFINITY;
    },

    /** @throws {Unavailable} when the time is over */
    async remove(_id: ObjectId, until: Until): Promise<void> {
      const { deletedCount } = await accounts.deleteOne({ _id, ...beginsBefore(await until()) });
      // Somebody else may have erased it.
      if (deletedCount === 0 && (await findOne({ _id }))) throw new Unavailable();
    },

    /** For inserts that require that an account exists. */
    guard: (_id: ObjectId) => ({
      collection: accounts.collection as unknown as Collection<{ _id: ObjectId }>,
      filter: { _id },
    }),
  };
}
