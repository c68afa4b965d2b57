import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';

let axe: Promise<string> | undefined;

/**
 * Returns the accessibility violations of a page. Its content security policy does not apply to
 * what the protocol of the browser evaluates.
 *
 * @param rules the only rules that are checked; default: all
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const run = `axe.run(${options}).then(({ violations }) => violations)`;
  const known = await page.evaluate(`typeof axe === 'object' ? ${run} : undefined`);
  // In the same call, because the page may navigate between two.
  const violations = (known ?? (await page.evaluate(`${await axe}; ${run}`))) as AxeResults['violations'];
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Resolves when the page shows its present state: after two frames, without transitions. */
const SETTLED = `new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))).then(() => {
  const transitions = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < 5_000);
  return Promise.allSettled(transitions.map((one) => one.finished)).then(() => undefined);
})`;

/**
 * Like {@link axeViolations}, of a page in light and in dark mode. Each is named after its mode.
 * The page must follow the preference of the browser. `npm test` checks the rules that depend on
 * colours in both modes and the others in light mode; `npm run test:faults` checks all in both.
 *
 * @param checkMode is called in each mode, and fails when the page is not in it
 */
export async function axeViolationsInBothModes(
  page: Page,
  { checkMode }: { checkMode?(mode: 'light' | 'dark'): Promise<unknown> } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const mode of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: mode });
    await page.evaluate(SETTLED);
    await checkMode?.(mode);
    const rules = mode === 'dark' && !inject('thorough') ? COLOUR_RULES : undefined;
    for (const violation of await axeViolations(page, rules)) found.push(`${mode}: ${violation}`);
  }
  return found;
}
