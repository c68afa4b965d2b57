/**
 * The steps of the matcher that the patterns of one submission may take together: 5 to 25 ms.
 * Linear time alone does not bound the cost: a pattern of a few characters can compile to thousands
 * of instructions, and each of them may run for each character of the text (docs/architecture.md,
 * invariant 7; docs/decisions/0008-regex-budget.md).
 */
export const MAX_PATTERN_STEPS = 500_000;

/** The remaining matcher steps of one submission. */
export interface PatternBudget {
  steps: number;
}

/** The instructions that the patterns of one schema may compile to together: 10 to 40 ms. */
export const MAX_PATTERN_INSTRUCTIONS = 8_000;

/** The remaining instructions of one schema. */
export interface CompileBudget {
  instructions: number;
}
