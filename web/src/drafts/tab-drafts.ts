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

/** Whether the tab keeps a draft, also of another page than it shows. */
export function hasStoredDrafts(): boolean {
  return Object.keys(sessionStorage).some((key) => DRAFT.test(key));
}
