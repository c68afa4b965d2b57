import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import classes from './new-password.module.css';

interface NewPasswordProps {
  sourceAppId: string;
  password: string;
  onClose: () => void;
  /** The label of the button that closes the dialog. */
  done?: string;
}

/**
 * Shows a generated password once. The button is enabled after the reader confirmed to have saved
 * it.
 */
export function NewPassword({ sourceAppId, password, done = 'Done', onClose }: NewPasswordProps) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        Operators of <strong className="breaks">{sourceAppId}</strong> log in with this password.
      </Text>
      <div className={classes.password}>
        <code className={classes.text}>{password}</code>
        <CopyButton text={password} label="Copy password" />
      </div>
      <Alert color="yellow" variant="light" title="You won't see this again">
        The service stores only a hash of the password. Save it in a password manager now. A lost password can't be
        recovered, only replaced.
      </Alert>
      <Checkbox
        label="I've saved this password"
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
