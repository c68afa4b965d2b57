import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import classes from './new-password.module.css';

interface NewPasswordProps {
  sourceAppId: string;
  password: string;
  onClose: () => void;
  /** Another way on than closing. */
  next?: ReactNode;
}

/** A password that can be read this once; so the dialog is left only after it was said to be kept. */
export function NewPassword({ sourceAppId, password, onClose, next }: NewPasswordProps) {
  const [kept, setKept] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        With this password the operators of <strong className="breaks">{sourceAppId}</strong> log in to see their users.
      </Text>
      <div className={classes.password}>
        <code className={classes.text}>{password}</code>
        <CopyButton text={password} label="Copy password" />
      </div>
      <Alert color="yellow" variant="light" title="It is not shown again">
        Only a hash of it is stored. Keep it in a password manager now; a lost password can only be replaced.
      </Alert>
      <Checkbox
        label="I have kept the password"
        checked={kept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button variant={next ? 'default' : 'filled'} disabled={!kept} onClick={onClose}>
          Done
        </Button>
        {kept && next}
      </Group>
    </Stack>
  );
}
