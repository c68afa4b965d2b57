/**
 * Resolves or rejects like `work` when it settles within `ms` milliseconds. Otherwise rejects with
 * `makeError()`; `work` is not cancelled, and its later result or failure is ignored.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, makeError: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(makeError()), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
