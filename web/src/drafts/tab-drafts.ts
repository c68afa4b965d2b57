import { useEffect } from 'react';

/** The drafts of one form, one for each app. */
interface TabDrafts<State> {
  load(sourceAppId: string): State | undefined;
  /** @param state `undefined` removes the stored draft */
  store(sourceAppId: string, state: State | undefined): void;
}

/**
 * Keeps drafts in the tab's session storage, so that they survive navigation, reloads and log-ins.
 * @param formatVersion increases with the stored shape: a tab can be older than the service
 */
export function tabDrafts<State>(name: string, formatVersion: number): TabDrafts<State> {
  const keyOf = (sourceAppId: string): string => `${name} draft ${formatVersion} of ${sourceAppId}`;
  return {
    load(sourceAppId) {
      try {
        const text = sessionStorage.getItem(keyOf(sourceAppId));
        return text === null ? undefined : (JSON.parse(text) as State);
      } catch {
        return undefined;
      }
    },
    store(sourceAppId, state) {
      try {
        if (state) sessionStorage.setItem(keyOf(sourceAppId), JSON.stringify(state));
        else sessionStorage.removeItem(keyOf(sourceAppId));
      } catch {
        // Storage can be full or disabled. The draft then lasts until the page is closed.
      }
    },
  };
}

const DRAFT = / draft \d+ of /;

/** Asks before a tab with stored drafts is closed, also when it shows another page. */
export function warnOfDrafts(): void {
  window.addEventListener('beforeunload', (event) => {
    if (Object.keys(sessionStorage).some((key) => DRAFT.test(key))) event.preventDefault();
  });
}

/** Asks before a page with unsaved changes is closed. */
export function useWarningBeforeUnload(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);
}
