import type { Schema } from '../api/endpoints.ts';
import type { Draft } from './draft.ts';

/** What an admin is working on: the draft, and the version that it began from with the tag that a replacement names. */
export interface Work {
  base: { schema: Schema; etag: string };
  draft: Draft;
}

// The tab remembers it, so that leaving the page, loading it again or logging in again loses nothing.

/** Another number when the form of what is kept changes: a tab may be older than the service. */
const FORM = 1;
const keyOf = (sourceAppId: string): string => `schema draft ${FORM} of ${sourceAppId}`;

export function loadWork(sourceAppId: string): Work | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(sourceAppId));
    return text === null ? undefined : (JSON.parse(text) as Work);
  } catch {
    return undefined;
  }
}

/** @param work nothing, when there is nothing left to save */
export function storeWork(sourceAppId: string, work: Work | undefined): void {
  try {
    if (work) sessionStorage.setItem(keyOf(sourceAppId), JSON.stringify(work));
    else sessionStorage.removeItem(keyOf(sourceAppId));
  } catch {
    // Storage may be full or switched off; then the draft lives as long as the page.
  }
}
