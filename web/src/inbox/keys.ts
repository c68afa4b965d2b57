import { useEffect } from 'react';

/** What the keys of the inbox do. */
interface InboxKeys {
  e: (() => void) | undefined;
  j: (() => void) | undefined;
  k: (() => void) | undefined;
  r: (() => void) | undefined;
  u: (() => void) | undefined;
}

/** Listens to single letters, unless somebody types, holds a modifier, or a dialog is open. */
export function useInboxKeys(keys: InboxKeys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], [role=menu] *'))
        return;
      if (document.querySelector('[aria-modal="true"]')) return;
      const act = key in keys ? keys[key as keyof InboxKeys] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
