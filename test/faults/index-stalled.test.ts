// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { LATE_WRITE_ENDS_MS } from '../../src/platform/database/lateness.ts';
import { expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { rounds } from '../support/run/rounds.ts';
import { Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

const ROUNDS = rounds(4, 1);
const RECORDS = 4_000;
const ROUND_TIMEOUT_MS = 180_000;

const leftovers = new Leftovers();
/** Takes over from the server that is stopped. It does not wait for late writes. */
let server: TestServer;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 0 });
  proxy = await startProxy(new URL(inject('mongodbUri')));
});
afterAll(async () => {
  await leftovers.clear();
  await server.close();
  await proxy.close();
});

/** Starts a server process that reaches the database through the proxy. */
async function startStalling(): Promise<{ process: ServerProcess; url: string }> {
  const uri = new URL(inject('mongodbUri'));
  uri.port = String(proxy.port);
  uri.pathname = `/${server.database}`;
  const process = leftovers.keep(
    new ServerProcess({ MONGODB_URI: uri.href, SESSION_SECRET: 'a secret of the tests', ADMIN_PASSWORD }, [
      globalThis.process.execPath,
      'dist/server.js',
    ]),
  );
  return { process, url: await process.url() };
}

const text = (key: string, indexed: boolean): FieldDefinitionInput => ({ key, kind: 'text', indexed });
const fields = (...indexed: string[]) => ['a', 'b'].map((key) => text(key, indexed.includes(key)));
const put = (sourceAppId: string, ...indexed: string[]) =>
  server.admin.putSchema(sourceAppId, { fields: fields(...indexed) }).expect(200);

async function filledApp(...indexed: string[]): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: fields() });
  await storePeople(server, sourceAppId, RECORDS, (n) => ({ a: `a${n % 4}`, b: `b${n % 4}` }));
  // Only now: a slot that is built before the records are there has no values of them.
  if (indexed.length > 0) await put(sourceAppId, ...indexed);
  return sourceAppId;
}

/** Ends the wait for late writes, which no setting of a server process shortens. */
async function skipWait(sourceAppId: string): Promise<void> {
  const known = { 'slots.$[use].knownAt': new Date(Date.now() - LATE_WRITE_ENDS_MS) };
  await server.db
    .collection('apps')
    .updateOne(
      { sourceAppId, slots: { $exists: true } },
      { $set: known },
      { arrayFilters: [{ 'use.knownAt': { $exists: true } }] },
    );
}

/** Gives the slot, which `a` had, to `b`, and compares all records and an exact count. */
async function handOnAnd(sourceAppId: string, goOn: () => Promise<void>): Promise<void> {
  await put(sourceAppId);
  await untilReady(server, sourceAppId, []);
  await put(sourceAppId, 'b');
  const [slot] = await untilReady(server, sourceAppId, ['b']);
  expect(slot?.slot).toBe('s0');
  await goOn();
  expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
  const query = `/auth/users?sourceAppId=${sourceAppId}&where=data.b:eq:b3&total=exact`;
  const { body } = await server.admin.get(query).expect(200);
  expect(body).toMatchObject({ total: RECORDS / 4, totalIs: 'exact' });
}

describe('a server that is stopped by SIGSTOP while its write of index values is on its way', () => {
  it.each([
    ['drops', 'SIGCONT'],
    ['builds', 'SIGCONT'],
    ['drops', 'SIGKILL'],
    ['builds', 'SIGKILL'],
  ] as const)(
    `changes no value of the field that has the slot now, when it %s and gets %s (${ROUNDS} rounds)`,
    async (work, signal) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sourceAppId = await filledApp(...(work === 'drops' ? ['a'] : []));
        if (work === 'drops') await untilReady(server, sourceAppId, ['a']);
        await server.services.jobs.stop();
        const { process: stalled, url } = await startStalling();
        const held = proxy.holdNext('update', 'users');
        await put(sourceAppId, ...(work === 'drops' ? [] : ['a']));
        let forward: (() => Promise<void>) | undefined;
        while (!forward) {
          await skipWait(sourceAppId);
          forward = await Promise.race([held, sleep(200, undefined)]);
        }
        const release = forward;
        globalThis.process.kill(stalled.pid, 'SIGSTOP');
        await server.close();
        server = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 0 });
        if (work === 'builds') await untilReady(server, sourceAppId, ['a']);
        await handOnAnd(sourceAppId, async () => {
          await release();
          if (signal === 'SIGKILL') return void (await stalled.end('SIGKILL'));
          globalThis.process.kill(stalled.pid, 'SIGCONT');
          // It goes on with its work before it ends.
          await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(200);
          await stalled.end();
        });
      }
    },
    ROUND_TIMEOUT_MS * ROUNDS,
  );

  it(
    'changes no value of the field that has the slot now, when it stores a submission and is killed',
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sourceAppId = await filledApp('a');
        await untilReady(server, sourceAppId, ['a']);
        const { process: stalled, url } = await startStalling();
        const submit = () =>
          fetch(`${url}/v1/users`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-app-id': sourceAppId },
            body: JSON.stringify({ email: 'p7@x.org', data: { a: 'late' } }),
          });
        expect((await submit()).status).toBe(200);
        const held = proxy.holdNext('findAndModify', 'users');
        void submit().catch(() => undefined);
        const forward = await held;
        globalThis.process.kill(stalled.pid, 'SIGSTOP');
        await handOnAnd(sourceAppId, async () => {
          await forward();
          await stalled.end('SIGKILL');
        });
      }
    },
    ROUND_TIMEOUT_MS * ROUNDS,
  );
});
