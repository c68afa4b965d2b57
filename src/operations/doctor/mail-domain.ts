import { Resolver } from 'node:dns/promises';
import type { Context } from './context.ts';
import { type Finding, good, reasonOf, warning } from './findings.ts';

const ANSWER_WITHIN_MS = 2_000;
const ADVICE = 'Add the record that the provider of SMTP_URL names (docs/operations.md, Email).';

/**
 * The DNS records by which mail systems recognize the emails of the domain of MAIL_FROM. Without an
 * answer of a resolver there is no finding to act on.
 * @param resolver another one than that of the machine in tests only
 */
export async function checkMailDomain(
  { config }: Pick<Context, 'config'>,
  resolver = new Resolver({ timeout: ANSWER_WITHIN_MS, tries: 1 }),
): Promise<Finding | Finding[]> {
  if (!config.mail) return good('it is not set: the service sends no email');
  const { address } = config.mail.from;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  try {
    return [await judgeSpf(resolver, domain), await judgeDkim(resolver, domain), await judgeDmarc(resolver, domain)];
  } catch (error) {
    return good(`no resolver tells the records of ${domain} here (${reasonOf(error)})`);
  }
}

async function judgeSpf(resolver: Resolver, domain: string): Promise<Finding> {
  const found = (await textsOf(resolver, domain))?.filter((text) => /^v=spf1(?: |$)/i.test(text)) ?? [];
  if (found.length === 1) return good(`${domain} has an SPF record`);
  if (found.length === 0) return warning(`${domain} has no SPF record`, ADVICE);
  return warning(`${domain} has ${found.length} SPF records, of which none counts`, 'Join them to one TXT record.');
}

/** The names of keys are those of providers, so that only their common parent can be asked for. */
async function judgeDkim(resolver: Resolver, domain: string): Promise<Finding> {
  const parent = `_domainkey.${domain}`;
  return (await textsOf(resolver, parent)) === undefined
    ? warning(`${domain} has no DKIM key: there is no name below ${parent}`, ADVICE)
    : good(`${domain} has names for DKIM keys`);
}

/** A policy of a parent domain counts for its subdomains. */
async function judgeDmarc(resolver: Resolver, domain: string): Promise<Finding> {
  const labels = domain.split('.');
  const parents = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  for (const parent of parents) {
    const texts = (await textsOf(resolver, `_dmarc.${parent}`)) ?? [];
    if (texts.some((text) => /^v=DMARC1(?:;|$)/i.test(text))) return good(`${parent} has a DMARC policy`);
  }
  return warning(`${domain} has no DMARC policy`, 'Add the TXT record of docs/operations.md, Email.');
}

/** Resolves with the texts of a name; undefined: there is no such name, and none below it. */
async function textsOf(resolver: Resolver, name: string): Promise<string[] | undefined> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOTFOUND') return undefined;
    if (code === 'ENODATA') return [];
    throw error;
  }
}
