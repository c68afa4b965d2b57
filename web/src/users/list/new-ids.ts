import { useEffect, useRef, useState } from 'react';
import type { UserRecord } from '../../api/endpoints.ts';
import { isNewestFirst, type ListParameters } from './list-parameters.ts';

const NONE: ReadonlySet<string> = new Set();

/** The ids of the users that were created while the same view was open. */
export function useNewIds(users: readonly UserRecord[], parameters: ListParameters): ReadonlySet<string> {
  const view = JSON.stringify(parameters);
  const canShowNew = parameters.page === 1 && isNewestFirst(parameters);
  const seen = useRef<{ view: string; ids: Set<string> }>(undefined);
  const [newIds, setNewIds] = useState(NONE);
  useEffect(() => {
    const ids = new Set(users.map(({ id }) => id));
    const before = seen.current;
    if (before && before.view === view && canShowNew) {
      const added = users.filter(({ id }) => !before.ids.has(id)).map(({ id }) => id);
      if (added.length > 0) setNewIds(new Set(added));
      for (const id of before.ids) ids.add(id);
    } else {
      setNewIds(NONE);
    }
    seen.current = { view, ids };
  }, [users, view, canShowNew]);
  return newIds;
}
