import { normalizeEmail } from '../../core/email.ts';

const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
/** With more, a text is not searched. */
const MAX_EMAILS = 100;

const LOCAL_END = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;
const DOMAIN_START = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/;
/** What an email may begin with, but which rather stands before one: a quote or a delimiter. */
const SEPARATORS = /['|]/;

/**
 * Returns the emails that occur in a text, normalized, and more rather than less:
 * `'ada@example.com` is an email, and contains one. Undefined when there are too many.
 */
export function emailsIn(text: string): Set<string> | undefined {
  const emails = new Set<string>();
  let count = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    count += 1;
    if (count > MAX_EMAILS) return undefined;
    const [local = ''] = LOCAL_END.exec(text.slice(Math.max(0, at - MAX_LOCAL_LENGTH), at)) ?? [];
    const [domain = ''] = DOMAIN_START.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN_LENGTH)) ?? [];
    const parts = local.split(SEPARATORS);
    for (const index of parts.keys()) {
      // The separators between the parts are any: each has one character.
      const length = parts.slice(index).join(' ').length;
      const email = normalizeEmail(`${local.slice(local.length - length)}@${domain}`);
      if (email !== undefined) emails.add(email);
    }
  }
  return emails;
}
