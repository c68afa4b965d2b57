import { Kbd, Modal } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useState } from 'react';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { Palette } from './palette.tsx';
import type { PageLink } from './place.ts';
import classes from './shortcut-dialogs.module.css';
import type { ShortcutDialog } from './shortcuts.tsx';

interface ShortcutDialogsProps {
  session: Session;
  pages: readonly PageLink[];
  opened: ShortcutDialog | undefined;
  onClose: () => void;
}

/** What the keys of every page open: the palette, and the list of keys. */
export function ShortcutDialogs({ session, pages, opened, onClose }: ShortcutDialogsProps) {
  // A page that is opened takes the focus.
  const [isLeaving, setLeaving] = useState(false);
  // A dialog that opens with its first render does not know which element had the focus.
  const isMounted = useMounted();
  if (opened && isLeaving) setLeaving(false);
  return (
    <>
      <Modal
        opened={isMounted && opened === 'palette'}
        onClose={onClose}
        title={t.shell.palette.title}
        returnFocus={!isLeaving}
        centered={false}
        padding="md"
      >
        <Palette
          session={session}
          pages={pages}
          onGo={() => {
            setLeaving(true);
            onClose();
          }}
        />
      </Modal>
      <Modal opened={isMounted && opened === 'keys'} onClose={onClose} title={t.shell.keys.title}>
        <dl className={classes.keys}>
          {KEYS.map(([keys, words]) => (
            <div key={words}>
              <dt>
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </Modal>
    </>
  );
}

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : t.shell.keys.control;

const KEYS: readonly [keys: readonly string[], words: string][] = [
  [['/'], t.shell.keys.search],
  [[COMMAND, 'K'], t.shell.keys.palette],
  [['j', 'k'], t.inbox.keys],
  [['e'], t.inbox.doneKey],
  [['r'], t.inbox.reply],
  [['u'], t.inbox.back],
  [['?'], t.shell.keys.list],
  [[t.shell.keys.shift, t.shell.keys.click], t.shell.keys.range],
  [['←', '↑', '→', '↓'], t.shell.keys.cells],
];
