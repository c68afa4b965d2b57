import { Suspense, useEffect, useState } from 'react';
import { loadLater } from '../components/page/load-later.tsx';
import type { Session } from '../session/session.ts';
import type { PageLink } from './place.ts';

const dialogs = loadLater(() => import('./shortcut-dialogs.tsx').then(({ ShortcutDialogs }) => ShortcutDialogs));

export type ShortcutDialog = 'palette' | 'keys';

interface ShortcutsProps {
  session: Session;
  /** The pages that the reader can open from here. */
  pages: readonly PageLink[];
  opened: ShortcutDialog | undefined;
  onOpen: (dialog: ShortcutDialog | undefined) => void;
}

/** The keys that work on every page, unless somebody types or a dialog is open. */
export function Shortcuts({ session, pages, opened, onOpen }: ShortcutsProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (opened && !wasOpened) setWasOpened(true);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const dialog = dialogOf(event);
      const search = event.key === '/' && !hasModifier(event) ? searchOfPage() : null;
      if (!(dialog || search) || event.defaultPrevented || isTyping(event.target) || isDialogOpen()) return;
      event.preventDefault();
      if (dialog) onOpen(dialog);
      search?.focus();
      search?.select();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [onOpen]);
  if (!wasOpened) return null;
  return (
    <Suspense>
      <dialogs.Part session={session} pages={pages} opened={opened} onClose={() => onOpen(undefined)} />
    </Suspense>
  );
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey;

function dialogOf(event: KeyboardEvent): ShortcutDialog | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (key === '?' && !hasModifier(event)) return 'keys';
  return key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey ? 'palette' : undefined;
}

const searchOfPage = () => document.querySelector<HTMLInputElement>('main search input');

const isDialogOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null;

/** Whether a key belongs to the control that has the focus. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type);
  return isText || target.isContentEditable || target.matches('textarea, select, [role=menu] *');
}
