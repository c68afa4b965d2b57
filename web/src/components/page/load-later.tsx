import { type ComponentType, lazy, useEffect } from 'react';
import { ErrorBoundary } from './error-boundary.tsx';

/**
 * A component that is no part of the first page: its page loads it after itself, so that it is
 * there when it opens. A failure of that load shows only then, in its place: the page stays.
 * Browsers keep the failure, so only a reload loads the component again.
 */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Later = lazy(async () => ({ default: (await load()) as ComponentType<object> }));
  return {
    Part: (props: Props) => (
      <ErrorBoundary isPart>
        <Later {...props} />
      </ErrorBoundary>
    ),
    usePreload: () => useEffect(() => void load().catch(() => undefined), []),
  };
}
