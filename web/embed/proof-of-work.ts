/** A challenge as `GET /v1/forms/:sourceAppId/challenge` answers it (spec 4.5). */
export interface Challenge {
  parameters: {
    algorithm: string;
    cost: number;
    keyLength: number;
    keyPrefix: string;
    nonce: string;
    salt: string;
  };
  signature: string;
}

/** Browsers derive keys outside the main thread; so many at a time use up to four cores. */
const PARALLEL = 4;
const ALGORITHM = 'PBKDF2/SHA-256';
/** Far above the counters of the service; ends the search when the challenge has no solution. */
const MAX_COUNTER = 1_000;

/**
 * Whether this page can solve challenges. Browsers offer WebCrypto only to pages of secure contexts
 * (https, and http on localhost); elsewhere a form is sent without a solution, and held.
 */
export function canSolve(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/**
 * Solves a challenge. Resolves with the text for the form control `altcha` or the header
 * `x-altcha`. WebCrypto does the work in threads of the browser, so the page stays responsive and
 * its Content-Security-Policy need not allow workers.
 *
 * @throws {Error} when the page is in no secure context or the challenge cannot be solved
 */
export async function solve(challenge: Challenge): Promise<string> {
  const { algorithm, cost, keyLength, keyPrefix, nonce, salt } = challenge.parameters;
  if (!canSolve()) throw new Error('Proof of work needs a secure context (https)');
  if (algorithm !== ALGORITHM) throw new Error('No solution');
  const options = { name: 'PBKDF2', hash: 'SHA-256', salt: bytesOf(salt), iterations: cost };

  async function derive(counter: number): Promise<string> {
    const password = new Uint8Array(nonce.length / 2 + 4);
    password.set(bytesOf(nonce));
    new DataView(password.buffer).setUint32(nonce.length / 2, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    return hexOf(new Uint8Array(await crypto.subtle.deriveBits(options, key, keyLength * 8)));
  }

  for (let first = 0; first < MAX_COUNTER; first += PARALLEL) {
    const keys = await Promise.all(Array.from({ length: PARALLEL }, (_, index) => derive(first + index)));
    const found = keys.findIndex((key) => key.startsWith(keyPrefix));
    const solution = { counter: first + found, derivedKey: keys[found] };
    if (found !== -1) return btoa(JSON.stringify({ challenge, solution }));
  }
  throw new Error('No solution');
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
