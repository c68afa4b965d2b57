import type { Schema } from '../api/endpoints.ts';
import type { Draft } from './draft.ts';

/** A draft with the schema version that it is based on and the ETag of that version. */
export interface DraftState {
  base: { schema: Schema; etag: string };
  draft: Draft;
}

// Drafts are kept in the tab's session storage, so that they survive navigation, reloads and
// logins.

/** Increased when the stored shape changes, because a tab can be older than the service. */
const FORMAT_VERSION = 2;
const keyOf = (sourceAppId: string): string => `schema draft ${FORMAT_VERSION} of ${sourceAppId}`;

export function loadDraft(sourceAppId: string): DraftState | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(sourceAppId));
    return text === null ? undefined : (JSON.parse(text) as DraftState);
  } catch {
    return undefined;
  }
}

/** @param state `undefined` removes the stored draft */
export function storeDraft(sourceAppId: string, state: DraftState | undefined): void {
  try {
    if (state) sessionStorage.setItem(keyOf(sourceAppId), JSON.stringify(state));
    else sessionStorage.removeItem(keyOf(sourceAppId));
  } catch {
    // Storage can be full or disabled. The draft then lasts until the page is closed.
  }
}
