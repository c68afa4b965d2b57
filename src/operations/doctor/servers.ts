import type { MailFailure } from '../../platform/mail/failure.ts';
import { createMailer } from '../../platform/mail/mailer.ts';
import { hashSecret } from '../../platform/servers/servers.ts';
import type { Context } from './context.ts';
import { duration, type Finding, fault, good, reasonOf, warning } from './findings.ts';

/** The versions of the running servers. */
export async function checkServerVersions({ running }: Context): Promise<Finding> {
  if (running.length === 0) return warning('no server was seen in the last minute', 'Start one.');
  const versions = new Map<string, string[]>();
  for (const { version, host, pid } of running) {
    versions.set(version, [...(versions.get(version) ?? []), `${host} (process ${pid})`]);
  }
  const [[version] = ['']] = versions;
  if (versions.size === 1) return good(`${running.length} servers of version ${version}`);
  const each = [...versions].map(([name, hosts]) => `${name} on ${hosts.join(', ')}`).join('; ');
  return warning(`servers of different versions: ${each}`, 'Finish the upgrade: replace the servers one by one.');
}

/** The session secrets of the running servers, and of this environment, by their keyed hashes. */
export async function checkSecrets({ running, secret }: Context): Promise<Finding[]> {
  const hashes = new Set(running.map(({ secretHash }) => secretHash));
  const findings: Finding[] = [];
  if (hashes.size > 1) {
    findings.push(
      fault(
        `${running.length} servers have ${hashes.size} different values of SESSION_SECRET`,
        'Give all servers the same one: otherwise a log-in on one is unknown to the others, and people who were erased can be imported again.',
      ),
    );
  }
  if (secret !== undefined && hashes.size > 0 && !hashes.has(hashSecret(secret))) {
    findings.push(
      warning(
        'SESSION_SECRET of this environment is that of no running server',
        'Set it to that of the servers before you run commands such as `users import` here.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [good(running.length === 0 ? 'no server runs' : `the same on ${running.length} servers`)];
}

const REQUEST_MS = 5_000;

/** Whether `PUBLIC_URL` is set where links need it, and leads to this service. */
export async function checkPublicUrl({ config }: Pick<Context, 'config'>): Promise<Finding> {
  const { publicUrl, production, mail } = config;
  if (publicUrl === undefined) {
    if (!mail && !production) return good('it is not set, and no link needs it');
    const advice = 'Set it to the address of the service, like https://forms.example.com.';
    return warning('it is not set: emails have no links, and addresses cannot be confirmed', advice);
  }
  try {
    const response = await fetch(new URL('/health', publicUrl), {
      redirect: 'manual',
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const body = await beginningOf(response);
    if (response.status !== 200 || !body.includes('"status":"ok"')) {
      const found = `${publicUrl}/health answers with status ${response.status}, not as this service`;
      return fault(found, 'Correct PUBLIC_URL, or let the proxy pass all paths on to the service.');
    }
  } catch (error) {
    const found = `${publicUrl} cannot be reached from here (${causeOf(error)})`;
    return warning(found, 'Check the name, the certificate and the proxy, or open the address from outside.');
  }
  if (production && publicUrl.startsWith('http:')) {
    return warning(`${publicUrl} leads here, without TLS`, 'Use https: passwords and records cross the network.');
  }
  return good(`${publicUrl} leads to the service`);
}

/** The first bytes of a body, which may have no end: another service may answer at this address. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value?.subarray(0, 200));
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? reasonOf(error.cause) : reasonOf(error);
}

/** Whether the servers have the same `PUBLIC_URL` and `FILES_URL`, and all send email or none. */
export async function checkSettings({ running }: Context): Promise<Finding[]> {
  const values: [name: string, values: Set<unknown>][] = [
    ['PUBLIC_URL', new Set(running.map(({ publicUrl }) => publicUrl))],
    ['FILES_URL', new Set(running.map(({ filesBucket }) => filesBucket))],
    ['SMTP_URL (set and unset)', new Set(running.map(({ sendsMail }) => sendsMail))],
  ];
  const findings = values
    .filter(([, { size }]) => size > 1)
    .map(([name]) => warning(`servers have different values of ${name}`, 'Give all servers the same settings.'));
  return findings.length > 0 ? findings : [good(`the same on ${running.length} servers, as far as they tell`)];
}

/** Connects to the SMTP server and logs in. No email is sent. */
export async function checkSmtp({ config }: Pick<Context, 'config'>): Promise<Finding> {
  if (!config.mail) return good('it is not set: the service sends no email');
  const { host, port } = config.mail.server;
  const mailer = createMailer(config.mail);
  const begun = performance.now();
  try {
    await mailer.check();
    return good(`${host}:${port} accepts the log-in after ${duration(performance.now() - begun)}`);
  } catch (error) {
    const { reason = reasonOf(error) } = error as Partial<MailFailure>;
    return fault(`${host}:${port} cannot be used (${reason})`, 'Check SMTP_URL, its password and the network.');
  } finally {
    mailer.close();
  }
}
