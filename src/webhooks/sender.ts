import { createHmac, randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name server that does not answer is asked twice, then the next one. */
const NAME_TIMEOUT_MS = 2_000;
const NAME_TRIES = 2;
/** The global unicast addresses of IPv6 (RFC 4291); all others have a special meaning. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The name of a receiver stands for an address that no delivery may reach. */
class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  constructor() {
    super('the address is not public');
  }
}

/**
 * Whether an IP address is a public unicast address. An IPv6 address that stands for an IPv4
 * address, such as one of NAT64, is not, except the mapped form of a public one.
 */
function isPublicAddress(address: string): boolean {
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
function createPublicLookup(nameServers?: readonly string[]): LookupFunction {
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

const PREFIX = 'whsec_';
const KEY_BYTES = 32;
/** The limits of Standard Webhooks. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** The format of a secret, for error messages. */
export const SECRET_FORMAT = `${PREFIX} and 24 to 64 bytes in base64`;

/** Generates the secret of a webhook. */
export function createSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** Whether a text is a secret as Standard Webhooks defines it. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.toString('base64') === encoded && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES;
}

/** What is signed. */
interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * The headers of a delivery by Standard Webhooks: id, time, and one signature by each secret, so
 * that a receiver can verify it with the old and with the new one.
 */
export function signedHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]) {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

/** An attempt ends after this time. */
const TIMEOUT_MS = 15_000;
/** No more of an answer is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The characters of an answer that are kept. */
const MAX_KEPT = 1_000;
const MAX_SOCKETS = 256;
const MAX_FREE_SOCKETS = 64;
const IDLE_SOCKET_MS = 30_000;

/** The result of an attempt to deliver. */
export interface SendResult {
  isSuccess: boolean;
  /** How long it took, in milliseconds. */
  ms: number;
  status?: number;
  error?: string;
  response?: string;
  /** What the endpoint asks for, in milliseconds. */
  retryAfterMs: number;
}

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type Sender = ReturnType<typeof createSender>;

/** The URL is not one that a delivery may use. */
class PlainHttp extends Error {
  override readonly name = 'PlainHttp';
  constructor() {
    super('the address does not begin with https://');
  }
}

/**
 * Creates what posts messages to webhooks. It follows no redirect, connects to public addresses
 * only, and reads a bounded part of the answer.
 *
 * @param options.allowPrivate also connects to private addresses, and over plain HTTP
 * @param options.nameServers resolve the names of receivers; in tests only
 * @param options.timeoutMs when an attempt ends; another one in tests only
 */
export function createSender(options: {
  allowPrivate: boolean;
  nameServers?: readonly string[];
  timeoutMs?: number | undefined;
}) {
  const { allowPrivate, nameServers, timeoutMs = TIMEOUT_MS } = options;
  const pool = {
    keepAlive: true,
    ...{ maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_FREE_SOCKETS, timeout: IDLE_SOCKET_MS },
    ...(!allowPrivate && { lookup: createPublicLookup(nameServers) }),
  };
  const agents = { 'http:': new http.Agent(pool), 'https:': new https.Agent(pool) };

  function post({ url: text, headers, body }: Message, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(text);
    if (!allowPrivate && url.protocol !== 'https:') throw new PlainHttp();
    if (!allowPrivate && !isAllowedHost(url)) throw new PrivateAddress();
    const { request } = url.protocol === 'http:' ? http : https;
    const sent = {
      ...{ method: 'POST', agent: agents[url.protocol as keyof typeof agents], signal },
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    };
    return new Promise((resolve, reject) => {
      request(url, sent, resolve)
        .on('error', reject)
        // An answer that switches protocols closes the connection without an error.
        .on('close', () => reject(new Error('closed without an answer')))
        .end(body);
    });
  }

  return {
    /** Posts a message; never rejects. @param stop aborts it */
    async send(message: Message, stop?: AbortSignal): Promise<SendResult> {
      const begun = performance.now();
      const elapsed = () => Math.round(performance.now() - begun);
      const attempt = new AbortController();
      const abort = () => attempt.abort();
      const timer = setTimeout(abort, timeoutMs);
      stop?.addEventListener('abort', abort);
      if (stop?.aborted) abort();
      try {
        const answer = await post(message, attempt.signal);
        const { statusCode: status = 0, headers } = answer;
        const isSuccess = status >= 200 && status < 300;
        const response = await readStart(answer);
        const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
        return { isSuccess, ms: elapsed(), status, ...(response !== '' && { response }), retryAfterMs };
      } catch (error) {
        const reason = attempt.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : describeFailure(error);
        return { isSuccess: false, ms: elapsed(), error: reason, retryAfterMs: 0 };
      } finally {
        clearTimeout(timer);
        stop?.removeEventListener('abort', abort);
      }
    },

    /** Closes all idle connections. */
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/**
 * Reads at most {@link MAX_ANSWER_BYTES} of an answer, and returns the beginning as a text. The
 * status of an answer that breaks off has arrived, so this does not reject.
 */
async function readStart(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) chunks.push(chunk);
      else break; // leaving the loop destroys the connection
    }
  } catch {
    // What has arrived is kept.
  }
  return Buffer.concat(chunks).toString().slice(0, MAX_KEPT);
}

/** Reads a `Retry-After` header: seconds or a date; 0 for anything else. */
function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** A reason without addresses of the service's network. */
function describeFailure(error: unknown): string {
  if (error instanceof PrivateAddress || error instanceof PlainHttp) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed';
}
