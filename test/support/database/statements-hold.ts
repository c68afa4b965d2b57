import { afterAll, afterEach, expect } from 'vitest';
import { takeExcesses } from './rights.ts';
import { takeViolations } from './shard-keys.ts';
import { takeRefusals } from './validators.ts';

/**
 * Fails the test in which a server sent a command without the shard key of its collection or one
 * that its user in production may not send, or stored a document that its schema does not declare.
 */
function expectStatements(): void {
  expect(takeViolations(), 'commands that a sharded cluster cannot send to one shard').toEqual([]);
  expect(takeExcesses(), 'commands that need more than the role readWrite').toEqual([]);
  expect(takeRefusals(), 'documents that are not as their schema declares them').toEqual([]);
}

afterEach(expectStatements);
afterAll(expectStatements);
