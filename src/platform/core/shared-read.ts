import { type Clock, type ClockReading, isWithin } from './clock-readings.ts';

interface Reading<Value> {
  begun: ClockReading;
  value: Value;
}

/**
 * Reads a value that callers may use for `maxAgeMs` from the begin of the read. Concurrent callers
 * share one read.
 */
export function createSharedRead<Value>(read: () => Promise<Value>, clock: Clock, maxAgeMs: number) {
  let last: Reading<Value> | undefined;
  let pending: (Pick<Reading<Value>, 'begun'> & { result: Promise<Reading<Value>> }) | undefined;

  function startRead() {
    const begun = clock();
    const started = { begun, result: read().then((value) => ({ begun, value })) };
    pending = started;
    const onSettled = (reading?: Reading<Value>): void => {
      if (pending !== started) return; // cleared meanwhile, or replaced by a later read
      pending = undefined;
      last = reading ?? last;
    };
    started.result.then(onSettled, () => onSettled());
    return started;
  }

  return {
    /** The value of the last successful read. */
    last: (): Value | undefined => last?.value,

    /** Resolves with a value whose read began at most `maxAgeMs` before `requestedAt`. */
    async asOf(requestedAt: ClockReading): Promise<Value> {
      if (last && isWithin(maxAgeMs, last.begun, requestedAt)) return last.value;
      const current = pending && isWithin(maxAgeMs, pending.begun, requestedAt) ? pending : startRead();
      return (await current.result).value;
    },

    /** Whether the last value is this one, and not too old now. */
    confirms: (value: Value): boolean =>
      last !== undefined && last.value === value && isWithin(maxAgeMs, last.begun, clock()),

    /** Discards the last read and ignores the result of a pending one. */
    clear(): void {
      last = undefined;
      pending = undefined;
    },
  };
}
