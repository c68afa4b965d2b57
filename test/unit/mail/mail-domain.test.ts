import { Resolver } from 'node:dns/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { checkMailDomain } from '../../../src/operations/doctor/mail-domain.ts';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { NameServer } from '../../support/peers/name-server.ts';

const config = (address: string) =>
  loadConfig({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: `Forms <${address}>`, NODE_ENV: 'test' });

let names: NameServer;
afterEach(() => names.close());

/**
 * @param texts the records of each name; a name without one, and below which none is, is unknown
 */
async function check(texts: Record<string, readonly string[]>, address = 'forms@mail.example.com') {
  const isKnown = (name: string): boolean => Object.keys(texts).some((one) => one === name || one.endsWith(`.${name}`));
  names = await NameServer.start(
    () => [],
    (name) => (isKnown(name) ? (texts[name] ?? []) : undefined),
  );
  return checkMailDomain({ config: config(address) }, resolverOf(names));
}

function resolverOf({ address }: NameServer): Resolver {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([address]);
  return resolver;
}

const levels = async (...of: Parameters<typeof check>) => [await check(...of)].flat().map(({ level }) => level);

describe('the records of the domain of MAIL_FROM', () => {
  it('are good with SPF, a DKIM key and a policy', async () => {
    const found = await check({
      'mail.example.com': ['other', 'v=spf1 include:spf.example.net ~all'],
      'one._domainkey.mail.example.com': ['v=DKIM1; k=rsa; p=x'],
      '_dmarc.mail.example.com': ['v=DMARC1; p=none'],
    });
    expect(found).toEqual([
      { level: 'good', found: 'mail.example.com has an SPF record' },
      { level: 'good', found: 'mail.example.com has names for DKIM keys' },
      { level: 'good', found: 'mail.example.com has a DMARC policy' },
    ]);
  });

  it('are warned of, each that is missing, with what to do', async () => {
    const found = [await check({ 'mail.example.com': ['v=spf10', 'text'] })].flat();
    expect(found.map((one) => one.found)).toEqual([
      'mail.example.com has no SPF record',
      'mail.example.com has no DKIM key: there is no name below _domainkey.mail.example.com',
      'mail.example.com has no DMARC policy',
    ]);
    for (const { level, advice } of found) expect([level, advice]).toEqual(['warning', expect.stringMatching(/\.$/)]);
  });

  it('are warned of when there are two of SPF, of which none counts', async () => {
    const found = await check({ 'mail.example.com': ['v=spf1 -all', 'v=spf1 ~all'] });
    expect([found].flat()[0]).toMatchObject({ level: 'warning', found: expect.stringContaining('2 SPF records') });
  });

  it('have the policy of a parent domain', async () => {
    expect(await levels({ '_dmarc.example.com': ['v=DMARC1;p=reject'] })).toEqual(['warning', 'warning', 'good']);
  });

  it('are not judged where no resolver answers', async () => {
    names = await NameServer.start(() => undefined);
    expect(await checkMailDomain({ config: config('forms@example.com') }, resolverOf(names))).toEqual({
      level: 'good',
      found: expect.stringContaining('no resolver tells the records of example.com here'),
    });
  });

  it('are not asked for by a service that sends no email', async () => {
    names = await NameServer.start(() => undefined);
    const none = { config: loadConfig({ NODE_ENV: 'test' }) };
    expect(await checkMailDomain(none, resolverOf(names))).toMatchObject({ level: 'good' });
  });
});
