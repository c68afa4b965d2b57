import { z } from 'zod';

/** SPEC section 8. It also keeps `$`, `.`, NUL and `__proto__` out of every path in the database. */
export const FIELD_KEY_PATTERN = /^[a-zA-Z][a-zA-Z0-9_]{0,50}$/;

/** Says what is wrong; `at` names the place below the value or definition, as in `0.when`. */
export type Report = (message: string, at?: string) => void;

/**
 * What the patterns of one submission may take together, in steps of the matcher: 5 to 25 ms. Linear time alone is not enough:
 * a pattern of a few characters can stand for thousands of instructions, each of them run for each character of a long text (DESIGN section 3, invariant 7).
 */
export const MAX_PATTERN_STEPS = 500_000;

/** The steps that are left for the patterns of one submission. */
export interface PatternBudget {
  steps: number;
}

/** What the patterns of one schema may compile to together, in instructions: 10 to 40 ms. */
export const MAX_PATTERN_INSTRUCTIONS = 8_000;

/** The instructions that are left for the patterns of one schema. */
export interface CompileBudget {
  instructions: number;
}

/** Checks one submitted value, reporting each problem. Compiled once per definition and called for every submission. */
export type ValueCheck = (value: unknown, report: Report, budget: PatternBudget) => void;

/** What every field definition has (SPEC 2.3). */
export interface FieldBase {
  key: string;
  label: string;
  required: boolean;
}

/**
 * A kind of field, one file each: which constraints a definition may carry (`options`), what about them makes no sense
 * (`checkDefinition`), and how a value is checked (`compile`). Nothing here knows of HTTP or of the database.
 */
export interface FieldKind<Kind extends string, Options extends z.ZodRawShape> {
  kind: Kind;
  options: Options;
  checkDefinition?(definition: z.output<z.ZodObject<Options>>, report: Report, budget: CompileBudget): void;
  compile(definition: FieldBase & z.output<z.ZodObject<Options>>): ValueCheck;
}

/** Keeps the literal types of a kind's declaration. */
export function defineKind<Kind extends string, Options extends z.ZodRawShape>(
  kind: FieldKind<Kind, Options>,
): FieldKind<Kind, Options> {
  return kind;
}

/** A count of characters or the like: a whole number from 0. */
export const Count = z.int().nonnegative();

/** Names a key in an answer without repeating text of any length or kind that a client made up. */
export function printable(key: string): string {
  return /^\w{1,51}$/.test(key) ? key : JSON.stringify(key.slice(0, 40));
}
