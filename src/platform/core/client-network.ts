import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key by which limits count a client address: an IPv4 address, or the /64 network of an IPv6
 * address, because a single customer typically owns a whole /64.
 */
export function clientNetwork(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const groups = ipaddr.IPv6.parse(plain).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** `192.0.2.1:80`, `[2001:db8::1]:80` or `[2001:db8::1]`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]*)\])(?::\d*)?$/;

/**
 * Returns the address of an entry of `X-Forwarded-For`, without quotes and port. What is no address
 * becomes `unknown`, so that limits count it under one key; undefined for an empty entry.
 */
export function forwardedAddress(entry: string): string | undefined {
  const text = entry.trim();
  if (text === '') return undefined;
  if (isIP(text) !== 0) return text;
  const [, ipv4, ipv6] = WITH_PORT.exec(text.replace(/^"(.*)"$/, '$1')) ?? [];
  const address = ipv4 ?? ipv6 ?? '';
  return isIP(address) === 0 ? 'unknown' : address;
}
