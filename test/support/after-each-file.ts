import { afterAll } from 'vitest';
import { dropDatabases } from './databases.ts';

// Registered before the hooks of the file, so it runs after them.
afterAll(dropDatabases, 60_000);
