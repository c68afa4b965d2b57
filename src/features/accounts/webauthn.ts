import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { component } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';

const MAX_BASE64_URL = 8_000;

const Base64Url = z
  .string(code('notText'))
  .max(MAX_BASE64_URL, code('tooLongText'))
  .regex(/^[\w-]*$/, code('notBase64Url'))
  .meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' });
const Transports = z.array(z.string().max(50)).max(10);
const KeyType = z.literal('public-key');
const Descriptor = z.strictObject({ id: Base64Url, type: KeyType, transports: Transports.optional() });
const Verification = z.literal('required');

/** What browsers send with each response. None of it decides anything. */
const credential = {
  id: Base64Url.min(1),
  rawId: Base64Url,
  type: KeyType,
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.looseObject({}).optional(),
};

/** As `PublicKeyCredential.toJSON()` returns it after `navigator.credentials.create`. */
export const CreatedPasskey = component('CreatedPasskey', {
  ...credential,
  response: z.strictObject({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    authenticatorData: Base64Url.optional(),
    publicKey: Base64Url.nullish(),
    publicKeyAlgorithm: z.number().optional(),
    transports: Transports.default([]),
  }),
}).transform(({ id, rawId, type, response }): RegistrationResponseJSON => {
  const { clientDataJSON, attestationObject, authenticatorData = '', transports } = response;
  const made = { clientDataJSON, attestationObject, authenticatorData, transports };
  return { id, rawId, type, clientExtensionResults: {}, response: made };
});

/** As `PublicKeyCredential.toJSON()` returns it after `navigator.credentials.get`. */
export const UsedPasskey = component('UsedPasskey', {
  ...credential,
  response: z.strictObject({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.nullish(),
  }),
}).transform(({ id, rawId, type, response: { userHandle, ...signed } }): AuthenticationResponseJSON => {
  const response = { ...signed, ...(userHandle && { userHandle }) };
  return { id, rawId, type, clientExtensionResults: {}, response };
});

/** The argument of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CreationOptions = component('PasskeyCreationOptions', {
  challenge: Base64Url,
  rp: z.strictObject({ id: z.string().meta({ example: 'forms.example.com' }), name: z.string() }),
  user: z.strictObject({ id: Base64Url, name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ type: KeyType, alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.looseObject({ residentKey: z.literal('required'), userVerification: Verification }),
  attestation: z.literal('none'),
  extensions: z.looseObject({}),
  hints: z.array(z.string()),
});

/** The argument of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const RequestOptions = component('PasskeyRequestOptions', {
  challenge: Base64Url,
  rpId: z.string().meta({ example: 'forms.example.com' }),
  timeout: z.int(),
  allowCredentials: z.array(Descriptor).optional(),
  userVerification: Verification,
});
