/**
 * Creates an accumulator of repeated events. It merges the values of a key in memory and writes
 * those of all keys together, after `everyMs`. A crash loses what is not written.
 *
 * @param deps.merge returns one value for two of the same key, in any order
 * @param deps.write stores the values; those of a failed write are part of the next one
 * @param deps.max the most keys in memory
 */
export function createAccumulator<Value>(deps: {
  everyMs: number;
  max?: number;
  merge(one: Value, other: Value): Value;
  write(values: [key: string, value: Value][]): Promise<unknown>;
}) {
  const { everyMs, max = Number.POSITIVE_INFINITY, merge, write } = deps;
  let pending = new Map<string, Value>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writePending(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const values = [...pending];
    if (values.length === 0) return;
    pending = new Map();
    try {
      await write(values);
    } catch (error) {
      for (const [key, value] of values) add(key, value);
      throw error;
    }
  }

  /** Adds a value. Returns false, and does not add it, when there are too many other keys. */
  function add(key: string, value: Value): boolean {
    const known = pending.get(key);
    if (known === undefined && pending.size >= max) return false;
    pending.set(key, known === undefined ? value : merge(known, value));
    timer ??= setTimeout(() => void flush().catch(() => undefined), everyMs).unref();
    return true;
  }

  /**
   * Resolves when everything added before the call is stored; rejects with the error of `write`.
   */
  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(writePending);
    return writing;
  }

  return { add, flush };
}
