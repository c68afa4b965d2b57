import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../components/copy-button.tsx';
import { DownloadIcon } from '../components/icons.tsx';
import { Saved } from '../components/one-time-secret.tsx';
import { saveFile } from '../components/save-file.ts';
import classes from './account.module.css';

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
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
      <Saved name="these codes" onClose={onClose}>
        Keep them where you find them without your phone, for example on paper or in a password manager.
      </Saved>
    </Stack>
  );
}
