import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiError, call } from '../api/call.ts';
import { useEntry } from './session.ts';

// Loaded on demand: most log-ins need no passkey.
const webAuthn = () => import('@simplewebauthn/browser');

/** Whether the browser has passkeys for this page: over HTTPS or on localhost, with a host name. */
export function supportsPasskeys(): boolean {
  const { hostname } = window.location;
  return typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(hostname);
}

const NOT_USED = 'No passkey was used: the request was cancelled, took too long, or found no passkey on this device';
const NOT_CREATED = 'No passkey was created: the request was cancelled or took too long';

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
      return 'This device has a passkey of your account already';
    case 'SecurityError':
      return `Passkeys work only at the address of the service: open the dashboard at ${host}`;
    case 'ConstraintError':
    case 'NotSupportedError':
      return 'This device cannot keep a passkey: turn its screen lock on, or use another device';
    default:
      return undefined;
  }
}

const notSetUp = ({ message }: ApiError): string =>
  `Passkeys are not set up here. Log in another way, and tell your administrator: ${message}`;

/** The service asks for no extensions. */
const clientExtensionResults = {};

/** A log-in with a passkey, also as the second factor of the session that waits for one. */
export const usePasskeyLogIn = () =>
  useEntry(async (_: 'passkey') => {
    const options = await call('POST /auth/login/passkey/options').catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 409 ? new PasskeyError(notSetUp(error)) : error;
    });
    const { startAuthentication } = await webAuthn();
    const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
    const response = await ask(options.rpId, NOT_USED, () => startAuthentication({ optionsJSON }));
    return call('POST /auth/login/passkey', { body: { response: { ...response, clientExtensionResults } } });
  });

/** Creates a passkey for the account of the session. @throws {PasskeyError} */
export async function createPasskey(name: string) {
  const options = await call('POST /auth/account/passkeys/options');
  const { startRegistration } = await webAuthn();
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  const response = await ask(options.rp.id, NOT_CREATED, () => startRegistration({ optionsJSON }));
  return call('POST /auth/account/passkeys', { body: { name, response: { ...response, clientExtensionResults } } });
}
