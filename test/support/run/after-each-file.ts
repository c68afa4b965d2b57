import { afterAll, afterEach } from 'vitest';
import { printOpenPages } from '../browser/open-pages.ts';
import { endDatabases } from '../database/databases.ts';

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await printOpenPages(task.name);
});
// Registered before the hooks of the file, so it runs after them.
afterAll(endDatabases, 60_000);
