import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { printable } from '../../../src/fields/base/kind.ts';
import { code, problem, toIssues } from '../../../src/platform/languages/problems.ts';

/** Returns the problems of a value at `data.f`. */
const issuesOf = (schema: z.ZodType, value: unknown) =>
  toIssues(schema.safeParse(value).error?.issues ?? [], 'data.f', printable);

describe('the problems of a schema', () => {
  it('have the text and the code that their message names', () => {
    expect(issuesOf(z.string(code('notText')), 1)).toEqual([
      { path: 'data.f', code: 'notText', message: 'must be a string' },
    ]);
    expect(issuesOf(z.string('constructor'), 1)).toEqual([{ path: 'data.f', message: 'constructor' }]);
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
