import { type ComponentType, lazy, useEffect } from 'react';

/**
 * A component that is no part of the first page: its page loads it after itself, so that it is
 * there when it opens. A failure of that load shows only then.
 */
export function loadLater<Props>(load: () => Promise<ComponentType<Props>>) {
  return {
    Part: lazy(async () => ({ default: await load() })),
    usePreload: () => useEffect(() => void load().catch(() => undefined), []),
  };
}
