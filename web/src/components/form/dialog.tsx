import { Alert, Button, Group, Modal, type ModalProps } from '@mantine/core';
import { useRef, useState } from 'react';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { t } from '../../texts/first-texts.ts';
import classes from './dialog.module.css';
import { DialogNotice } from './form.tsx';

interface DialogProps extends ModalProps {
  /** Whether it has input that is not saved. Default: once something is typed or chosen in it. */
  isDirty?: boolean;
}

/**
 * A dialog with a form. It asks before Escape, its cross, a click outside or another page discards
 * input that is not saved.
 */
export function Dialog({ opened, onClose, isDirty, children, ...modal }: DialogProps) {
  const touched = useRef(new Set<Element>());
  const [isLeaving, setLeaving] = useState(false);
  // The controls of a form that was sent are gone.
  const isUnsaved = (): boolean => opened && (isDirty ?? [...touched.current].some((one) => one.isConnected));
  useUnsaved(isUnsaved);
  if (!opened && isLeaving) setLeaving(false);
  const close = (): void => {
    setLeaving(false);
    onClose();
  };
  return (
    <Modal
      {...modal}
      opened={opened}
      onClose={() => (isUnsaved() ? setLeaving(true) : close())}
      onInput={({ target }) => {
        if (target instanceof Element) touched.current.add(target);
        setLeaving(false);
      }}
      onSubmit={() => setLeaving(false)}
    >
      <DialogNotice value={isLeaving && <Leaving onStay={() => setLeaving(false)} onLeave={close} />}>
        {children}
      </DialogNotice>
    </Modal>
  );
}

/** Shows a notice above the buttons, whatever part of a long form is in view. */
export const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

function Leaving({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Alert ref={intoView} className={classes.notice ?? ''} color="yellow" role="alert" title={t.components.leave}>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onStay}>
          {t.components.stay}
        </Button>
        <Button variant="default" size="xs" onClick={onLeave}>
          {t.components.discard}
        </Button>
      </Group>
    </Alert>
  );
}
