// @module-tag long
// @module-tag fault

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEADLINE_MS } from '../../src/platform/http/deadline.ts';
import { rounds } from '../support/run/rounds.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

// Attack: a flood of log-ins with made-up app ids fills the hashing queue and locks everybody out.

const FAILURES = 5;
/** Long enough to fill the hashing queue if the flood is not refused. */
const WARM_UP_MS = 2_500;
const ROUNDS = rounds(3, 1);
/** Enough clients that their total wait exceeds the time limit of a request if all are queued. */
const CLIENTS = 80;
const PAUSE_MS = 1_500;

let server: TestServer;
let operator: TestApp;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1', RATE_LIMIT_LOGIN: String(FAILURES) }, undefined, {
    deadlineMs: DEADLINE_MS,
    passwordCost: await slowCost(),
  });
  operator = await server.admin.buildApp();
});
afterAll(() => server.close());

/**
 * Returns a bcrypt cost at which two concurrent hashes take 100 to 200 ms, as the default cost does
 * on an idle machine. On a busy machine the default cost takes seconds and every log-in would
 * exceed its time limit.
 */
async function slowCost(): Promise<number> {
  const cheap = 8;
  const startedAt = performance.now();
  for (let run = 0; run < 3; run += 1) await Promise.all([bcrypt.hash('x', cheap), bcrypt.hash('x', cheap)]);
  const runMs = (performance.now() - startedAt) / 3;
  return Math.min(12, Math.max(cheap, cheap + Math.floor(Math.log2(200 / runMs))));
}

/** The source of a request: an address of this machine, or one that the trusted proxy reports. */
type Source = { localAddress: string } | { forwardedFor: string };

/** Sends one log-in on a new connection; resolves with the response status. */
function logIn(credentials: TestApp, from: Source): Promise<number> {
  const agent = new Agent('localAddress' in from ? from : {});
  const headers = {
    'Content-Type': 'application/json',
    ...('forwardedFor' in from && { 'X-Forwarded-For': from.forwardedFor }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.listener.url}/auth/login`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        agent.destroy();
        resolve(response.statusCode ?? 0);
      });
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(credentials));
  });
}

/**
 * Runs `meanwhile` during a flood of log-ins with made-up app ids. Each of the clients waits
 * `PAUSE_MS` between log-ins. Resolves with the response statuses of the flood.
 */
async function flood(from: (index: number) => Source, meanwhile: (statuses: number[]) => Promise<void>) {
  const statuses: number[] = [];
  let isOver = false;
  let sent = 0;
  const attack = async (): Promise<void> => {
    while (!isOver) {
      sent += 1;
      statuses.push(await logIn({ sourceAppId: `made-up-${sent}`, password: 'guess' }, from(sent)));
      await sleep(PAUSE_MS);
    }
  };
  const attacks = Promise.allSettled(Array.from({ length: CLIENTS }, attack));
  try {
    await sleep(WARM_UP_MS);
    await meanwhile(statuses);
  } finally {
    isOver = true;
    await attacks;
  }
  return statuses;
}

// The timeout includes a margin for a busy machine.
describe('a flood of log-ins with made-up app ids', { timeout: 90_000 }, () => {
  const fromManyNetworks = (index: number) => ({ forwardedFor: `198.51.100.${index % 200}` });

  it('from one address does not affect other addresses and is refused before hashing', async () => {
    const [known, other] = [{ localAddress: '127.0.0.2' }, { localAddress: '127.0.0.3' }];
    expect(await logIn(operator, known)).toBe(200);
    const statuses = await flood(
      () => ({ localAddress: '127.0.0.9' }),
      async (answered) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          expect(await logIn(operator, known)).toBe(200);
          await sleep(500);
        }
        await expect.poll(() => answered.includes(429)).toBe(true);
        // Includes the first log-in from an unknown address.
        expect(await logIn(operator, other)).toBe(200);
      },
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(3 * FAILURES);
    for (const status of statuses) expect([401, 429, 503]).toContain(status);
  });

  it('from 200 networks does not affect networks that logged in before', async () => {
    const known = { forwardedFor: '203.0.113.1' };
    expect(await logIn(operator, known)).toBe(200);
    const statuses = await flood(fromManyNetworks, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        expect(await logIn(operator, known)).toBe(200);
        await sleep(500);
      }
    });
    // The flood exceeded the capacity of the service.
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(ROUNDS);
  });

  it('does not delay the creation of apps, and every returned password logs in', async () => {
    const known = { forwardedFor: '203.0.113.1' };
    expect(await logIn(operator, known)).toBe(200);
    await flood(fromManyNetworks, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const app = await server.admin.buildApp();
        expect(await logIn(app, known)).toBe(200);
      }
    });
  });
});
