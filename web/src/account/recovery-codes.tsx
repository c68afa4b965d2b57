import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { DownloadIcon } from '../components/icons.tsx';
import { saveFile } from '../components/save-file.ts';
import classes from './account.module.css';

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);
  const text = codes.join('\n');
  return (
    <Stack>
      <Text size="sm">
        When you have neither your phone nor your passkey, your password and one of these codes log you in. Each code
        works once.
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton text={text} label="Copy codes" />
        <Button
          variant="default"
          size="xs"
          leftSection={<DownloadIcon size={14} />}
          onClick={() => saveFile('recovery-codes.txt', new Blob([`${text}\n`], { type: 'text/plain' }))}
        >
          Download codes
        </Button>
      </Group>
      <Alert color="yellow" variant="light" title="You won't see this again">
        Keep them where you find them without your phone, for example on paper or in a password manager.
      </Alert>
      <Checkbox
        label="I've saved these codes"
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
