import { useEffect } from 'react';
import { t } from '../texts/first-texts.ts';
import { hasStoredDrafts } from './tab-drafts.ts';

/** Whether a page loses something. @param to the page of the dashboard that replaces it, if any */
type IsUnsaved = (to?: URL) => boolean;

const shown = new Set<IsUnsaved>();
/** Whether the next page was announced, with what it loses. */
let isAnnounced = false;

/**
 * Asks before Back, Forward, a link or the end of the tab loses something that was typed. Back and
 * links within the dashboard: in browsers with the Navigation API.
 */
export function askBeforeLeaving(): void {
  window.addEventListener('beforeunload', (event) => {
    if (isAnnounced) isAnnounced = false;
    else if (hasStoredDrafts() || [...shown].some((isUnsaved) => isUnsaved())) event.preventDefault();
  });
  if (!('navigation' in window)) return;
  navigation.addEventListener('navigate', (event) => {
    // Another document: the listener above asks.
    if (!event.cancelable || !event.destination.sameDocument) return;
    const to = new URL(event.destination.url);
    if (to.pathname === window.location.pathname || ![...shown].some((isUnsaved) => isUnsaved(to))) return;
    if (!window.confirm(t.components.leavePage)) event.preventDefault();
  });
}

/** Lets a link leave the dashboard without a question: the page said that changes are lost. */
export function leaveAnnounced(): void {
  isAnnounced = true;
}

/** Asks before a page is left, in each way, while `isUnsaved` returns true. */
export function useUnsaved(isUnsaved: IsUnsaved): void {
  useEffect(() => {
    shown.add(isUnsaved);
    return () => {
      shown.delete(isUnsaved);
    };
  });
}
