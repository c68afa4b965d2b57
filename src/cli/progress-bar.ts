const WIDTH = 30;

/** Where a bar is drawn: a terminal, or something else that gets none. */
interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows how far a file is read, in one line of a terminal. Nothing is written elsewhere. */
export function createProgressBar(output: Output) {
  const startedAt = performance.now();
  let isShown = false;
  return {
    /** @param part from 0 to 1 */
    show(part: number, lines: number): void {
      if (!output.isTTY) return;
      isShown = true;
      const done = Math.round(Math.min(1, part) * WIDTH);
      const rate = Math.round(lines / Math.max(0.001, (performance.now() - startedAt) / 1_000));
      const bar = '#'.repeat(done).padEnd(WIDTH, '.');
      output.write(`\r[${bar}] ${Math.floor(part * 100)} %, ${lines} lines, ${rate} a second \u001b[K`);
    },

    end(): void {
      if (isShown) output.write('\n');
    },
  };
}
