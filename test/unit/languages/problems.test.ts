import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { printable } from '../../../src/core/fields/base/kind.ts';
import { code, problem, toIssues } from '../../../src/platform/languages/problems.ts';
import { say } from '../../../src/platform/languages/reasons.ts';

/** Returns the problems of a value at `data.f`. */
const issuesOf = (schema: z.ZodType, value: unknown) =>
  toIssues(schema.safeParse(value).error?.issues ?? [], 'data.f', printable);

describe('the problems of a schema', () => {
  it('have the text and the code that their message names', () => {
    expect(issuesOf(z.string(code('notText')), 1)).toEqual([
      { path: 'data.f', code: 'notText', message: 'must be a string' },
    ]);
    expect(issuesOf(z.string('constructor'), 1)).toEqual([
      { path: 'data.f', code: 'unfit', params: { reason: 'constructor' }, message: 'constructor' },
    ]);
  });

  it('have the values that a message names', () => {
    expect(issuesOf(z.string().max(2, code('tooLong', { max: 2 })), 'abc')).toEqual([
      { path: 'data.f', code: 'tooLong', params: { max: 2 }, message: 'must have at most 2 characters' },
    ]);
  });

  it('have the text of zod where a schema has no message', () => {
    const [issue] = issuesOf(z.string(), 1);
    expect(issue).toEqual({ path: 'data.f', ...say('unfit', { reason: issue?.message ?? '' }) });
    expect(issue?.message).toMatch(/^Invalid input/);
  });

  it('have the parameters and the place that a check reports', () => {
    const schema = z.unknown().check(({ issues }) => {
      issues.push(problem('tooSmall', { min: 2 }, ['0', 'a.b']));
    });
    expect(issuesOf(schema, 1)).toEqual([
      { path: 'data.f.0."a.b"', code: 'tooSmall', params: { min: 2 }, message: 'must be at least 2' },
    ]);
  });

  it('name each unknown property, at most 20', () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key ${index}`, 1]));
    const issues = issuesOf(z.strictObject({ a: z.strictObject({}) }), { a: unknown, b: 1 });
    expect(issues).toHaveLength(20);
    expect(issues[0]).toEqual({
      path: 'data.f.a."key 0"',
      code: 'unknownProperty',
      message: 'is not a known property',
    });
  });
});
