import { Alert, Button, Checkbox, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './one-time-secret.module.css';

/** A dialog that, once it shows a secret, closes only by the button below the secret. */
export function SecretDialog({ isShown, ...modal }: ModalProps & { isShown: boolean }) {
  return <Modal {...modal} closeOnClickOutside={!isShown} closeOnEscape={!isShown} withCloseButton={!isShown} />;
}

interface OneTimeSecretProps extends Omit<SavedProps, 'name' | 'children'> {
  /** For example `password`. */
  name: string;
  text: string;
  /** Where to save it, and what to do after a loss. */
  warning: ReactNode;
  /** Its purpose. */
  children: ReactNode;
}

/** Shows a secret once. */
export function OneTimeSecret({ name, text, warning, children, ...saved }: OneTimeSecretProps) {
  return (
    <Stack>
      {children}
      <SecretText text={text} name={name} />
      <Saved name={`this ${name}`} {...saved}>
        {warning}
      </Saved>
    </Stack>
  );
}

/** A secret with a button that copies it. `shown`: the secret as it is easier to read. */
export function SecretText({ text, name, shown = text }: { text: string; name: string; shown?: string | undefined }) {
  return (
    <div className={classes.box}>
      <code className={classes.text} data-secret>
        {shown}
      </code>
      <CopyButton text={text} label={`Copy ${name}`} />
    </div>
  );
}

interface SavedProps {
  /** For example `this password`. */
  name: string;
  /** The label of the button that closes the dialog. */
  done?: string | undefined;
  onClose: () => void;
  /** Where to save it. */
  children: ReactNode;
}

/** The end of a dialog with a secret; its button needs a confirmation that the secret was saved. */
export function Saved({ name, done = 'Done', onClose, children }: SavedProps) {
  const [isSaved, setSaved] = useState(false);
  return (
    <>
      <Alert color="yellow" variant="light" title="You won't see this again">
        {children}
      </Alert>
      <Checkbox
        label={`I've saved ${name}`}
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isSaved} onClick={onClose}>
          {done}
        </Button>
      </Group>
    </>
  );
}
