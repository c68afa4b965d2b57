import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../components/content/copy-button.tsx';
import { Saved } from '../components/content/one-time-secret.tsx';
import { saveFile } from '../components/content/save-file.ts';
import { DownloadIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import classes from './account.module.css';

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <Stack>
      <Text>{t.account.codesNote}</Text>
      <ul className={classes.codes} aria-label={t.account.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton text={text} label={t.account.copyCodes} />
        <Button
          variant="default"
          size="xs"
          leftSection={<DownloadIcon size={14} />}
          onClick={() => saveFile(t.account.codesFile, new Blob([`${text}\n`], { type: 'text/plain' }))}
        >
          {t.account.downloadCodes}
        </Button>
      </Group>
      <Saved name="these codes" onClose={onClose}>
        {t.account.keepCodes}
      </Saved>
    </Stack>
  );
}
