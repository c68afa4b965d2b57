import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Binary, type UpdateFilter } from 'mongodb';
import { Conflict, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { AccountStore } from './account-documents.ts';
import type { AccountDocument, Passkey, SignedIn, VerifiedLogIn } from './accounts.model.ts';
import type { LoginChallenges } from './challenges.ts';
import { createRecoveryCodes } from './second-factor.ts';

const SERVICE_NAME = 'User Collection Service';
const MAX_PASSKEYS = 20;
const LOG_IN = 'log in';
const TIMEOUT_MS = 5 * 60 * 1_000;

/** Where passkeys of the service are valid. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/**
 * Returns where passkeys are valid: at PUBLIC_URL, and without it at `localhost` only, because the
 * `Host` of a request may be anything. @throws {Conflict} where browsers offer no passkeys
 */
export function relyingPartyOf(publicUrl: string | undefined, host: string | undefined): RelyingParty {
  const origin = publicUrl ?? (/^localhost(:\d+)?$/.test(host ?? '') ? `http://${host}` : undefined);
  const url = origin === undefined ? undefined : new URL(origin);
  const isSecure = url?.protocol === 'https:' || url?.hostname === 'localhost';
  if (!url || !isSecure || isIP(url.hostname.replace(/[[\]]/g, '')) !== 0) {
    throw new Conflict('passkeysNeedUrl');
  }
  return { id: url.hostname, origin: url.origin };
}

// The library takes a third of a second to load, so that it is loaded by the first passkey.
const webAuthn = () => import('@simplewebauthn/server');

const shownTransports = (transports: readonly string[]) => transports as AuthenticatorTransport[];

export type Passkeys = ReturnType<typeof createPasskeys>;

/**
 * Passkeys of accounts (spec 4.13): WebAuthn credentials with user verification, which count as
 * both factors. Each challenge counts once, and a registration only for the session that asked for
 * it.
 */
export function createPasskeys(store: AccountStore, challenges: LoginChallenges) {
  const purposeOf = ({ session }: SignedIn): string => `add ${session.id.toString('base64')}`;

  /**
   * Verifies a response and uses its challenge up. Resolves with undefined when the response is
   * wrong or was sent before.
   */
  async function verifyOnce<Verified extends { verified: boolean }>(
    purpose: string,
    verify: (expectedChallenge: (sent: string) => boolean) => Promise<Verified>,
  ): Promise<Verified | undefined> {
    let challenge = '';
    const isExpected = (sent: string): boolean => {
      challenge = sent;
      return challenges.isGenuine(sent, purpose);
    };
    // The library throws for each wrong part.
    const checked = await verify(isExpected).catch(() => undefined);
    return checked?.verified && (await challenges.use(challenge)) ? checked : undefined;
  }

  return {
    /** @throws {Conflict} when the account has 20 passkeys */
    async optionsToAdd(own: SignedIn, { id }: RelyingParty) {
      const { _id, email, name, passkeys = [] } = own.account;
      if (passkeys.length >= MAX_PASSKEYS) throw new Conflict(say('passkeyLimit', { max: MAX_PASSKEYS }));
      const { generateRegistrationOptions } = await webAuthn();
      return generateRegistrationOptions({
        rpName: SERVICE_NAME,
        rpID: id,
        userName: email,
        userDisplayName: name,
        timeout: TIMEOUT_MS,
        userID: new Uint8Array(Buffer.from(_id.toHexString())),
        challenge: challenges.issue(purposeOf(own)),
        attestationType: 'none',
        excludeCredentials: passkeys.map(({ id, transports }) => ({ id, transports: shownTransports(transports) })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
    },

    /**
     * Adds a passkey; resolves with it, and with recovery codes when the account had none.
     * @throws {InvalidInput} when the response is wrong @throws {Conflict}
     */
    async add(
      own: SignedIn,
      { name, response }: { name: string; response: RegistrationResponseJSON },
      { id, origin }: RelyingParty,
    ): Promise<{ passkey: Passkey; recoveryCodes: string[] | undefined }> {
      const { verifyRegistrationResponse } = await webAuthn();
      const at = { expectedOrigin: origin, expectedRPID: id, requireUserVerification: true };
      const checked = await verifyOnce(purposeOf(own), (expectedChallenge) =>
        verifyRegistrationResponse({ response, expectedChallenge, ...at }),
      );
      if (!checked?.registrationInfo) {
        throw new InvalidInput('invalidPasskey', [{ path: 'response', ...say('wrongOrUsed') }]);
      }
      const { credential } = checked.registrationInfo;
      const passkey: Passkey = {
        id: credential.id,
        name,
        createdAt: new Date(),
        counter: credential.counter,
        publicKey: new Binary(credential.publicKey),
        transports: [...(credential.transports ?? [])],
      };
      const isFirstFactor = own.account.recoveryCodes === undefined;
      const codes = isFirstFactor ? createRecoveryCodes() : undefined;
      const seen = {
        [`passkeys.${MAX_PASSKEYS - 1}`]: { $exists: false },
        recoveryCodes: { $exists: !isFirstFactor },
      };
      const change: UpdateFilter<AccountDocument> = {
        $push: { passkeys: passkey },
        ...(codes && { $set: { recoveryCodes: codes.hashes } }),
      };
      try {
        await store.changeOwn(own, seen, change);
      } catch (error) {
        if (isDuplicateKey(error)) throw new Conflict('passkeyInUse');
        throw error;
      }
      return { passkey, recoveryCodes: codes?.codes };
    },

    /**
     * Removes a passkey. Recovery codes end with the last second factor.
     * @throws {NotFound} when the account does not have it
     * @throws {Conflict} when it is the only way into the account, or the account changed meanwhile
     */
    async remove(own: SignedIn, id: string): Promise<void> {
      const { passkeys = [], totp, passwordHash, identities = [] } = own.account;
      if (!passkeys.some((passkey) => passkey.id === id)) throw new NotFound('passkeyNotFound');
      const isLast = passkeys.length === 1;
      if (isLast && passwordHash === undefined && identities.length === 0) {
        throw new Conflict('passkeyIsOnlyWay');
      }
      const seen = isLast
        ? {
            'passkeys.1': { $exists: false },
            totp: { $exists: totp !== undefined },
            passwordHash: passwordHash ?? { $exists: false },
          }
        : { 'passkeys.1': { $exists: true } };
      const endsCodes = isLast && totp === undefined;
      const change: UpdateFilter<AccountDocument> = isLast
        ? { $unset: { passkeys: 1, ...(endsCodes && { recoveryCodes: 1 as const }) } }
        : { $pull: { passkeys: { id } } };
      await store.changeOwn(own, { 'passkeys.id': id, ...seen }, change);
    },

    /** @param waiting the account whose second factor is asked for; default: any account */
    async optionsToLogIn({ id }: RelyingParty, waiting: AccountDocument | undefined) {
      const { generateAuthenticationOptions } = await webAuthn();
      const own = waiting?.passkeys?.map((one) => ({ id: one.id, transports: shownTransports(one.transports) }));
      return generateAuthenticationOptions({
        rpID: id,
        challenge: challenges.issue(LOG_IN),
        timeout: TIMEOUT_MS,
        userVerification: 'required',
        ...(own && { allowCredentials: own }),
      });
    },

    /** Resolves with the way in; undefined when the response is wrong or was sent before. */
    async check(
      response: AuthenticationResponseJSON,
      { id, origin }: RelyingParty,
    ): Promise<VerifiedLogIn | undefined> {
      const account = await store.findByPasskey(response.id);
      const passkey = account?.passkeys?.find((one) => one.id === response.id);
      const { userHandle } = response.response;
      if (!account || !passkey || account.suspendedAt) return undefined;
      if (userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString() !== account._id.toHexString()) {
        return undefined;
      }
      const { verifyAuthenticationResponse } = await webAuthn();
      const at = { expectedOrigin: origin, expectedRPID: id, requireUserVerification: true };
      const credential = {
        id: passkey.id,
        counter: passkey.counter,
        transports: shownTransports(passkey.transports),
        publicKey: new Uint8Array(passkey.publicKey.buffer),
      };
      const checked = await verifyOnce(LOG_IN, (expectedChallenge) =>
        verifyAuthenticationResponse({ response, expectedChallenge, credential, ...at }),
      );
      if (!checked) return undefined;
      const { newCounter } = checked.authenticationInfo;
      return {
        account,
        method: 'passkey',
        second: false,
        checked: { passkeys: { $elemMatch: { id: passkey.id, counter: passkey.counter } } },
        change: { $set: { 'passkeys.$.counter': newCounter, 'passkeys.$.lastUsedAt': new Date() } },
      };
    },
  };
}
