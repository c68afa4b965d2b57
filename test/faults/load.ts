import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

const TICK_MS = 10;
/** A client that waits longer than this has given up; by then it counts as hung long since. */
const GIVE_UP_MS = 10_000;
/** How long writers go on repeating what has a key when the load has ended. */
const LAST_REPEATS_MS = 30_000;
/** The most submissions that are under way at once, waits between repeats included: while nothing is served, writers must not take the machine from what starts again. */
const MAX_UNDER_WAY = 1_000;
/** Enough that repeats of one person stay within the keys that a record remembers (20). */
const PEOPLE = 500;

const agent = new Agent({ keepAlive: true });

/** An answer as a writer sees it; `status` 0 when the connection broke or nothing came. */
export interface Answer {
  status: number;
  text: string;
  ms: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends one request on a kept connection. Never rejects. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const begun = performance.now();
  return new Promise((done) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const end = (status: number, text = '', answered = {}): void =>
      done({ status, text, ms: performance.now() - begun, headers: answered });
    const sent = request(
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
    sent.once('error', () => end(0));
    sent.end(json);
  });
}

/** Submits the number as one item of its person's array `items`. */
export async function submit(url: string, sourceAppId: string, number: number, key?: string): Promise<Answer> {
  return send(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'x-app-id': sourceAppId, ...(key !== undefined && { 'idempotency-key': key }) },
    body: { email: `person-${number % PEOPLE}@example.org`, data: { items: [number] } },
  });
}

/** Writers that send submissions at a steady rate, whatever becomes of them. */
export interface Load {
  /** Ends the load; resolves when nothing is in flight any more and what has a key was acknowledged. */
  stop(): Promise<void>;
}

/**
 * Every second submission carries an `Idempotency-Key`, and is sent again, to the next server, until it is acknowledged. The others are sent once.
 *
 * @param urls the servers, in turn
 * @param rate submissions a second
 * @param repeats false: none has a key, and each is sent once
 */
export function startLoad(load: {
  urls: readonly string[];
  sourceAppId: string;
  ledger: Ledger;
  rate: number;
  repeats?: boolean;
}): Load {
  const { urls, sourceAppId, ledger, rate, repeats = true } = load;
  const running = new Set<Promise<void>>();
  let giveUpAt = Number.POSITIVE_INFINITY;
  const begun = performance.now();
  let sent = 0;

  async function write(): Promise<void> {
    const number = ledger.open();
    const key = !repeats || number % 2 === 0 ? undefined : `key-${number}`;
    for (let attempt = 0; ; attempt += 1) {
      const { status, ms } = await submit(urls[(number + attempt) % urls.length] ?? '', sourceAppId, number, key);
      ledger.note(number, status, ms);
      if (status === 200 || key === undefined || performance.now() > giveUpAt) return;
      await sleep(1_000 + Math.random() * 1_000);
    }
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * rate;
    for (; sent < due; sent += 1) {
      if (running.size >= MAX_UNDER_WAY) continue;
      const writing = write().finally(() => running.delete(writing));
      running.add(writing);
    }
  }, TICK_MS);

  return {
    async stop() {
      clearInterval(timer);
      giveUpAt = performance.now() + LAST_REPEATS_MS;
      await Promise.all(running);
    },
  };
}

/** Asks again and again until the answer is 200; resolves with how long that took, in milliseconds. */
export async function untilServed(ask: () => Promise<Answer>, giveUpAfterMs = 60_000): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const { status, text } = await ask();
    const passed = performance.now() - begun;
    if (status === 200) return passed;
    if (passed > giveUpAfterMs)
      throw new Error(`not served for ${giveUpAfterMs} ms; the last answer was ${status} ${text}`);
    await sleep(50);
  }
}
