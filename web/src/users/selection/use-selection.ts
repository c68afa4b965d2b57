import { useCallback, useMemo, useState } from 'react';

/** The most users that can be selected; the service exports as many by their ids (spec 8). */
export const MAX_SELECTED = 1_000;

type Emails = ReadonlyMap<string, string>;
interface Selectable {
  id: string;
  email: string;
}

export interface Selection {
  /** The emails of the selected users, by id. */
  emails: Emails;
  isFull: boolean;
  /** Selects users, up to the limit, or deselects them. */
  select: (users: readonly Selectable[], isSelected: boolean) => void;
  clear: () => void;
  /** Removes users that were erased. */
  remove: (ids: readonly string[]) => void;
}

const NONE: Emails = new Map();

/** The selected users of a view. Another view begins without any. */
export function useSelection(view: string): Selection {
  const [state, setState] = useState({ view, emails: NONE });
  const emails = state.view === view ? state.emails : NONE;
  const change = useCallback(
    (edit: (emails: Map<string, string>) => void) =>
      setState((before) => {
        const next = new Map(before.view === view ? before.emails : NONE);
        edit(next);
        return { view, emails: next };
      }),
    [view],
  );
  return useMemo(
    () => ({
      emails,
      isFull: emails.size >= MAX_SELECTED,
      select: (users, isSelected) =>
        change((next) => {
          for (const { id, email } of users) {
            if (!isSelected) next.delete(id);
            else if (next.size < MAX_SELECTED) next.set(id, email);
          }
        }),
      clear: () => change((next) => next.clear()),
      remove: (ids) =>
        change((next) => {
          for (const id of ids) next.delete(id);
        }),
    }),
    [emails, change],
  );
}
