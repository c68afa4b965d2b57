import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { createPublicLookup, isAllowedHost, PrivateAddress } from './public-address.ts';
import { parseRetryAfter } from './retry-schedule.ts';

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
        const reason = attempt.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
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

/** A reason without addresses of the service's network. */
function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddress || error instanceof PlainHttp) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed';
}
