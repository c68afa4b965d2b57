import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

// Item 11 of the hardening: log-ins with made-up app ids kept everybody out.

const FAILURES = 5;
/** As long as the requests before wait, so that a queue that is too long is full. */
const WARM_UP_MS = 2_500;
const ROUNDS = 3;
/** Together they wait for longer than a request may take, if all of them may wait. */
const CLIENTS = 80;
const PAUSE_MS = 1_500;

let server: TestServer;
let operator: TestApp;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1', RATE_LIMIT_LOGIN: String(FAILURES) }, undefined, {
    passwordCost: await slowCost(),
  });
  operator = await server.admin.buildApp();
});
afterAll(() => server.close());

/**
 * A cost with which two hashes at once take 100 to 200 ms. The service's own cost takes as long on a
 * machine that does nothing else; on a busy one it takes seconds, and no log-in would be in time.
 */
async function slowCost(): Promise<number> {
  const cheap = 8;
  const begun = performance.now();
  for (let run = 0; run < 3; run += 1) await Promise.all([bcrypt.hash('x', cheap), bcrypt.hash('x', cheap)]);
  const runMs = (performance.now() - begun) / 3;
  return Math.min(12, Math.max(cheap, cheap + Math.floor(Math.log2(200 / runMs))));
}

/** Where a request comes from: an address of this machine, or one that the proxy in front saw. */
type From = { localAddress: string } | { forwardedFor: string };

/** One log-in on a connection of its own; resolves with its status. */
function logIn(credentials: TestApp, from: From): Promise<number> {
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
 * Many clients send log-ins with made-up app ids while `meanwhile` runs, each a pause after its
 * last answer. Resolves with what they got.
 */
async function flooded(from: (index: number) => From, meanwhile: (statuses: number[]) => Promise<void>) {
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

// A busy machine takes longer.
describe('a flood of log-ins with made-up app ids', { timeout: 90_000 }, () => {
  const fromManyNetworks = (index: number) => ({ forwardedFor: `198.51.100.${index % 200}` });

  it('from one address keeps nobody else out, and is refused before hashing', async () => {
    const [known, other] = [{ localAddress: '127.0.0.2' }, { localAddress: '127.0.0.3' }];
    expect(await logIn(operator, known)).toBe(200);
    const statuses = await flooded(
      () => ({ localAddress: '127.0.0.9' }),
      async (answered) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          expect(await logIn(operator, known)).toBe(200);
          await sleep(500);
        }
        await expect.poll(() => answered.includes(429), { timeout: 10_000 }).toBe(true);
        // Also the first log-in from an address that the service has not seen before.
        expect(await logIn(operator, other)).toBe(200);
      },
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(3 * FAILURES);
    for (const status of statuses) expect([401, 429, 503]).toContain(status);
  });

  it('from 200 networks keeps out nobody whose network logged in before', async () => {
    const known = { forwardedFor: '203.0.113.1' };
    expect(await logIn(operator, known)).toBe(200);
    const statuses = await flooded(fromManyNetworks, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        expect(await logIn(operator, known)).toBe(200);
        await sleep(500);
      }
    });
    // The flood was one: there was no time for all of it.
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(ROUNDS);
  });

  it('does not hold up the creation of apps, and each password that was told works', async () => {
    const known = { forwardedFor: '203.0.113.1' };
    expect(await logIn(operator, known)).toBe(200);
    await flooded(fromManyNetworks, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const app = await server.admin.buildApp();
        expect(await logIn(app, known)).toBe(200);
      }
    });
  });
});
