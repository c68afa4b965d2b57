import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { t } from '../../texts/first-texts.ts';

/** How long a notice with a button stays. */
const NOTICE_MS = 12_000;

/** The id of the last notice. */
let last = '';

interface UndoNotice {
  title: string;
  text: string;
  /** It tells of its own failure. */
  undo: () => Promise<void>;
}

/**
 * Tells of a change, with a button that undoes it. It replaces the notice of the change before: of
 * two buttons with the same name, people press the wrong one.
 */
export function showUndoNotice({ title, text, undo }: UndoNotice): void {
  notifications.hide(last);
  const id = notifications.show({
    color: 'green',
    title,
    message: <Undo text={text} undo={() => undo().finally(() => notifications.hide(id))} />,
    autoClose: NOTICE_MS,
  });
  last = id;
}

function Undo({ text, undo }: Pick<UndoNotice, 'text' | 'undo'>) {
  const [isPending, setPending] = useState(false);
  return (
    <Group gap="sm">
      <span className="breaks">{text}</span>
      <Button
        variant="default"
        size="compact-sm"
        loading={isPending}
        onClick={() => {
          setPending(true);
          void undo();
        }}
      >
        {t.common.undo}
      </Button>
    </Group>
  );
}
