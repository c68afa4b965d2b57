import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidInput } from '../../../src/platform/core/errors.ts';
import { parsePart } from '../../../src/platform/http/validation.ts';

/** Its `length` has no primitive value, so that a comparison with it throws. */
const unmeasurable = { length: { valueOf: 1, toString: 1 } };

const Short = z.string().min(2).max(4);
const Few = z.array(z.unknown()).min(1).max(2);

/** Returns the paths of the problems of a value. */
function pathsOf(schema: z.ZodType, value: unknown): string[] {
  try {
    parsePart(schema, value, 'invalidBody');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return (error.issues ?? []).map(({ path }) => path);
  }
}

describe('parsePart', () => {
  it.each<[where: string, schema: z.ZodType, wrap: (value: unknown) => unknown, path: string]>([
    ['a string', Short, (value) => value, ''],
    ['an exact length', z.string().length(3), (value) => value, ''],
    ['a list', Few, (value) => value, ''],
    ['an item', z.array(Short), (value) => [value], '0'],
    ['an item of a tuple', z.tuple([Short]), (value) => [value], '0'],
    ['a member', z.strictObject({ a: Short }), (a) => ({ a }), 'a'],
    ['an optional member', z.strictObject({ a: Short.trim().optional() }), (a) => ({ a }), 'a'],
    ['a member with a default', z.strictObject({ a: Few.default([]) }), (a) => ({ a }), 'a'],
    ['a nullable member', z.strictObject({ a: Short.nullable() }), (a) => ({ a }), 'a'],
    ['a member of a record', z.record(z.string(), Short), (a) => ({ a }), 'a'],
    ['another member', z.object({}).catchall(Short), (a) => ({ a }), 'a'],
    ['a transformed value', Short.transform((text) => text.length), (value) => value, ''],
    ['a refined object', z.object({ a: Short }).refine(() => true), (a) => ({ a }), 'a'],
    ['a lazy schema', z.lazy(() => Short), (value) => value, ''],
    ['an option', z.union([z.strictObject({ a: Short }), z.strictObject({ b: Short })]), (a) => ({ a }), ''],
    [
      'an option with a kind',
      z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('x'), a: Short })]),
      (a) => ({ kind: 'x', a }),
      'a',
    ],
  ])('reports an object with a length as it does a wrong type: %s', (_where, schema, wrap, path) => {
    expect(pathsOf(schema, wrap(unmeasurable))).toEqual([path]);
    expect(pathsOf(schema, wrap({ length: 100 }))).toEqual([path]);
    expect(pathsOf(schema, wrap(true))).toEqual([path]);
  });

  it('accepts an object with a length where objects are allowed', () => {
    expect(parsePart(z.union([Short, z.looseObject({})]), unmeasurable, 'invalidBody')).toEqual(unmeasurable);
  });

  it('still reports lengths, also of a list with a wrong item', () => {
    expect(pathsOf(Short, 'a')).toEqual(['']);
    expect(pathsOf(Short, 'abcde')).toEqual(['']);
    expect(pathsOf(z.array(Short).min(3), ['a', 'abc'])).toEqual(['0', '']);
  });
});
