import { Binary, type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import type { AppRole } from '../../platform/core/roles.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';

/** How somebody logged in. */
export type LogInMethod = 'password' | 'link' | 'invitation' | 'passkey' | 'oidc';

/** The second factors that an account can have. */
export type SecondFactor = 'totp' | 'passkey';

export const MAX_SESSIONS = 20;
/** Of one account, beside those: a password alone must not end sessions. */
export const MAX_WAITING_SESSIONS = 5;

/** A session of an account. Only log-in, second factor and revocation write it. */
const sessionSchema = schema({
  /** The SHA-256 of the session id in the cookie. */
  id: { type: Binary, required: true },
  /** `second`: the session waits for the second factor and can do nothing else. */
  state: { type: only<'active' | 'second'>(String), required: true },
  method: { type: only<LogInMethod>(String), required: true },
  createdAt: { type: Date, required: true },
  /** The last proof of identity. Changes of password and factors need a recent one. */
  authenticatedAt: { type: Date, required: true },
  expiresAt: { type: Date, required: true },
  /** The id of the provider's session. */
  sid: String,
  /** The browser, as `User-Agent` names it. */
  device: { type: String, required: true },
  address: { type: String, required: true },
});
export type AccountSession = DocumentOf<typeof sessionSchema>;

/** A WebAuthn credential. `id` is that of the authenticator, in base64url. */
const passkeySchema = schema({
  id: { type: String, required: true },
  publicKey: { type: Binary, required: true },
  /** The signatures that the authenticator counted; 0 for those that do not count. */
  counter: { type: Number, required: true },
  /** How the browser reaches the authenticator, as it told. */
  transports: { type: [String], required: true },
  name: { type: String, required: true },
  createdAt: { type: Date, required: true },
  lastUsedAt: Date,
});
export type Passkey = DocumentOf<typeof passkeySchema>;

/** What identifies somebody at a provider of single sign-on. An email never does. */
const identitySchema = schema({ issuer: { type: String, required: true }, subject: { type: String, required: true } });
export type Identity = DocumentOf<typeof identitySchema>;

const linkSchema = schema({
  hash: { type: Binary, required: true },
  expiresAt: { type: Date, required: true },
});

/**
 * A member of the staff (spec 4.13). Everything that decides whether somebody may act is in this
 * one document, so that each change is one atomic update: a session begins only under the password
 * and the factors that were checked, and ends with the update that replaces them.
 */
const accountSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    /** Normalized. */
    email: { type: String, required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
    /** When somebody received an email of the service at this address. */
    emailProvedAt: Date,
    passwordHash: String,
    /** `lastStep`: the last accepted time step, so that each counts once. */
    totp: schema({ secret: { type: String, required: true }, lastStep: { type: Number, required: true } }),
    /** A secret that waits for its first code. */
    newTotp: schema({ secret: { type: String, required: true }, until: { type: Date, required: true } }),
    /** At most 20. Each is in one account only. */
    passkeys: [passkeySchema],
    /** The hashes of unused recovery codes. */
    recoveryCodes: [Binary],
    /** How a provider names the account: the newest 10. Each belongs to one account only. */
    identities: [identitySchema],
    /** The groups with a role that the provider named last, at its time `at`. */
    groups: schema({ at: { type: Date, required: true }, names: { type: [String], required: true } }),
    /** The last log-out at the provider, by its clock. */
    signedOutAt: Date,
    /** The newest {@link MAX_SESSIONS}. */
    sessions: { type: [sessionSchema], required: true },
    /** The hashes of the newest links that log in once. */
    reset: linkSchema,
    link: linkSchema,
    /** Codes that were tried since `from`. */
    guesses: schema({ from: { type: Date, required: true }, count: { type: Number, required: true } }),
    suspendedAt: Date,
    /** Increments with each suspension, resumption and grant; the fence of {@link Member.epoch}. */
    accessEpoch: Number,
  },
  { collection: 'accounts', placement: 'the staff; emails, passkeys and identities are unique over all accounts' },
)
  .index({ email: 1 }, { unique: true })
  .index({ 'passkeys.id': 1 }, { unique: true, sparse: true })
  .index({ 'identities.subject': 1, 'identities.issuer': 1 }, { unique: true, sparse: true })
  .index({ 'sessions.sid': 1 }, { sparse: true })
  .index({ 'groups.names': 1 }, { sparse: true })
  .index({ 'reset.hash': 1 }, { sparse: true })
  .index({ 'link.hash': 1 }, { sparse: true });
export type AccountDocument = DocumentOf<typeof accountSchema>;

/** A log-in whose credentials were verified. The session starts only if `checked` still matches. */
export interface VerifiedLogIn {
  account: AccountDocument;
  method: LogInMethod;
  checked: Filter<AccountDocument>;
  change?: UpdateFilter<AccountDocument>;
  sid?: string | undefined;
  /** The session that goes on under another id, with its times. Default: a log-in of now. */
  continues?: AccountSession;
  /** Whether the session waits for the second factor. */
  second: boolean;
  /** The app that the account joined by the log-in. */
  joined?: { id: ObjectId; sourceAppId: string };
}

/** What must still hold when a code takes effect, and what uses the code up. */
export type CodeUse = Required<Pick<VerifiedLogIn, 'checked' | 'change'>>;

/** An account with the session of a request. */
export interface SignedIn {
  account: AccountDocument;
  session: AccountSession;
}

/** What decides whether an account has a second factor. */
export type Factors = Pick<AccountDocument, 'totp' | 'passkeys'>;

/** The `_id` of the document whose members are the admins. */
export const ADMINS = 'admins';

export const MAX_MEMBERS = 500;

/** A member of an app, or an admin. */
const memberSchema = schema({
  account: { type: ObjectId, required: true },
  role: { type: only<AppRole | 'admin'>(String), required: true },
  addedAt: { type: Date, required: true },
  /** Whether the admin role comes from groups of the provider. Such an entry grants nothing. */
  byGroups: only<true>(Boolean),
  /** True: not counted as the admin or manager who stays. It takes no right from the account. */
  isSuspended: { type: Boolean, required: true },
  /** The `accessEpoch` of the account at the change that set `isSuspended` last. */
  epoch: Number,
});
export type Member = DocumentOf<typeof memberSchema>;

/**
 * Who may work on an app; `_id` is the app's in hexadecimal, or {@link ADMINS}. One document for
 * each app, because "the last manager stays" is a condition over all members.
 */
const accessSchema = schema(
  {
    _id: { type: String, required: true },
    /** Absent for admins. */
    appId: ObjectId,
    sourceAppId: String,
    createdAt: { type: Date, required: true },
    members: { type: [memberSchema], required: true },
    /** False: the app's password is refused. */
    sharedLogin: Boolean,
    /** Fences the copy of `sharedLogin` in the app's document: each change increments it. */
    sharedLoginEpoch: Number,
  },
  { collection: 'access', placement: 'one document for each app with members' },
)
  .index({ 'members.account': 1 })
  .index({ appId: 1 }, { sparse: true });
export type AccessDocument = DocumentOf<typeof accessSchema>;

/** The open invitations to one app. */
export const MAX_INVITATIONS = 200;

/** An invitation. Without an email: the link to the first admin account. */
const invitationSchema = schema(
  {
    /** The SHA-256 of the token. */
    _id: { type: Binary, required: true },
    id: { type: String, required: true },
    email: String,
    app: schema({
      id: { type: ObjectId, required: true },
      sourceAppId: { type: String, required: true },
      role: { type: only<AppRole>(String), required: true },
    }),
    admin: only<true>(Boolean),
    name: String,
    /** The account that invited. */
    invitedBy: ObjectId,
    /** The app whose password invited, in one of its generations. Neither: the host invited. */
    invitedWith: schema({ appId: { type: ObjectId, required: true }, credentialId: { type: String, required: true } }),
    /** A number below {@link MAX_INVITATIONS}, unique in the app, so that the index bounds them. */
    place: Number,
    /** The acceptance in progress; only it may give the invitation back. */
    takenBy: ObjectId,
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'invitations', placement: 'open invitations of the staff' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ id: 1 })
  .index({ 'app.id': 1, createdAt: 1 })
  .index({ 'app.id': 1, place: 1 }, { unique: true, partialFilterExpression: { place: { $exists: true } } })
  .index({ email: 1 }, { sparse: true })
  .index({ invitedBy: 1 }, { sparse: true });
export type InvitationDocument = DocumentOf<typeof invitationSchema>;

/** The hash of what counts once and was used: challenges, states of sign-on, logout tokens. */
const usedSchema = schema(
  {
    _id: { type: Binary, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'used_challenges', placement: 'log-ins of the last minutes' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type AccountModel = Model<AccountDocument>;
export type AccessModel = Model<AccessDocument>;
export type InvitationModel = Model<InvitationDocument>;
export type UsedModel = Model<DocumentOf<typeof usedSchema>>;

export const createAccountModels = (connection: Connection) => ({
  accounts: createModel(connection, accountSchema),
  access: createModel(connection, accessSchema),
  invitations: createModel(connection, invitationSchema),
  used: createModel(connection, usedSchema),
});
