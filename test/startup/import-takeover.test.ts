// @module-tag long
// @module-tag fault

import { describe, expect, it } from 'vitest';
import {
  IMPORTED_LINES,
  isRunning,
  LONG_MS,
  POLL,
  processesOf,
  withImportProcesses,
} from '../support/server/import-process.ts';
import { untilImport } from '../support/server/imports.ts';

/** An import of so many takes longer than three seconds. */
const MANY_LINES = 40_000;
const ERASED = 7;

describe('one import on two servers (decision 40)', () => {
  const { start, startWithImport, users } = withImportProcesses();

  it(
    'a process that was stopped while another one took its import over writes nothing when it continues',
    async () => {
      const { server, sourceAppId, id, pid } = await startWithImport();
      process.kill(pid, 'SIGSTOP');
      const { server: next, admin } = await start();
      const { read } = await untilImport(admin, sourceAppId, id, () => true);
      // Nobody knows how far the process was when it stopped.
      const erased = Array.from({ length: ERASED }, (_, index) => `p${read + index * 50}@example.com`);
      await Promise.all(
        erased.map((email) =>
          admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email, suppress: true }).expect(200),
        ),
      );
      const done = await untilImport(admin, sourceAppId, id);
      process.kill(pid, 'SIGCONT');
      expect((await server.end('SIGTERM')).code).toBe(0);
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      expect(done).toMatchObject({ state: 'completed', read: IMPORTED_LINES, created: IMPORTED_LINES - done.rejected });
      expect(await users().countDocuments({ sourceAppId })).toBe(IMPORTED_LINES - ERASED);
      expect(await users().countDocuments({ sourceAppId, email: { $in: erased } })).toBe(0);
      await next.end('SIGTERM');
    },
    LONG_MS,
  );

  it(
    'the process of imports runs for one of two servers at a time',
    async () => {
      const [{ server }, other] = [await startWithImport(MANY_LINES), await start()];
      for (let look = 0; look < 3; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(processesOf(other.server)).toEqual([]);
      }
      expect(processesOf(server)).toHaveLength(1);
    },
    LONG_MS,
  );
});
