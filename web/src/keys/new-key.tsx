import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import classes from './keys-page.module.css';

/** Shows a new API key once. Done is enabled after the reader confirmed to have saved it. */
export function NewKey({ text, onClose }: { text: string; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        Programs send this key with each request, as <code>Authorization: Bearer uck_…</code>
      </Text>
      <div className={classes.key}>
        <code className={classes.text}>{text}</code>
        <CopyButton text={text} label="Copy key" />
      </div>
      <Alert color="yellow" variant="light" title="You won't see this again">
        The service stores only a hash of the key. Save it where your program reads its secrets. A lost key can't be
        recovered: delete it and create another.
      </Alert>
      <Checkbox
        label="I've saved this key"
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
