import { afterAll, afterEach } from 'vitest';
import { endDatabases } from './databases.ts';
import { printOpenPages } from './open-pages.ts';

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await printOpenPages(task.name);
});
// Registered before the hooks of the file, so it runs after them.
afterAll(endDatabases, 60_000);
