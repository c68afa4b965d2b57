export type OutboxSignal = ReturnType<typeof createOutboxSignal>;

/**
 * Creates what tells the relay of this process that events were stored, so that it does not have to
 * look for them often. It makes no query. Nobody is told of what other processes store.
 */
export function createOutboxSignal() {
  const listeners = new Set<() => void>();
  return {
    /** Says that this process may have stored events of records. */
    notify(): void {
      for (const listener of listeners) listener();
    },

    /** Calls the listener at each `notify` from now on. */
    listen(listener: () => void): void {
      listeners.add(listener);
    },
  };
}
