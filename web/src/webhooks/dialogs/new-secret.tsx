import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import classes from '../webhooks.module.css';

interface NewSecretProps {
  secret: string;
  onClose: () => void;
  /** What the secret is for. */
  children: ReactNode;
}

/** Shows a secret once. Done is enabled after the reader confirmed to have saved it. */
export function NewSecret({ secret, onClose, children }: NewSecretProps) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Stack>
      {children}
      <div className={classes.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
      <Alert color="yellow" variant="light" title="You won't see this again">
        Save it now where your program reads it. A lost secret can only be replaced.
      </Alert>
      <Checkbox
        label="I've saved this secret"
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
