import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { call, hasStatus } from '../api/call.ts';
import { t } from '../texts/first-texts.ts';
import { useEntry } from './session.ts';

// Loaded on demand: most log-ins need no passkey.
const webAuthn = () => import('@simplewebauthn/browser');

/** Whether the browser has passkeys for this page: over HTTPS or on localhost, with a host name. */
export function supportsPasskeys(): boolean {
  const { hostname } = window.location;
  return typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(hostname);
}

/** Why the browser did not create or use a passkey. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/**
 * Sends the options to the browser.
 *
 * @param host at which passkeys of the service are valid
 * @param otherwise the reason when the browser names none
 * @throws {PasskeyError}
 */
async function ask<Answer>(host: string, otherwise: string, start: () => Promise<Answer>): Promise<Answer> {
  try {
    return await start();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new PasskeyError(reasonOf(name, host) ?? otherwise, { cause: error });
  }
}

function reasonOf(name: string, host: string): string | undefined {
  switch (name) {
    case 'InvalidStateError':
      return t.session.passkeyErrors.exists;
    case 'SecurityError':
      return t.session.passkeyErrors.otherAddress(host);
    case 'ConstraintError':
    case 'NotSupportedError':
      return t.session.passkeyErrors.notSupported;
    default:
      return undefined;
  }
}

/** The service asks for no extensions. */
const clientExtensionResults = {};

/** A log-in with a passkey, also as the second factor of the session that waits for one. */
export const usePasskeyLogIn = () =>
  useEntry(async (_: 'passkey') => {
    const options = await call('POST /auth/login/passkey/options').catch((error: unknown) => {
      if (!hasStatus(error, 409)) throw error;
      throw new PasskeyError(t.session.passkeyErrors.notSetUp(error.message));
    });
    const { startAuthentication } = await webAuthn();
    const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
    const { notUsed } = t.session.passkeyErrors;
    const response = await ask(options.rpId, notUsed, () => startAuthentication({ optionsJSON }));
    return call('POST /auth/login/passkey', { body: { response: { ...response, clientExtensionResults } } });
  });

/** Creates a passkey for the account of the session. @throws {PasskeyError} */
export async function createPasskey(name: string) {
  const options = await call('POST /auth/account/passkeys/options');
  const { startRegistration } = await webAuthn();
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  const { notCreated } = t.session.passkeyErrors;
  const response = await ask(options.rp.id, notCreated, () => startRegistration({ optionsJSON }));
  return call('POST /auth/account/passkeys', { body: { name, response: { ...response, clientExtensionResults } } });
}
