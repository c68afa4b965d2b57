const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

// Dots separate atoms in the local part; a domain is labels of letters, digits and inner hyphens and has at least two of them.
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * The stored form of an email: trimmed and lower-cased (spec 4.1), or undefined when it is none. Only ASCII is taken, and that is checked before
 * lower-casing: U+212A (the Kelvin sign) would become `k` and let one person take another's record.
 */
export function normalizeEmail(input: string): string | undefined {
  const email = input.trim();
  if (email.length > MAX_LENGTH) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const domain = email.slice(at + 1);
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL.test(local) || !DOMAIN.test(domain)) return undefined;
  // A name that ends in a number is no domain but an IP address without its brackets.
  if (/\.\d+$/.test(domain)) return undefined;
  return email.toLowerCase();
}
