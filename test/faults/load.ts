import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

const TICK_MS = 10;
/** A request without an answer is aborted after this time, and recorded with status 0. */
const GIVE_UP_MS = 10_000;
/** After `stop`, submissions with a key are repeated for this long at most. */
const MAX_REPEAT_AFTER_STOP_MS = 30_000;
/**
 * The most submissions that are active at once, those that wait for their next attempt included, as
 * seconds of the rate. While nothing is served, the writers must leave the processor to the
 * processes that restart.
 */
const MAX_ACTIVE_SECONDS = 4;
/** Spreads the submissions, so that a person gets few keys between a submission and its repeat. */
const PEOPLE = 500;

const agent = new Agent({ keepAlive: true });

/**
 * The times of the latest two turns of this event loop; each reads the answers that came before.
 */
let turns: [previous: number, latest: number] = [0, 0];
setInterval(() => {
  turns = [turns[1], performance.now()];
}, TICK_MS).unref();

/** The outcome of a request; `status` is 0 when the connection broke or no answer came. */
export interface Answer {
  status: number;
  text: string;
  ms: number;
  /** For how long this process knows that there was no answer: it reads none while it is busy. */
  waitedMs: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends one request over a keep-alive connection. Never rejects. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const end = (status: number, text = '', headers = {}): void => {
      const waitedMs = Math.max(0, turns[0] - startedAt);
      resolve({ status, text, ms: performance.now() - startedAt, waitedMs, headers });
    };
    const req = request(
      url,
      {
        method,
        agent,
        signal: AbortSignal.timeout(GIVE_UP_MS),
        headers: {
          ...headers,
          ...(json && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => end(response.statusCode ?? 0, text, response.headers));
        response.once('error', () => end(0));
      },
    );
    req.once('error', () => end(0));
    req.end(json);
  });
}

/** Submits a number as one item of the array `items` of one of `PEOPLE` persons. */
export async function submit(url: string, sourceAppId: string, number: number, key?: string): Promise<Answer> {
  return send(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'x-app-id': sourceAppId, ...(key !== undefined && { 'idempotency-key': key }) },
    body: { email: `person-${number % PEOPLE}@example.org`, data: { items: [number] } },
  });
}

/** Writers that send submissions at a constant rate, independent of the answers. */
export interface Load {
  /**
   * Ends the load. Resolves when no submission is in flight and each one with a key was
   * acknowledged or given up.
   */
  stop(): Promise<void>;
}

/**
 * Starts a load. Every second submission carries an `Idempotency-Key` and is repeated, each time to
 * the next server, until it is acknowledged. The others are sent once.
 *
 * @param urls the base URLs of the servers, used in turn
 * @param rate submissions per second
 * @param repeats when false, no submission has a key and each is sent once
 */
export function startLoad(load: {
  urls: readonly string[];
  sourceAppId: string;
  ledger: Ledger;
  rate: number;
  repeats?: boolean;
}): Load {
  const { urls, sourceAppId, ledger, rate, repeats = true } = load;
  const active = new Set<Promise<void>>();
  let giveUpAt = Number.POSITIVE_INFINITY;
  const startedAt = performance.now();
  let started = 0;

  async function write(): Promise<void> {
    const number = ledger.open();
    const key = !repeats || number % 2 === 0 ? undefined : `key-${number}`;
    for (let attempt = 0; ; attempt += 1) {
      const { status, ms, waitedMs } = await submit(
        urls[(number + attempt) % urls.length] ?? '',
        sourceAppId,
        number,
        key,
      );
      ledger.record(number, status, ms, waitedMs);
      if (status === 200 || key === undefined || performance.now() > giveUpAt) return;
      await sleep(1_000 + Math.random() * 1_000);
    }
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * rate;
    for (; started < due; started += 1) {
      if (active.size >= rate * MAX_ACTIVE_SECONDS) continue;
      const writing = write().finally(() => active.delete(writing));
      active.add(writing);
    }
  }, TICK_MS);

  return {
    async stop() {
      clearInterval(timer);
      giveUpAt = performance.now() + MAX_REPEAT_AFTER_STOP_MS;
      await Promise.all(active);
    },
  };
}

/** Repeats a request until the answer is 200; resolves with the time that took, in milliseconds. */
export async function untilServed(attempt: () => Promise<Answer>, giveUpAfterMs = 60_000): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { status, text } = await attempt();
    const elapsedMs = performance.now() - startedAt;
    if (status === 200) return elapsedMs;
    if (elapsedMs > giveUpAfterMs)
      throw new Error(`no status 200 within ${giveUpAfterMs} ms; the last answer was ${status} ${text}`);
    await sleep(50);
  }
}
