// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { beginUndo, runImport, untilImport } from '../support/server/imports.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';
import { logProgress } from './service.ts';

const FAULTS = rounds(12, 3);
const CHANGED = rounds(4_000, 1_000);
const CREATED = CHANGED;
/** Of the created ones: changed after the import. */
const KEPT = 100;
const ALL = CHANGED + CREATED;
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

it(`undoes an import once in each record, through ${FAULTS} kills and stops of the servers (spec 4.7)`, async () => {
  const { sourceAppId: app } = await main.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
  await storePeople(main, app, CHANGED, (n) => ({ n }));
  let servers = [startProcess(), startProcess()];
  await Promise.all(servers.map((server) => server.url()));
  const lines = Array.from({ length: ALL }, (_, n) => `p${n}@x.org,${n + ALL}`);
  const { id } = await runImport(main.admin, app, `email,n\n${lines.join('\n')}\n`);
  const users = main.db.collection('users');
  const touched = users.find({ sourceAppId: app, 'import.result': 'created' }).limit(KEPT);
  for await (const { _id } of touched) await users.updateOne({ _id }, { $set: { 'data.note': 'x' } });

  await beginUndo(main.admin, app, id);
  const now = (isReached: (done: number, state: string) => boolean) =>
    untilImport(main.admin, app, id, ({ undo }) => isReached(undo?.done ?? 0, undo?.state ?? ''));
  for (let fault = 1; fault <= FAULTS; fault += 1) {
    const before = (await now(() => true)).undo?.done ?? 0;
    const { undo } = await now((done, state) => state === 'completed' || done > before);
    if (undo?.state === 'completed') break;
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
      const at = (await now(() => true)).undo?.done ?? 0;
      await now((done, state) => state === 'completed' || done > at);
      process.kill(first.pid, 'SIGCONT');
      servers = [second, first];
    }
    logProgress(`fault ${fault} of ${FAULTS}, ${before} of ${ALL} records processed`);
  }
  const { undo } = await now((_, state) => state === 'completed');
  expect(undo).toEqual({ state: 'completed', done: ALL, restored: CHANGED, erased: CREATED - KEPT, kept: KEPT });
  expect(await users.countDocuments({ sourceAppId: app })).toBe(CHANGED + KEPT);
  expect(await users.countDocuments({ sourceAppId: app, 'data.note': 'x' })).toBe(KEPT);
  for await (const { email, data, revision } of users.find({ sourceAppId: app, 'data.note': { $exists: false } })) {
    expect({ email, data, revision }).toEqual({ email, data: { n: Number(email.match(/\d+/)?.[0]) }, revision: 2 });
  }
}, 900_000);
