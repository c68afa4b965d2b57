/** The large bodies in flight, over all webhooks and of one of them, in bytes. */
export const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_BYTES_OF_ONE = 8 * 1024 * 1024;

/** A part of the budget. */
export interface Room {
  /** Replaces the size that was asked for, when the real one is known. */
  resize(bytes: number): void;
  release(): void;
}

interface Waiter {
  owner: string;
  bytes: number;
  resolve(room: Room): void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/**
 * Bounds the bytes of bodies in flight to {@link MAX_BYTES}. Of those that wait, the one goes next
 * whose owner has the fewest bytes in flight, so that no owner keeps the others waiting. Each owner
 * has {@link MAX_BYTES_OF_ONE}. A body that is larger than a bound goes when its owner, or nobody,
 * has another one in flight.
 */
export function createBodyBudget() {
  let used = 0;
  const held = new Map<string, number>();
  const waiting: Waiter[] = [];

  const heldBy = (owner: string): number => held.get(owner) ?? 0;

  function add(owner: string, bytes: number): void {
    used += bytes;
    const sum = heldBy(owner) + bytes;
    if (sum > 0) held.set(owner, sum);
    else held.delete(owner);
  }

  function next(): Waiter | undefined {
    const own = waiting.filter(({ owner, bytes }) => {
      const before = heldBy(owner);
      return before === 0 || before + bytes <= MAX_BYTES_OF_ONE;
    });
    const [first, ...rest] = own;
    // The earliest of those with the fewest bytes.
    return first && rest.reduce((best, one) => (heldBy(one.owner) < heldBy(best.owner) ? one : best), first);
  }

  function grant(): void {
    for (let one = next(); one && (used === 0 || used + one.bytes <= MAX_BYTES); one = next()) {
      waiting.splice(waiting.indexOf(one), 1);
      add(one.owner, one.bytes);
      one.resolve(roomOf(one.owner, one.bytes));
    }
  }

  function roomOf(owner: string, bytes: number): Room {
    let current = bytes;
    function resize(next: number): void {
      add(owner, next - current);
      current = next;
      grant();
    }
    return { resize, release: () => resize(0) };
  }

  return {
    /** Resolves with room for a body of that size, when there is some. */
    take: (owner: string, bytes: number): Promise<Room> =>
      new Promise((resolve) => {
        waiting.push({ owner, bytes, resolve });
        grant();
      }),
  };
}
