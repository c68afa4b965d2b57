import { randomBytes } from 'node:crypto';
import type { Binary, Filter } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import { InvalidInput, TooManyRequests, Unauthenticated } from '../../platform/core/errors.ts';
import { changing } from '../../platform/database/filters.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type AccountStore, hashToken, hasSameBytes } from './account-documents.ts';
import type { AccountDocument, CodeUse, Factors, SecondFactor, SignedIn } from './accounts.model.ts';

const ISSUER = 'User Collection Service';
const PERIOD_S = 30;
/** Clocks of phones differ: one step before and after is accepted. */
const WINDOW = 1;
const NEW_SECRET_MS = 15 * 60 * 1_000;
const GUESS_WINDOW_MS = 15 * 60 * 1_000;
const MAX_GUESSES = 10;
const RECOVERY_CODES = 10;
/** 80 random bits, as four groups of four base32 characters. */
const RECOVERY_BYTES = 10;

/** Returns the factors that complete a log-in with a password. */
export const secondFactorsOf = ({ totp, passkeys = [] }: Factors): SecondFactor[] => [
  ...(totp ? (['totp'] as const) : []),
  ...(passkeys.length > 0 ? (['passkey'] as const) : []),
];

/** Whether an account has a second factor, so that a password alone is not enough. */
export const hasSecondFactor = (account: Factors): boolean => secondFactorsOf(account).length > 0;

/** The condition that an account has got no second factor meanwhile, or has one still. */
export const withSecondFactor = (has: boolean): Filter<AccountDocument> => {
  const factors = [{ totp: { $exists: true } }, { 'passkeys.0': { $exists: true } }];
  return has ? { $or: factors } : { $nor: factors };
};

/** Returns the time step of a code; undefined for a wrong one. */
function findStep(secret: string, code: string): number | undefined {
  const options = { secret: Secret.fromBase32(secret), timestamp: Date.now(), period: PERIOD_S };
  const delta = TOTP.validate({ ...options, token: code.trim(), window: WINDOW });
  return delta === null ? undefined : TOTP.counter(options) + delta;
}

const normalizedCode = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();

export function createRecoveryCodes(): { codes: string[]; hashes: Binary[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
    return text.match(/.{4}/g)?.join('-') ?? text;
  });
  return { codes, hashes: codes.map((code) => hashToken(normalizedCode(code))) };
}

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** Codes of an authenticator app and recovery codes (spec 4.13). Each counts once per account. */
export function createSecondFactors(store: AccountStore) {
  /** @throws {TooManyRequests} after ten guesses in 15 minutes, counted over all servers */
  async function countGuess({ _id }: AccountDocument): Promise<void> {
    if ((await store.countGuess(_id, GUESS_WINDOW_MS)) > MAX_GUESSES) {
      throw new TooManyRequests('tooManyCodes', GUESS_WINDOW_MS / 1_000);
    }
  }

  return {
    /**
     * Checks a code that completes a log-in. The result uses it up, with the session, in one
     * update.
     * @throws {Unauthenticated} when the code is wrong @throws {TooManyRequests} after ten guesses
     */
    async check(account: AccountDocument, given: { code: string } | { recoveryCode: string }): Promise<CodeUse> {
      await countGuess(account);
      if ('recoveryCode' in given) {
        const hash = hashToken(normalizedCode(given.recoveryCode));
        if (!account.recoveryCodes?.some((code) => hasSameBytes(code, hash))) throw new Unauthenticated('invalidCode');
        return { checked: { recoveryCodes: hash }, change: { $pull: { recoveryCodes: hash } } };
      }
      const step = account.totp && findStep(account.totp.secret, given.code);
      if (step === undefined || !account.totp) throw new Unauthenticated('invalidCode');
      const checked = { 'totp.secret': account.totp.secret, 'totp.lastStep': { $lt: step } };
      return { checked, change: { $set: { 'totp.lastStep': step } } };
    },

    /** Stores a new secret that waits for its first code. @throws {Conflict} when one is in use */
    async begin(own: SignedIn): Promise<{ secret: string; uri: string }> {
      const secret = new Secret({ size: 20 });
      const newTotp = { secret: secret.base32, until: new Date(Date.now() + NEW_SECRET_MS) };
      await store.changeOwn(own, { totp: { $exists: false } }, { $set: { newTotp } }, 'authenticatorExists');
      const { email } = own.account;
      const uri = new TOTP({ issuer: ISSUER, label: email, secret, period: PERIOD_S }).toString();
      return { secret: secret.base32, uri };
    },

    /** Puts the new secret in force; resolves with the recovery codes, which are shown once. */
    async confirm(own: SignedIn, code: string): Promise<string[]> {
      const { newTotp } = own.account;
      await countGuess(own.account);
      const isOpen = newTotp && newTotp.until.getTime() > Date.now();
      const step = isOpen ? findStep(newTotp.secret, code) : undefined;
      if (!newTotp || step === undefined) throw new InvalidInput('invalidCode', [{ path: 'code', ...say('wrong') }]);
      const { codes, hashes } = createRecoveryCodes();
      const totp = { secret: newTotp.secret, lastStep: step };
      const change = { $set: { totp, recoveryCodes: hashes }, $unset: { newTotp: 1 as const } };
      await store.changeOwn(own, { 'newTotp.secret': newTotp.secret, totp: { $exists: false } }, change);
      return codes;
    },

    /**
     * Recovery codes end with the last second factor. @throws {Conflict} when the session
     * ended or the factors were replaced meanwhile
     */
    async remove(own: SignedIn): Promise<void> {
      const { totp, passkeys = [] } = own.account;
      const seen = {
        'totp.secret': totp?.secret ?? { $exists: false },
        'passkeys.0': { $exists: passkeys.length > 0 },
      };
      const $unset = { totp: 1, newTotp: 1, ...(passkeys.length === 0 && { recoveryCodes: 1 }) };
      await store.changeOwn(own, seen, changing<AccountDocument>({ $unset }));
    },
  };
}
