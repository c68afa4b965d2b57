import { afterAll, afterEach, expect } from 'vitest';
import { takeViolations } from './shard-keys.ts';

/** Fails the test in which a server sent a command without the shard key of its collection. */
function expectShardKeys(): void {
  expect(takeViolations(), 'commands that a sharded cluster cannot send to one shard').toEqual([]);
}

afterEach(expectShardKeys);
afterAll(expectShardKeys);
