import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What {@link canonicalNetwork} accepts, for error messages. */
export const NETWORK_FORMAT = 'must be an IP address or a network like 203.0.113.0/24 or 2001:db8::/32';

const MAPPED_BITS = 96;

/**
 * Returns a network as `<first address>/<bits>`, or undefined for any other text. An address counts
 * as the network of that address alone. An IPv4-mapped IPv6 network becomes the IPv4 one.
 */
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
