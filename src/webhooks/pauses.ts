/** The first pause. Each further one is twice as long. */
const SHORTEST_MS = 15;
/**
 * The longest pause: an event that another server stored waits for at most this time. A longer one
 * would save little, because each server reads once a second which jobs are due.
 */
const LONGEST_MS = 500;

export type Pauses = ReturnType<typeof createPauses>;

/**
 * Creates the pauses of a loop between its looks for work. They grow while it finds none.
 *
 * @param leastMs a wake does not end a pause before this time, so that one look finds all that
 *   arrives within it
 */
export function createPauses(leastMs = 0) {
  let nextMs = SHORTEST_MS;
  let isWoken = false;
  let shorten = (): void => undefined;

  return {
    /** Says that there may be work: ends the pause in progress, otherwise the next one. */
    wake(): void {
      if (isWoken) return;
      isWoken = true;
      shorten();
    },

    /** Says that work was found: the next pause is the shortest one. */
    reset(): void {
      nextMs = SHORTEST_MS;
    },

    /** Resolves after the next pause, of at most `mostMs`. It ends when `signal` aborts. */
    rest(mostMs: number, signal: AbortSignal): Promise<void> {
      const ms = Math.min(nextMs, mostMs);
      const begunAt = performance.now();
      nextMs = Math.min(nextMs * 2, LONGEST_MS);
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          shorten = () => undefined;
          if (isWoken) nextMs = SHORTEST_MS;
          isWoken = false;
          resolve();
        };
        const endAfter = (wantedMs: number): void => {
          clearTimeout(timer);
          const leftMs = begunAt + Math.min(wantedMs, ms) - performance.now();
          if (leftMs <= 0 || signal.aborted) end();
          else timer = setTimeout(end, leftMs);
        };
        signal.addEventListener('abort', end);
        shorten = () => endAfter(leastMs);
        endAfter(isWoken ? leastMs : ms);
      });
    },
  };
}
