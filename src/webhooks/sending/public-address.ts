import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name server that does not answer is asked twice, then the next one. */
const NAME_TIMEOUT_MS = 2_000;
const NAME_TRIES = 2;
/** The global unicast addresses of IPv6 (RFC 4291); all others have a special meaning. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The name of a receiver stands for an address that no delivery may reach. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  constructor() {
    super('the address is not public');
  }
}

/**
 * Whether an IP address is a public unicast address. An IPv6 address that stands for an IPv4
 * address, such as one of NAT64, is not, except the mapped form of a public one.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (!('isIPv4MappedAddress' in parsed)) return parsed.range() === 'unicast';
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().range() === 'unicast';
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_IPV6);
}

/**
 * Whether the host of a URL is a name, or a public address. The name of this machine is not one
 * (RFC 6761). Node does not call `lookup` for IP addresses, so they are checked here.
 */
export function isAllowedHost({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? !LOCAL_NAME.test(hostname) : isPublicAddress(address);
}

const LOCAL_NAME = /^(?:.*\.)?localhost\.?$/i;

/**
 * A `lookup` for sockets that yields public addresses only. The socket connects to what it yields,
 * so the address that was checked is the one that is used.
 *
 * Names are resolved by DNS, without the hosts file: the look-ups of the operating system share a
 * few threads, and names whose servers do not answer would hold up all others.
 *
 * @param nameServers instead of those of the operating system; in tests only
 */
export function createPublicLookup(nameServers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    // A new one reads the name servers that the operating system has now.
    const resolver = new Resolver({ timeout: NAME_TIMEOUT_MS, tries: NAME_TRIES });
    if (nameServers) resolver.setServers(nameServers);
    publicAddresses(resolver, hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}

/** Resolves with at least one address. @throws {PrivateAddress} if any of them is not public */
async function publicAddresses(resolver: Resolver, hostname: string) {
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (!addresses.every(isPublicAddress)) throw new PrivateAddress();
  if (addresses.length === 0) throw found.map((result) => result.status === 'rejected' && result.reason).find(Boolean);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
