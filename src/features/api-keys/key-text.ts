import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Binary } from 'mongodb';

/** The prefix of every API key, by which people and scanners of secrets recognize one. */
const KEY_PREFIX = 'uck_';
const KEY_PATTERN = /^uck_[A-Za-z0-9_-]{43}$/;

/**
 * A key has 256 random bits, so a plain SHA-256 cannot be reversed, and the time of a look-up tells
 * nothing about a key.
 */
const hash = (key: string): Binary => new Binary(createHash('sha256').update(key).digest());

/** Returns a new key from the system's random source, and the hash that is stored of it. */
export function generateKey(): { key: string; hash: Binary } {
  const key = KEY_PREFIX + randomBytes(32).toString('base64url');
  return { key, hash: hash(key) };
}

/** Returns the stored hash of a key; undefined for a text that is no key. */
export const hashKey = (text: string): Binary | undefined => (KEY_PATTERN.test(text) ? hash(text) : undefined);

/** Returns the API key in an `Authorization` header. Ignores other credentials, as of a proxy. */
export function keyInHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return token?.startsWith(KEY_PREFIX) ? token : undefined;
}

const MAPPED_BITS = 96;

/** Returns a network as `<first address>/<bits>`; undefined for any other text. */
export function canonicalNetwork(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  const most = version === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most)) return undefined;
  const length = Number(bits ?? most);
  if (version === 4) return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`);
  if (!network.isIPv4MappedAddress() || length < MAPPED_BITS) return `${network}/${length}`;
  return `${network.toIPv4Address()}/${length - MAPPED_BITS}`;
}

/** Whether an address is in one of these networks, each as {@link canonicalNetwork} returns it. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return false;
  const parsed = ipaddr.process(plain);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}
