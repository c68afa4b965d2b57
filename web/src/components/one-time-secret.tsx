import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import classes from './one-time-secret.module.css';

interface OneTimeSecretProps {
  /** For example `password`. */
  name: string;
  text: string;
  /** Where to save it, and what to do after a loss. */
  warning: ReactNode;
  /** The label of the button that closes the dialog. */
  done?: string | undefined;
  onClose: () => void;
  /** Its purpose. */
  children: ReactNode;
}

/** Shows a secret once. The button is enabled after the reader confirmed to have saved it. */
export function OneTimeSecret({ name, text, warning, done = 'Done', onClose, children }: OneTimeSecretProps) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Stack>
      {children}
      <div className={classes.box}>
        <code className={classes.text}>{text}</code>
        <CopyButton text={text} label={`Copy ${name}`} />
      </div>
      <Alert color="yellow" variant="light" title="You won't see this again">
        {warning}
      </Alert>
      <Checkbox
        label={`I've saved this ${name}`}
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isSaved} onClick={onClose}>
          {done}
        </Button>
      </Group>
    </Stack>
  );
}
