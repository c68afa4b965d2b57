/** Waits for room. */
interface Waiting {
  owner: string;
  bytes: number;
  admit(): void;
}

/** Room that somebody has. */
export interface Share {
  /** Changes its size, also beyond what is free. */
  resize(bytes: number): void;
  /** Gives it back. */
  release(): void;
}

export type Room = ReturnType<typeof createRoom>;

/**
 * Bounds the bytes that are in memory at the same time. Whoever wants more than is free waits in
 * line, but an owner that has nothing is always admitted: so no owner waits for another one.
 *
 * @param max bytes
 */
export function createRoom(max: number) {
  const held = new Map<string, number>();
  const line = new Set<Waiting>();
  let total = 0;

  const fits = ({ owner, bytes }: Waiting): boolean => !held.has(owner) || total + bytes <= max;

  function change(owner: string, bytes: number): void {
    const next = (held.get(owner) ?? 0) + bytes;
    total += bytes;
    if (next === 0) held.delete(owner);
    else held.set(owner, next);
  }

  function admitNext(): void {
    for (const waiting of line) if (fits(waiting)) waiting.admit();
  }

  return {
    /** Resolves with a share when there is room; with undefined when `stop` is aborted. */
    async enter(owner: string, bytes: number, stop: AbortSignal): Promise<Share | undefined> {
      if (stop.aborted) return undefined;
      const admitted = await new Promise<boolean>((resolve) => {
        const end = (isAdmitted: boolean): void => {
          line.delete(waiting);
          stop.removeEventListener('abort', abort);
          if (isAdmitted) change(owner, bytes);
          resolve(isAdmitted);
        };
        const abort = (): void => end(false);
        const waiting: Waiting = { owner, bytes, admit: () => end(true) };
        if (fits(waiting)) return end(true);
        line.add(waiting);
        stop.addEventListener('abort', abort);
      });
      if (!admitted) return undefined;
      let size = bytes;
      const resize = (next: number): void => {
        change(owner, next - size);
        size = next;
        admitNext();
      };
      return { resize, release: () => resize(0) };
    },
  };
}
