import { Binary, type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import type { AppRole } from '../../platform/core/roles.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createModel, type Model, schema } from '../../platform/database/mongoose.ts';

/** How somebody logged in. */
export type LogInMethod = 'password' | 'link' | 'invitation' | 'passkey' | 'oidc';

/** The second factors that an account can have. */
export type SecondFactor = 'totp' | 'passkey';

/** A session of an account. Only log-in, second factor and revocation write it. */
export interface AccountSession {
  /** The SHA-256 of the session id in the cookie. */
  id: Binary;
  /** `second`: the session waits for the second factor and can do nothing else. */
  state: 'active' | 'second';
  method: LogInMethod;
  createdAt: Date;
  /** The last proof of identity. Changes of password and factors need a recent one. */
  authenticatedAt: Date;
  expiresAt: Date;
  /** The id of the provider's session. */
  sid?: string;
  /** The browser, as `User-Agent` names it. */
  device: string;
  address: string;
}

/**
 * A member of the staff (spec 4.13). Everything that decides whether somebody may act is in this
 * one document, so that each change is one atomic update: a session begins only under the password
 * and the factors that were checked, and ends with the update that replaces them.
 */
export interface AccountDocument {
  _id: ObjectId;
  /** Normalized. */
  email: string;
  name: string;
  createdAt: Date;
  /** When somebody received an email of the service at this address. */
  emailProvedAt?: Date;
  passwordHash?: string;
  /** `lastStep`: the last accepted time step, so that each counts once. */
  totp?: { secret: string; lastStep: number };
  /** A secret that waits for its first code. */
  newTotp?: { secret: string; until: Date };
  /** At most 20. Each is in one account only. */
  passkeys?: Passkey[];
  /** The hashes of unused recovery codes. */
  recoveryCodes?: Binary[];
  /** How a provider names the account: the newest 10. Each belongs to one account only. */
  identities?: Identity[];
  /** The groups with a role that the provider named last, at its time `at`. */
  groups?: { at: Date; names: string[] };
  /** The last log-out at the provider, by its clock. */
  signedOutAt?: Date;
  /** The newest {@link MAX_SESSIONS}. */
  sessions: AccountSession[];
  /** The hashes of the newest links that log in once. */
  reset?: OneTimeLink;
  link?: OneTimeLink;
  /** Codes that were tried since `from`. */
  guesses?: { from: Date; count: number };
  suspendedAt?: Date;
  /** Increments with each suspension, resumption and grant; the fence of {@link Member.epoch}. */
  accessEpoch?: number;
}

/** A WebAuthn credential. `id` is that of the authenticator, in base64url. */
export interface Passkey {
  id: string;
  publicKey: Binary;
  /** The signatures that the authenticator counted; 0 for those that do not count. */
  counter: number;
  /** How the browser reaches the authenticator, as it told. */
  transports: string[];
  name: string;
  createdAt: Date;
  lastUsedAt?: Date;
}

/** What identifies somebody at a provider of single sign-on. An email never does. */
export interface Identity {
  issuer: string;
  subject: string;
}

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

interface OneTimeLink {
  hash: Binary;
  expiresAt: Date;
}

export const MAX_SESSIONS = 20;
/** Of one account, beside those: a password alone must not end sessions. */
export const MAX_WAITING_SESSIONS = 5;

const sessionSchema = schema<AccountSession>(
  {
    id: { type: Binary, required: true },
    state: { type: String, required: true },
    method: { type: String, required: true },
    createdAt: { type: Date, required: true },
    authenticatedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    sid: String,
    device: { type: String, required: true },
    address: { type: String, required: true },
  },
  { _id: false },
);

const passkeySchema = schema<Passkey>(
  {
    id: { type: String, required: true },
    publicKey: { type: Binary, required: true },
    counter: { type: Number, required: true },
    transports: { type: [String], required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: Date,
  },
  { _id: false },
);

const linkSchema = schema<OneTimeLink>(
  {
    hash: { type: Binary, required: true },
    expiresAt: { type: Date, required: true },
  },
  { _id: false },
);

const accountSchema = schema<AccountDocument>(
  {
    _id: { type: ObjectId, required: true },
    email: { type: String, required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
    emailProvedAt: Date,
    passwordHash: String,
    totp: schema<Required<AccountDocument>['totp']>(
      { secret: { type: String, required: true }, lastStep: { type: Number, required: true } },
      { _id: false },
    ),
    newTotp: schema<Required<AccountDocument>['newTotp']>(
      { secret: { type: String, required: true }, until: { type: Date, required: true } },
      { _id: false },
    ),
    passkeys: [passkeySchema],
    recoveryCodes: [Binary],
    identities: [
      schema<Identity>(
        { issuer: { type: String, required: true }, subject: { type: String, required: true } },
        { _id: false },
      ),
    ],
    groups: schema<Required<AccountDocument>['groups']>(
      { at: { type: Date, required: true }, names: { type: [String], required: true } },
      { _id: false },
    ),
    signedOutAt: Date,
    sessions: { type: [sessionSchema], required: true },
    reset: linkSchema,
    link: linkSchema,
    guesses: schema<Required<AccountDocument>['guesses']>(
      { from: { type: Date, required: true }, count: { type: Number, required: true } },
      { _id: false },
    ),
    suspendedAt: Date,
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

/** A member of an app, or an admin. */
export interface Member {
  account: ObjectId;
  role: AppRole | 'admin';
  addedAt: Date;
  /** Whether the admin role comes from groups of the provider. Such an entry grants nothing. */
  byGroups?: true;
  /** True: not counted as the admin or manager who stays. It takes no right from the account. */
  isSuspended: boolean;
  /** The `accessEpoch` of the account at the change that set `isSuspended` last. */
  epoch?: number;
}

/** The `_id` of the document whose members are the admins. */
export const ADMINS = 'admins';

export const MAX_MEMBERS = 500;

/**
 * Who may work on an app; `_id` is the app's in hexadecimal, or {@link ADMINS}. One document for
 * each app, because "the last manager stays" is a condition over all members.
 */
export interface AccessDocument {
  _id: string;
  /** Absent for admins. */
  appId?: ObjectId;
  sourceAppId?: string;
  createdAt: Date;
  members: Member[];
  /** False: the app's password is refused. */
  sharedLogin?: boolean;
  /** Fences the copy of `sharedLogin` in the app's document: each change increments it. */
  sharedLoginEpoch?: number;
}

const memberSchema = schema<Member>(
  {
    account: { type: ObjectId, required: true },
    role: { type: String, required: true },
    addedAt: { type: Date, required: true },
    byGroups: Boolean,
    isSuspended: { type: Boolean, required: true },
    epoch: Number,
  },
  { _id: false },
);

const accessSchema = schema<AccessDocument>(
  {
    _id: { type: String, required: true },
    appId: ObjectId,
    sourceAppId: String,
    createdAt: { type: Date, required: true },
    members: { type: [memberSchema], required: true },
    sharedLogin: Boolean,
    sharedLoginEpoch: Number,
  },
  { collection: 'access', placement: 'one document for each app with members' },
)
  .index({ 'members.account': 1 })
  .index({ appId: 1 }, { sparse: true });

/** An invitation. Without an email: the link to the first admin account. */
export interface InvitationDocument {
  /** The SHA-256 of the token. */
  _id: Binary;
  id: string;
  email?: string;
  app?: { id: ObjectId; sourceAppId: string; role: AppRole };
  admin?: true;
  name?: string;
  /** The account that invited. */
  invitedBy?: ObjectId;
  /** The app whose password invited, in one of its generations. Neither: the host invited. */
  invitedWith?: { appId: ObjectId; credentialId: string };
  /** A number below {@link MAX_INVITATIONS}, unique in the app, so that the index bounds them. */
  place?: number;
  /** The acceptance in progress; only it may give the invitation back. */
  takenBy?: ObjectId;
  createdAt: Date;
  expiresAt: Date;
}

/** The open invitations to one app. */
export const MAX_INVITATIONS = 200;

const invitationSchema = schema<InvitationDocument>(
  {
    _id: { type: Binary, required: true },
    id: { type: String, required: true },
    email: String,
    app: schema<Required<InvitationDocument>['app']>(
      {
        id: { type: ObjectId, required: true },
        sourceAppId: { type: String, required: true },
        role: { type: String, required: true },
      },
      { _id: false },
    ),
    admin: Boolean,
    name: String,
    invitedBy: ObjectId,
    invitedWith: schema<Required<InvitationDocument>['invitedWith']>(
      { appId: { type: ObjectId, required: true }, credentialId: { type: String, required: true } },
      { _id: false },
    ),
    place: Number,
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

/** The hash of what counts once and was used: challenges, states of sign-on, logout tokens. */
interface UsedDocument {
  _id: Binary;
  expiresAt: Date;
}

const usedSchema = schema<UsedDocument>(
  {
    _id: { type: Binary, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'used_challenges', placement: 'log-ins of the last minutes' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type AccountModel = Model<AccountDocument>;
export type AccessModel = Model<AccessDocument>;
export type InvitationModel = Model<InvitationDocument>;
export type UsedModel = Model<UsedDocument>;

export const createAccountModels = (connection: Connection) => ({
  accounts: createModel<AccountDocument>(connection, accountSchema),
  access: createModel<AccessDocument>(connection, accessSchema),
  invitations: createModel<InvitationDocument>(connection, invitationSchema),
  used: createModel<UsedDocument>(connection, usedSchema),
});
