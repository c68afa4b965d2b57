import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

let axe: Promise<string> | undefined;

/**
 * Returns the accessibility violations of a page that was opened with `bypassCSP`.
 *
 * @param isSerious whether only serious and critical ones count
 */
export async function axeViolations(page: Page, { isSerious = false } = {}): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  const counted = violations.filter(({ impact }) => !isSerious || impact === 'serious' || impact === 'critical');
  return counted.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
