// @module-tag long
// @module-tag fault

import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { IMPORTED_LINES, isRunning, LONG_MS, POLL, withImportProcesses } from '../support/server/import-process.ts';
import { untilImport } from '../support/server/imports.ts';

describe('the process of imports (decision 40)', () => {
  const { start, startWithImport, imports } = withImportProcesses();

  it(
    'ends when its server is killed',
    async () => {
      const { server, pid, admin, id, sourceAppId } = await startWithImport();
      await admin.delete(`/auth/imports/${id}?sourceAppId=${sourceAppId}`).expect(200);
      // What is left of the import would start a process of the next server.
      await expect.poll(() => imports().countDocuments(), POLL).toBe(0);
      await server.end('SIGKILL');
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
    },
    LONG_MS,
  );

  it(
    'ends with its server in an orderly way, so the next server continues at once',
    async () => {
      const { server, pid, id, sourceAppId } = await startWithImport();
      expect((await server.end('SIGTERM')).code).toBe(0);
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      const stopped = await imports().findOne({ state: 'running' });
      expect(stopped?._id.toHexString()).toBe(id);
      expect(stopped).not.toHaveProperty('runner');
      const next = await start();
      const done = await untilImport(next.admin, sourceAppId, id);
      expect(done).toMatchObject({ state: 'completed', read: IMPORTED_LINES, created: IMPORTED_LINES });
      // Its process would take the imports of the tests that follow.
      await next.server.end('SIGTERM');
    },
    LONG_MS,
  );

  it(
    'ends in an orderly way when its server does not wait for it',
    async () => {
      const { server, pid, id } = await startWithImport();
      process.kill(pid, 'SIGSTOP');
      // Not `ended`: the stopped process still holds the standard error of the server.
      const exited = new Promise((resolve) => server.child.once('exit', resolve));
      server.child.kill('SIGTERM');
      expect(await exited).toBe(0);
      process.kill(pid, 'SIGCONT');
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      const stopped = await imports().findOne({ _id: new ObjectId(id) });
      expect(stopped).toMatchObject({ state: 'running' });
      expect(stopped).not.toHaveProperty('runner');
      await imports().deleteOne({ _id: new ObjectId(id) });
    },
    LONG_MS,
  );
});
