import type { RecordId } from './record-id.ts';

/** What an event tells of a record (spec 6). */
export const EVENT_TYPES = ['user.created', 'user.updated', 'user.erased'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The most events that wait in one record. A record with as many takes no change until the relay
 * has taken them.
 */
export const MAX_OUTBOX = 1_000;

/** A change of more paths is told as a change of `data`: bounds the size of an entry. */
const MAX_PATHS = 32;

/**
 * An event of a record that has a consumer. The write that it tells of stores it in the record, so
 * that both are committed, or neither (decision 23).
 */
export interface OutboxEntry {
  /** The id of the event. It is the id of the record if the write created the record. */
  id: RecordId;
  at: Date;
  /** The paths that the write changed. */
  changed: string[];
}

/** @param keys the keys of `data` that the write changes */
export function outboxEntry(id: RecordId, at: Date, keys: readonly string[]): OutboxEntry {
  const changed = keys.length > MAX_PATHS ? ['data'] : keys.map((key) => `data.${key}`);
  return { id, at, changed };
}

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
