import type { Page } from 'playwright-core';

/** The pages of visits that are open in this worker, by the key of their options. */
export const openPages = new Map<Page, string>();

/** Prints what the open pages show: a wait that timed out says only what it waited for. */
export async function printOpenPages(test: string): Promise<void> {
  for (const page of openPages.keys()) {
    const text = await page.innerText('body', { timeout: 2_000 }).catch(({ message }: Error) => message);
    process.stderr.write(`\n${test}: ${page.url()} shows:\n${text.replace(/\s*\n\s*/g, '\n')}\n`);
  }
}
