const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

// The local part consists of atoms separated by dots; a domain of at least two labels of letters,
// digits and inner hyphens.
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Returns the stored form of an email, trimmed and in lower case (spec 4.1), or undefined for an
 * invalid one. Only ASCII is accepted, and checked before lower-casing: U+212A (the Kelvin sign)
 * becomes `k`, which would give access to another person's record.
 */
export function normalizeEmail(input: string): string | undefined {
  const email = input.trim();
  if (email.length > MAX_LENGTH) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const domain = email.slice(at + 1);
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL.test(local) || !DOMAIN.test(domain)) return undefined;
  // A domain that ends in a number is an IP address without brackets.
  if (/\.\d+$/.test(domain)) return undefined;
  return email.toLowerCase();
}
