import { createHmac, randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NamedError } from '../../platform/core/errors.ts';
import type { Attempt } from './webhooks.model.ts';

/** A name server without an answer is asked twice, then the next one. */
const NAME_TIMEOUT_MS = 2_000;
const NAME_TRIES = 2;
/** The global unicast addresses of IPv6 (RFC 4291); all others have a special meaning. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** No delivery may reach the address. The message names nothing of the service's network. */
class RefusedAddress extends NamedError {}

const NOT_PUBLIC = 'the address is not public';

/** Returns false for IPv6 addresses that contain an IPv4 address (NAT64), unless it is mapped. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (!('isIPv4MappedAddress' in parsed)) return parsed.range() === 'unicast';
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().range() === 'unicast';
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_IPV6);
}

const LOCAL_NAME = /^(?:.*\.)?localhost\.?$/i;

/** Node calls no `lookup` for addresses, so they are checked here, and localhost (RFC 6761). */
export function isAllowedHost({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? !LOCAL_NAME.test(hostname) : isPublicAddress(address);
}

/**
 * Creates a `lookup` that yields public addresses only, so that the checked address is the one that
 * is used. It uses DNS without the hosts file: look-ups of the operating system share a few
 * threads, which names without an answer would block.
 */
function createPublicLookup(nameServers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    // A new one reads the current name servers of the operating system.
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

/** Resolves with at least one address. @throws {RefusedAddress} if any of them is not public */
async function publicAddresses(resolver: Resolver, hostname: string) {
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (!addresses.every(isPublicAddress)) throw new RefusedAddress(NOT_PUBLIC);
  if (addresses.length === 0) throw found.map((result) => result.status === 'rejected' && result.reason).find(Boolean);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

export const SECRET_PREFIX = 'whsec_';
const KEY_BYTES = 32;
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

export function createSecret(): string {
  return SECRET_PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** Returns whether a text is a secret as Standard Webhooks defines it. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false;
  const encoded = text.slice(SECRET_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.toString('base64') === encoded && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES;
}

/** The headers of Standard Webhooks; one signature by each secret serves receivers with either. */
export function signedHeaders(id: string, at: Date, body: string, secrets: readonly string[]) {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_KEPT = 1_000;
const MAX_SOCKETS = 256;
const MAX_FREE_SOCKETS = 64;
const IDLE_SOCKET_MS = 30_000;

export interface SendResult extends Omit<Attempt, 'at'> {
  isSuccess: boolean;
  retryAfterMs: number;
}

export interface WebhookMessage {
  url: string;
  /** Whether a result must not repeat parts of the URL. */
  isSecret?: boolean;
  headers: Record<string, string>;
  body: string;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * Creates the client that posts messages to webhooks. It follows no redirect, connects to public
 * addresses only, and reads a bounded part of the answer.
 * @param options.allowPrivate allows private addresses and plain HTTP
 */
export function createSender(options: {
  allowPrivate: boolean;
  nameServers?: readonly string[];
  timeoutMs?: number | undefined;
}) {
  const { allowPrivate, nameServers, timeoutMs = TIMEOUT_MS } = options;
  const pool = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    maxFreeSockets: MAX_FREE_SOCKETS,
    timeout: IDLE_SOCKET_MS,
    ...(!allowPrivate && { lookup: createPublicLookup(nameServers) }),
  };
  const agents = { 'http:': new http.Agent(pool), 'https:': new https.Agent(pool) };

  function post({ url: text, headers, body }: WebhookMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(text);
    if (!allowPrivate && url.protocol !== 'https:')
      throw new RefusedAddress('the address does not begin with https://');
    if (!allowPrivate && !isAllowedHost(url)) throw new RefusedAddress(NOT_PUBLIC);
    const { request } = url.protocol === 'http:' ? http : https;
    const sent = {
      method: 'POST',
      agent: agents[url.protocol as keyof typeof agents],
      signal,
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
    async send(message: WebhookMessage, stop?: AbortSignal): Promise<SendResult> {
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
        const response = keptPart(await readStart(answer), message);
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

    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Does not reject when the answer breaks off, because its status has arrived. */
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
    // The chunks so far are kept.
  }
  return Buffer.concat(chunks).toString();
}

/** The shortest part of a secret URL that no answer may repeat. */
const MIN_SECRET = 8;

const asciiOf = (code: string): string => String.fromCharCode(Number.parseInt(code.slice(1), 16));

/** Returns the beginning of an answer, without the parts of a secret URL. */
function keptPart(text: string, { url, isSecret = false }: WebhookMessage): string {
  if (!isSecret) return text.slice(0, MAX_KEPT);
  const { pathname, search } = new URL(url);
  const parts = `${pathname}${search}`.split(/[/?&=;]/).filter(({ length }) => length >= MIN_SECRET);
  const secrets = parts.flatMap((part) => [part, part.replace(/%[2-7][0-9a-f]/gi, asciiOf)]);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text).slice(0, MAX_KEPT);
}

/** Parses `Retry-After`, seconds or a date; returns 0 for anything else. */
function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  // Some chats send a fraction.
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Returns a reason without addresses of the service's network. */
function describeFailure(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed';
}
