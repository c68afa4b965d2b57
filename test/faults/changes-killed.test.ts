// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';
import { logProgress } from './service.ts';

const FAULTS = rounds(8, 2);
const RECORDS = rounds(8_000, 2_000);
const ENV = { ADMIN_PASSWORD, SESSION_SECRET: 'the session secret of the test', HOST: '127.0.0.1' };

const leftovers = new Leftovers();
/** Answers requests, and runs no jobs. */
let main: TestServer;
beforeAll(async () => {
  main = await startServer({}, undefined, FULL_LEASES);
  await main.services.jobs.stop();
});
afterAll(async () => {
  await leftovers.clear();
  await main.close();
});

function startProcess(): ServerProcess {
  const env = { MONGODB_URI: databaseUri(main.database), ...ENV };
  return leftovers.keep(new ServerProcess(env, [process.execPath, 'dist/server.js']));
}

it(`changes and restores each record once, through ${FAULTS} kills and stops of the servers (spec 4.3.6)`, async () => {
  const { sourceAppId: app } = await main.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
  await storePeople(main, app, RECORDS, (n) => ({ n }));
  let servers = [startProcess(), startProcess()];
  await Promise.all(servers.map((server) => server.url()));
  const id = await beginChange(main.admin, app, RECORDS, { set: { n: -1, note: 'x' } });

  /** Kills or stops servers in turns until the change has ended. */
  async function disturb(doneOf: (change: Awaited<ReturnType<typeof untilChange>>) => number, end: string) {
    for (let fault = 1; fault <= FAULTS; fault += 1) {
      const before = doneOf(await untilChange(main.admin, app, id, () => true));
      const now = await untilChange(main.admin, app, id, (one) => one.state === end || doneOf(one) > before);
      if (now.state === end) break;
      await sleep(Math.random() * 50);
      const [first, second] = servers as [ServerProcess, ServerProcess];
      if (fault % 2 === 0) {
        await first.end('SIGKILL');
        const next = startProcess();
        await next.url();
        servers = [second, next];
      } else {
        // Both run the job in turns: the one that does not is the next.
        process.kill(first.pid, 'SIGSTOP');
        const at = doneOf(await untilChange(main.admin, app, id, () => true));
        await untilChange(main.admin, app, id, (one) => one.state === end || doneOf(one) > at);
        process.kill(first.pid, 'SIGCONT');
        servers = [second, first];
      }
      logProgress(`fault ${fault} of ${FAULTS}, ${before} of ${RECORDS} records processed`);
    }
    return untilChange(main.admin, app, id);
  }

  const changed = await disturb(({ done }) => done, 'completed');
  expect(changed).toMatchObject({ state: 'completed', done: RECORDS, changed: RECORDS, refused: 0 });
  const users = main.db.collection('users');
  const once = { sourceAppId: app, 'data.n': -1, revision: 1, history: { $size: 1 } };
  expect(await users.countDocuments(once)).toBe(RECORDS);
  await main.admin.post(`/auth/changes/${id}/undo?sourceAppId=${app}`).expect(200);
  const undone = await disturb(({ undo }) => undo?.done ?? 0, 'undone');
  expect(undone.undo).toMatchObject({ done: RECORDS, changed: RECORDS, refused: 0, errors: [] });
  for await (const { email, data, revision } of users.find({ sourceAppId: app })) {
    expect({ email, data, revision }).toEqual({ email, data: { n: Number(email.match(/\d+/)?.[0]) }, revision: 2 });
  }
}, 600_000);
